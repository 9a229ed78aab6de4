"""Run each algorithm within the same limits; one that is not suited says why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lookalike import api
from lookalike.cli.asked import Flags, SearchFlags, from_file
from lookalike.cli.columns import split_columns
from lookalike.cli.console import console
from lookalike.cli.interrupt import Interrupted
from lookalike.cli.searching import solution_facts
from lookalike.cli.show_problem import comparison
from lookalike.cli.talk import Talk
from lookalike.errors import PolicyError
from lookalike.policy.words import unknown_word
from lookalike.search.choose import BY_NAME
from lookalike.search.limits import Limits
from lookalike.tables.open import open_table


def compare_algorithms(
    talk: Talk, table: Path, policy: Path, by: Sequence[str], flags: SearchFlags
) -> None:
    asked = from_file(policy, Flags(), flags)
    names = split_columns(by, ()) or ("all",)
    if "all" in names:
        names = tuple(BY_NAME)
    found_wrong = [
        unknown_word(f"--by {name}", "no such algorithm", name, BY_NAME)
        for name in names
        if name not in BY_NAME
    ]
    if found_wrong:
        raise PolicyError(found_wrong)
    opened = open_table(table)
    with talk.doing("Counting who looks alike"):
        problem = api.prepare(opened, asked.policy)
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
        "bound": found.bound,
        "rows": [
            {
                "algorithm": row.algorithm,
                "refusal": row.refusal,
                "gap": row.gap,
                "measures": dict(row.measures),
                "solution": solution_facts(row.solution) if row.solution else None,
            }
            for row in found.rows
        ],
    }
    talk.answer(*comparison(found))
    if talk.interrupt.pressed:
        raise Interrupted("interrupted; what each had found by then is above")
