"""Run each algorithm within the same limits; one that is not suited says why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lookalike import api
from lookalike.cli.address import Address, open_place
from lookalike.cli.asked import Flags, SearchFlags, algorithm_faults, from_file
from lookalike.cli.columns import split_columns
from lookalike.cli.console import console
from lookalike.cli.files import check_places
from lookalike.cli.interrupt import Interrupted
from lookalike.cli.searching import solution_facts
from lookalike.cli.show_comparison import comparison
from lookalike.cli.talk import Talk
from lookalike.errors import Fault, PolicyError
from lookalike.problem import prepare as preparing
from lookalike.report.comparison import picture
from lookalike.report.pictures import check_suffix, save
from lookalike.search.choose import BY_NAME, EVERY
from lookalike.search.limits import Limits
from lookalike.solution.solution import Solution


def compare_algorithms(
    talk: Talk,
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
    with talk.doing("Counting who looks alike"):
        problem = preparing.prepare(opened, asked.policy, labels)
    settings = asked.search
    with (
        console(talk.err, talk.interrupt) as observer,
        talk.interrupt.stops_search() as cancelled,
    ):
        limits = Limits(settings.seconds, settings.checks, cancelled)
        found = api.compare(problem, names, limits, observer, settings.seed)
    talk.document |= {
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
        talk.document["plot"] = save(picture(found), plot, force=force)
    talk.answer(*comparison(found))
    if talk.interrupt.pressed:
        raise Interrupted("interrupted; what each had found by then is above")


def _facts(solution: Solution) -> dict[str, Any]:
    """As for one search alone, the gap by its full name: there are two here."""
    facts = solution_facts(solution)
    return {("gap_to_own_bound" if name == "gap" else name): one for name, one in facts.items()}
