"""Whom suppression hits: the share of rows left out, value by value, beside the share overall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lookalike.counts.level_table import TOP
from lookalike.report.facts.value_distributions import in_bins
from lookalike.report.facts.value_groups import Grouping, at_level, grouping
from lookalike.report.subject import Subject, column_rows

SHOWN = 15  # values of the chart
GROUPS = 60  # of a column; of more, a coarser level is looked at


@dataclass(frozen=True, slots=True)
class Hit:
    """Rows with one value, and how many of them were suppressed."""

    column: str
    value: str
    rows: int
    suppressed: int

    @property
    def share(self) -> float:
        return self.suppressed / self.rows if self.rows else 0.0


@dataclass(frozen=True, slots=True)
class Suppression:
    """All values of all columns that can be told, the hardest hit first."""

    rows: int
    suppressed: int
    hits: tuple[Hit, ...]
    left_out: tuple[str, ...] = ()  # columns of which it cannot be told

    @property
    def share(self) -> float:
        return self.suppressed / self.rows if self.rows else 0.0

    @property
    def foremost(self) -> tuple[Hit, ...]:
        """Values hit harder than all rows together, by how many rows more than their share; the
        first few. A group that is small and lost whole is among them, one odd row seldom is.
        """
        hard = [hit for hit in self.hits if hit.share > self.share]
        return tuple(sorted(hard, key=lambda hit: self.share * hit.rows - hit.suppressed)[:SHOWN])


def suppression(subject: Subject) -> Suppression:
    """Counted for quasi-identifiers by the groups of the release, for kept columns by value."""
    rows, suppressed = subject.problem.rows, subject.solution.suppressed
    if not suppressed:
        return Suppression(rows, 0, ())
    hits: list[Hit] = []
    left_out: list[str] = []
    gone = None
    if subject.problem.holds_all_tuples:
        gone = subject.applied.suppressed_by_group()
    for a, name in enumerate(subject.problem.names):
        groups = _told_groups(subject, a)
        before = groups.rows(subject.problem.counts.marginal(a))
        if gone is not None:
            lost = groups.rows(subject.problem.rows_by_value(a, gone))
        else:
            after = subject.after(name)
            lost = {one: held - after.get(one, 0) for one, held in before.items()}
            if subject.starred or groups.labels == (TOP,):
                left_out.append(name)  # which of the starred rows is whose cannot be seen
                continue
        hits += _hits(name, before, lost)
    kept = _kept(subject)
    left_out += [] if kept is not None else subject.told
    return Suppression(
        rows, suppressed, _hardest([*hits, *(kept or [])], suppressed / rows), tuple(left_out)
    )


def _told_groups(subject: Subject, a: int) -> Grouping:
    """As the release shows them; a column that shows nothing, by the level below ``*``."""
    groups = grouping(subject, a)
    level = groups.level
    if level is None or not subject.problem.holds_all_tuples:
        return groups
    height = subject.problem.tables[a].height
    if level == height:
        groups = at_level(subject.problem, a, height - 1)
    while len(groups.labels) > GROUPS and (groups.level or 0) < height - 1:
        groups = at_level(subject.problem, a, (groups.level or 0) + 1)
    return groups


def _kept(subject: Subject) -> list[Hit] | None:
    """The kept columns; None if the rows that were starred cannot be told from others."""
    hits: list[Hit] = []
    starred = None
    if subject.starred:
        starred = subject.released.eligible_rows(dict.fromkeys(subject.policy.names, (TOP,)))
        if starred.rows() != subject.solution.suppressed:
            return None
    for name in subject.told:
        before = subject.before(name)
        if starred is not None:
            lost: Mapping[str, int] = column_rows(starred, name)
        else:
            after = subject.after(name)
            lost = {one: rows - after.get(one, 0) for one, rows in before.items()}
        _, before_told, lost_told, _ = in_bins(before, lost)
        hits += _hits(name, before_told, lost_told)
    return hits


def _hits(name: str, before: Mapping[str, int], lost: Mapping[str, int]) -> list[Hit]:
    return [Hit(name, value, rows, lost.get(value, 0)) for value, rows in before.items() if rows]


def _hardest(hits: list[Hit], overall: float) -> tuple[Hit, ...]:
    return tuple(
        sorted(hits, key=lambda hit: (overall - hit.share, -hit.rows, hit.column, hit.value))
    )


def by_column(
    found: Suppression, most: int = SHOWN
) -> tuple[tuple[str, tuple[Hit, ...], int], ...]:
    """Column by column, the hardest hit first; and how many more values there are."""
    names = dict.fromkeys(hit.column for hit in found.hits)
    each = [(name, tuple(hit for hit in found.hits if hit.column == name)) for name in names]
    return tuple((name, hits[:most], max(0, len(hits) - most)) for name, hits in each)
