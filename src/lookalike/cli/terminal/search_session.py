"""One search, watched on the terminal and in a file, ended by its limits or by Ctrl-C."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike import api
from lookalike.cli.input.output_files import open_private
from lookalike.cli.terminal.mu_argus_prompt import prompting_algorithm, wants_prompt
from lookalike.cli.terminal.progress import progress_line
from lookalike.cli.terminal.terminal import Terminal
from lookalike.events import Observer, broadcast, jsonl, silent
from lookalike.policy.search_settings import SearchSettings
from lookalike.search.limits import Limits
from lookalike.solution.recoding import NO_FACTS
from lookalike.solution.solution import Solution

if TYPE_CHECKING:
    from lookalike.problem.problem import Problem
    from lookalike.search.algorithm import Algorithm


def search(
    terminal: Terminal, problem: Problem, settings: SearchSettings, events: Path | None
) -> Solution:
    """The best that the settings allow."""
    with ExitStack() as stack:
        observers: list[Observer] = []
        if events is not None:
            observers.append(jsonl(stack.enter_context(open_private(events))))
        by: Algorithm | str = settings.by
        if wants_prompt(settings.by):
            by = prompting_algorithm(settings.by, terminal)
        elif not terminal.quiet:
            observers.append(stack.enter_context(progress_line(terminal.err, terminal.interrupt)))
        cancelled = stack.enter_context(terminal.interrupt.stop_search())
        limits = Limits(settings.seconds, settings.checks, cancelled)
        observer = broadcast(*observers) if observers else silent
        return api.solve(problem, by, limits, observer, settings.seed)


def solution_facts(solution: Solution) -> dict[str, Any]:
    """A solution for a JSON document, without its proof, which is private."""
    return {
        "status": solution.status,
        "stop": solution.stop,
        "space": solution.space,
        "metric": solution.metric,
        "algorithm": solution.algorithm,
        "why": solution.why,
        **(NO_FACTS if solution.recoding is None else solution.recoding.facts()),
        "rows": solution.rows,
        "suppressed": solution.suppressed,
        "classes": solution.classes,
        "cost": solution.cost,
        "bound": solution.bound,
        "gap": solution.gap,
        "checks": solution.checks,
        "seconds": solution.seconds,
        "seed": solution.seed,
        "claim": solution.claim(),
    }
