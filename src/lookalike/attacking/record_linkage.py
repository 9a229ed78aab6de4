"""Link people with released rows: how many rows fit each person, and who is singled out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.candidates import Candidates
from lookalike.attacking.labels.column_match import ColumnMatch, match_column
from lookalike.attacking.sensitive_inference import Inference, InferenceTally, SensitiveValues
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.tuple_keys import numbered_tuples
from lookalike.policy.hierarchy import Hierarchy

Whole = NDArray[np.int64]
BARS = ((0, 0), (1, 1), (2, 4), (5, 9), (10, 99), (100, None))


@dataclass(frozen=True, slots=True)
class FitBar:
    """The people whom ``least`` to ``most`` rows fit."""

    least: int
    most: int | None
    people: int


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Labels that could not be read: they fit nobody, so the attack looks weaker than it is."""

    column: str
    labels: int
    rows: int  # of the release that hold them
    unread: int  # distinct values of the outsider that are not in the policy's hierarchy


@dataclass(frozen=True, slots=True)
class LinkageResult:
    """What the attack finds in one table."""

    table: str
    rows: int
    people: int  # rows of the outsider's table
    nobody: int  # people whom no row fits
    one_row: int  # people whom exactly one row fits
    certain: int  # of these, people whose row fits nobody else
    fewest: int  # fewest rows that fit a person; 0 if no row fits anybody
    best: float  # 1 / fewest
    mean: float  # of 1 / rows that fit, over the people whom any row fits
    histogram: tuple[FitBar, ...]
    learned: tuple[Inference, ...]
    not_understood: tuple[NotUnderstood, ...]

    @property
    def certainty(self) -> float:
        """The best chance of the attacker: to find a person's row, or to learn a value."""
        return max([self.best, *(inference.certainty for inference in self.learned)])


@dataclass(frozen=True, slots=True, eq=False)
class MatchedTables:
    """The tuples of a table and of the outsider, matched column by column."""

    release: FrequencySet
    outsiders: FrequencySet
    fits: tuple[ColumnMatch, ...]

    def kinds(self) -> Whole:
        """(outsider's tuples, columns) as kinds of values."""
        codes = self.outsiders.codes
        columns = [fit.kind[codes[:, at]] for at, fit in enumerate(self.fits)]
        return np.stack(columns, axis=1) if columns else np.zeros((len(codes), 0), dtype=np.int64)

    def candidates(self, kinds: Whole) -> Candidates:
        return Candidates(self.fits, kinds, self.release.codes.astype(np.int64))

    def not_understood(self) -> tuple[NotUnderstood, ...]:
        if not self.outsiders.rows:
            return ()  # with nobody to look up, labels cannot be distinguished from values
        columns = []
        for at, (name, fit) in enumerate(zip(self.release.names, self.fits, strict=True)):
            labels = int(fit.not_understood.sum())
            if labels or fit.unread:
                held = fit.not_understood[self.release.codes[:, at]]
                rows = int(self.release.counts[held].sum())
                columns.append(NotUnderstood(name, labels, rows, fit.unread))
        return tuple(columns)


def match_tables(
    release: FrequencySet, outsiders: FrequencySet, hierarchies: Mapping[str, Hierarchy]
) -> MatchedTables:
    """Match two tables over the same columns in the same order, under the release's names."""
    columns = zip(release.names, release.values, outsiders.values, strict=True)
    fits = tuple(
        match_column(name, labels, values, hierarchies.get(name))
        for name, labels, values in columns
    )
    return MatchedTables(release, outsiders, fits)


class Linkage:
    """The attack on one table. People who are alike in every column are treated once."""

    def __init__(self, table: str, meeting: MatchedTables, sensitive: Sequence[str]) -> None:
        self.table, self.meeting = table, meeting
        release, outsiders = meeting.release, meeting.outsiders
        kinds = meeting.kinds()
        # of: (outsider's tuples,) people with the same number cannot be told apart
        self.of, first = numbered_tuples(list(kinds.T), len(kinds))
        self.alike = kinds[first]
        weights = np.bincount(self.of, weights=outsiders.counts, minlength=len(first))
        self.people = weights.astype(np.int64)
        self.fitting = np.zeros(len(first), dtype=np.int64)  # rows that fit each
        self.fitted = np.zeros(release.groups, dtype=np.int64)  # people whom each tuple fits
        self.only = np.full(len(first), -1, dtype=np.int64)  # the last tuple that fits
        self.held = {
            name: SensitiveValues(release.sensitive[name], release.groups) for name in sensitive
        }
        learning = [InferenceTally(name, held, release.rows) for name, held in self.held.items()]
        for chunk in meeting.candidates(self.alike).chunks():
            here = slice(chunk.first, chunk.end)
            person, size = chunk.person - chunk.first, chunk.end - chunk.first
            counted = np.bincount(person, weights=release.counts[chunk.tuple], minlength=size)
            self.fitting[here] = counted.astype(np.int64)
            self.fitted += np.bincount(
                chunk.tuple, weights=self.people[chunk.person], minlength=release.groups
            ).astype(np.int64)
            self.only[chunk.person] = chunk.tuple
            for tally in learning:
                tally.add(person, chunk.tuple, self.fitting[here], self.people[here])
        self.learned = tuple(tally.learned() for tally in learning)
        self.one_row = self.fitting == 1  # (people,) does exactly one row fit?
        self.certain = self.one_row.copy()  # (people,) and does it fit nobody else?
        self.certain[self.one_row] = self.fitted[self.only[self.one_row]] == 1

    def result(self) -> LinkageResult:
        """What the attack finds, in numbers."""
        some = self.fitting > 0
        reached = int(self.people[some].sum())
        fewest = int(self.fitting[some].min()) if reached else 0
        chances = float((self.people[some] / self.fitting[some]).sum())
        return LinkageResult(
            table=self.table,
            rows=self.meeting.release.rows,
            people=int(self.people.sum()),
            nobody=int(self.people[~some].sum()),
            one_row=int(self.people[self.one_row].sum()),
            certain=int(self.people[self.certain].sum()),
            fewest=fewest,
            best=1 / fewest if fewest else 0.0,
            mean=chances / reached if reached else 0.0,
            histogram=tuple(self._bar(*bar) for bar in BARS),
            learned=self.learned,
            not_understood=self.meeting.not_understood(),
        )

    def _bar(self, least: int, most: int | None) -> FitBar:
        there = self.fitting >= least
        if most is not None:
            there &= self.fitting <= most
        return FitBar(least, most, int(self.people[there].sum()))
