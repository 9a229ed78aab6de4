"""What became of each column: its role, its hierarchy in words, and what it shows now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lookalike.problem.recodings.cell_changes import Change
from lookalike.report.number_format import percent, plural
from lookalike.report.subject import Subject

ROLES = {
    "quasi-identifier": "an outsider could know it: made coarser",
    "sensitive": "kept as it is: what nobody should learn about a person",
    "insensitive": "kept as it is",
    "pseudonym": "replaced by a keyed code, so that rows of one person can still be joined",
    "identifier": "dropped: it names people",
}


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """One column of the original."""

    name: str
    role: str
    meaning: str
    ladder: tuple[str, ...]  # what each level of its hierarchy shows, finest first
    now: str
    far: float | None  # how far its cells went, from 0 as they were to 1 hidden
    values_before: int | None
    values_after: int | None

    @property
    def far_words(self) -> str:
        return "" if self.far is None else percent(self.far)


def column_facts(subject: Subject) -> tuple[ColumnFacts, ...]:
    """All columns, quasi-identifiers first, as the certificate lists them."""
    content = subject.certificate.content
    gone = {change.column: change for change in column_changes(subject)}
    found = []
    for name, facts in content["columns"].items():
        role = facts["role"]
        kept = name in (*subject.problem.names, *subject.told)  # others: as many as people, nearly
        found.append(
            ColumnFacts(
                name,
                role,
                ROLES[role],
                ladder(subject, name) if role == "quasi-identifier" else (),
                shown_now(facts),
                gone[name].mean if name in gone else None,
                _values(subject, name) if kept else None,
                len(subject.after(name)) if kept else None,
            )
        )
    return tuple(found)


def _values(subject: Subject, name: str) -> int:
    """Different values of a column of the original, a null included."""
    if name in subject.problem.names:
        return subject.problem.tables[subject.problem.names.index(name)].leaves
    return len(subject.before(name))


def column_changes(subject: Subject) -> tuple[Change, ...]:
    return subject.applied.changes()


def ladder(subject: Subject, name: str) -> tuple[str, ...]:
    """``as it is``, ``month``, ``year`` … ``hidden (*)``."""
    a = subject.problem.names.index(name)
    table = subject.problem.tables[a]
    hierarchy = subject.policy.hierarchies[name]
    return (*map(hierarchy.describe, range(table.height)), "hidden (*)")


def shown_now(facts: Mapping[str, Any]) -> str:
    """What the certificate says that a column shows."""
    if "intervals" in facts:
        return plural(facts["intervals"], "interval")
    hidden = facts.get("level") is not None and facts["level"] == facts.get("of")
    if facts["role"] == "quasi-identifier" and hidden and "by_interval" not in facts:
        return "hidden (*)"
    return str(facts["shown"])
