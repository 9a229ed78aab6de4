"""Run each algorithm within the same limits; one that is not suited says why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lookalike import api
from lookalike.cli.input.column_list import split_columns
from lookalike.cli.input.output_files import check_places
from lookalike.cli.input.request import Flags, SearchFlags, algorithm_faults, from_file
from lookalike.cli.input.table_address import Address, open_place
from lookalike.cli.output.comparison import comparison
from lookalike.cli.terminal.interrupt import Interrupted
from lookalike.cli.terminal.progress import console
from lookalike.cli.terminal.search_session import solution_facts
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import Fault, PolicyError
from lookalike.problem import prepare as preparing
from lookalike.report.charts.comparison_picture import picture
from lookalike.report.charts.picture_files import check_suffix, save
from lookalike.search.auto_choice import BY_NAME, EVERY
from lookalike.search.limits import Limits
from lookalike.solution.solution import Solution


def compare_algorithms(
    terminal: Terminal,
    table: Path | Address,
    policy: Path,
    by: Sequence[str],
    flags: SearchFlags,
    labels: Sequence[str] = (),
    plot: Path | None = None,
    *,
    force: bool = False,
) -> None:
    asked = from_file(policy, Flags(), flags)
    names = split_columns(by, ())
    if by and not names:
        fix = f"use one of: all, auto, {', '.join(BY_NAME)}"
        raise PolicyError(Fault("--by", "it names no algorithm", fix))
    names = names or ("all",)
    if "all" in names:
        names = EVERY
    found_wrong = [fault for name in names for fault in algorithm_faults(f"--by {name}", name)]
    if found_wrong:
        raise PolicyError(found_wrong)
    if plot is not None:
        check_places([plot], [table, policy], force=force)
        check_suffix(plot)
    opened = open_place(table)
    with terminal.doing("Counting who looks alike"):
        problem = preparing.prepare(opened, asked.policy, labels)
    settings = asked.search
    with (
        console(terminal.err, terminal.interrupt) as observer,
        terminal.interrupt.stops_search() as cancelled,
    ):
        limits = Limits(settings.seconds, settings.checks, cancelled)
        found = api.compare(problem, names, limits, observer, settings.seed)
    terminal.document |= {
        "table": opened.name,
        "metric": found.metric,
        "bounds": dict(found.bounds),
        "rows": [
            {
                "algorithm": row.algorithm,
                "refusal": row.refusal,
                "gap_to_best_bound": row.gap,
                "held": row.held,
                "stars": row.stars,
                "measures": dict(row.measures),
                "solution": _facts(row.solution) if row.solution else None,
            }
            for row in found.rows
        ],
    }
    if plot is not None:
        terminal.document["plot"] = save(picture(found), plot, force=force)
    terminal.answer(*comparison(found))
    if terminal.interrupt.pressed:
        raise Interrupted("interrupted; what each had found by then is above")


def _facts(solution: Solution) -> dict[str, Any]:
    """As for one search alone, the gap by its full name: there are two here."""
    facts = solution_facts(solution)
    return {("gap_to_own_bound" if name == "gap" else name): one for name, one in facts.items()}
