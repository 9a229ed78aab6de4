"""Which values were suppressed more often than others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lookalike.counts.level_table import TOP
from lookalike.report.facts.value_distributions import in_bins
from lookalike.report.facts.value_groups import Grouping, at_level, grouping
from lookalike.report.subject import Subject, count_values

MAX_SHOWN = 15  # values of a chart, or of a column's table
MAX_GROUPS = 60  # of a column; a column with more is grouped by a coarser level


@dataclass(frozen=True, slots=True)
class Hit:
    """The rows with one value, and how many of them were suppressed."""

    column: str
    value: str
    rows: int
    suppressed: int

    @property
    def share(self) -> float:
        return self.suppressed / self.rows if self.rows else 0.0


@dataclass(frozen=True, slots=True)
class Suppression:
    """The values of all columns, those with the highest share of suppressed rows first."""

    rows: int
    suppressed: int
    hits: tuple[Hit, ...]
    not_measured: tuple[str, ...] = ()  # columns for which the shares are not known

    @property
    def share(self) -> float:
        return self.suppressed / self.rows if self.rows else 0.0

    @property
    def above_average(self) -> tuple[Hit, ...]:
        """Values with a share above that of all rows, those with most excess rows first."""
        above = [hit for hit in self.hits if hit.share > self.share]
        above.sort(key=lambda hit: self.share * hit.rows - hit.suppressed)
        return tuple(above[:MAX_SHOWN])

    def by_column(self) -> list[tuple[str, tuple[Hit, ...], int]]:
        """Each column with its first values, and how many more it has."""
        columns: dict[str, list[Hit]] = {}
        for hit in self.hits:
            columns.setdefault(hit.column, []).append(hit)
        return [
            (name, tuple(hits[:MAX_SHOWN]), max(0, len(hits) - MAX_SHOWN))
            for name, hits in columns.items()
        ]


def suppression(subject: Subject) -> Suppression:
    """Quasi-identifiers are counted by the groups of the release, kept columns by value."""
    rows, suppressed = subject.problem.rows, subject.solution.suppressed
    if not suppressed:
        return Suppression(rows, 0, ())
    hits: list[Hit] = []
    not_measured: list[str] = []
    in_memory = subject.problem.holds_all_tuples
    by_group = subject.applied.suppressed_by_group() if in_memory else None
    for a, name in enumerate(subject.problem.names):
        groups = _groups(subject, a)
        before = groups.rows(subject.problem.counts.marginal(a))
        if by_group is not None:
            lost = groups.rows(subject.problem.rows_by_value(a, by_group))
        elif subject.starred or groups.labels == (TOP,):
            not_measured.append(name)  # which values starred rows had is not known
            continue
        else:
            lost = _lost(before, subject.after(name))
        hits += _hits(name, before, lost)
    kept = _kept_columns(subject)
    not_measured += [] if kept is not None else subject.counted_columns
    hits += kept or []
    hits.sort(key=lambda hit: (-hit.share, -hit.rows, hit.column, hit.value))
    return Suppression(rows, suppressed, tuple(hits), tuple(not_measured))


def _groups(subject: Subject, a: int) -> Grouping:
    """As in the release; a hidden column by the level below ``*``."""
    groups = grouping(subject, a)
    level = groups.level
    if level is None or not subject.problem.holds_all_tuples:
        return groups
    height = subject.problem.tables[a].height
    if level == height:
        groups = at_level(subject.problem, a, height - 1)
    while len(groups.labels) > MAX_GROUPS and (groups.level or 0) < height - 1:
        groups = at_level(subject.problem, a, (groups.level or 0) + 1)
    return groups


def _kept_columns(subject: Subject) -> list[Hit] | None:
    """The hits of kept columns; None if starred rows cannot be distinguished from others."""
    hits: list[Hit] = []
    starred = None
    if subject.starred:
        starred = subject.released.eligible_rows(dict.fromkeys(subject.policy.names, (TOP,)))
        if starred.rows() != subject.solution.suppressed:
            return None
    for name in subject.counted_columns:
        before = subject.before(name)
        if starred is not None:
            lost = count_values(starred, name)
        else:
            lost = _lost(before, subject.after(name))
        bins = in_bins(before, lost)
        hits += _hits(name, bins.before, bins.after)
    return hits


def _lost(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """The rows of each value that were not released."""
    return {value: rows - after.get(value, 0) for value, rows in before.items()}


def _hits(name: str, before: Mapping[str, int], lost: Mapping[str, int]) -> list[Hit]:
    return [Hit(name, value, rows, lost.get(value, 0)) for value, rows in before.items() if rows]
