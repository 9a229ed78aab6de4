"""Each column: its role, the levels of its hierarchy, and how it was released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lookalike.problem.problem import Problem
from lookalike.report.number_format import plural
from lookalike.report.subject import Subject

HIDDEN = "hidden (*)"


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """A column of the original."""

    name: str
    role: str
    levels: tuple[str, ...]  # of its hierarchy, finest first
    released_as: str
    generalized: float | None  # how far on average, from 0 (unchanged) to 1 (hidden)
    values_before: int | None
    values_after: int | None


def column_facts(subject: Subject) -> tuple[ColumnFacts, ...]:
    """All columns in the order of the certificate, quasi-identifiers first."""
    problem = subject.problem
    changes = {change.column: change for change in subject.applied.changes()}
    values_before = {table.name: table.leaves for table in problem.tables}
    values_before |= {name: len(subject.before(name)) for name in subject.counted_columns}
    return tuple(
        ColumnFacts(
            name,
            facts["role"],
            level_names(problem, problem.names.index(name)) if name in problem.names else (),
            released_as(facts),
            changes[name].mean if name in changes else None,
            values_before.get(name),
            len(subject.after(name)) if name in values_before else None,
        )
        for name, facts in subject.certificate.content["columns"].items()
    )


def level_names(problem: Problem, a: int) -> tuple[str, ...]:
    """The levels of a quasi-identifier: ``unchanged``, ``month``, ``year`` … ``hidden (*)``."""
    table = problem.tables[a]
    describe = problem.policy.hierarchies[table.name].describe
    return (*map(describe, range(table.height)), HIDDEN)


def released_as(facts: Mapping[str, Any]) -> str:
    """How a column was released, from its entry in the certificate."""
    if "intervals" in facts:
        return plural(facts["intervals"], "interval")
    at_top = facts.get("level") is not None and facts["level"] == facts.get("of")
    if facts["role"] == "quasi-identifier" and at_top and "by_interval" not in facts:
        return HIDDEN
    return str(facts["shown"])
