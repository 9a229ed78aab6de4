"""Combinatorial refinement: what follows from the order in which a greedy algorithm closed classes.

Chhillar, Righi, Sutter and Kornaropoulos 2025 (arXiv 2509.03350), against the local recoding of
ARX. A local recoder visits nodes in the order of their loss and closes every class of k rows. So a
row in a late class had fewer than k lookalikes at all earlier nodes. The attacker needs only the
release, the policy and the public algorithm. ARX repeats its search on the rows that are left;
lattice greedy makes the same choices in one pass, so the rules are those of
``refinement/closed_classes.py``. They exclude values from generalized cells, and make some finer
labels, tuples and sensitive values certain.

Two sets of bounds are used. Releases of a few rows are solved with an integer program, whose
result is complete: nothing else can be deduced (``exact_counts.py``). For larger ones each class
is examined alone, together with rule E (``count_bounds.py``): the result is true, but not
complete.

Where lattice greedy has held rows back until secret nodes, the rules are not certain for any row
(``search/cells/withheld_rows.py``), and nothing can be deduced.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.labels.label_parsing import texts
from lookalike.attacking.refinement.closed_classes import (
    NO_PART,
    ClosedClasses,
    why_unsuitable,
)
from lookalike.attacking.refinement.count_bounds import CountBounds, bound_counts
from lookalike.attacking.refinement.exact_counts import exact_counts
from lookalike.attacking.release_view import ReleaseView, Whole
from lookalike.counts.frequency_set import FrequencySet, Histogram

ALGORITHM = "lattice-greedy"
MAX_EXACT_TUPLES = 150  # pairs of a class and a tuple, for the integer program


@dataclass(frozen=True, slots=True)
class ClassRefinement:
    """What is learned about one class."""

    rows: int
    generalized_columns: int
    narrowed_columns: int  # columns in which at least one value is excluded
    tuples_covered: int  # by the labels
    tuples_left: int
    certain_labels: int  # cells for which a finer label is certain to occur in the class
    certain_tuples: int  # rows for which a tuple of values is certain to occur in the class
    labels: tuple[str | None, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class SensitiveRefinement:
    """What is learned about a sensitive column by those who know somebody's quasi-identifiers."""

    column: str
    certain_before: int  # rows whose value the labels alone make certain
    certain: int  # rows whose value is certain after the attack


@dataclass(frozen=True, slots=True)
class PeopleRefinement:
    """How many rows fit the people of a list, by the labels and after the attack."""

    people: int  # whom any row fits
    rows_before: float  # that fit, as a mean over people
    rows_after: float
    affected: int  # people whom fewer rows fit after the attack
    fewest_before: int
    fewest_after: int


@dataclass(frozen=True, slots=True)
class CombinatorialRefinement:
    """What the attack learns from a release, in total and for each class.

    Examples
    --------
    >>> CombinatorialRefinement(rows=12, cells=0).sentences
    ('The release has no generalized cells: there is nothing to refine.',)
    """

    rows: int
    cells: int  # generalized: their labels cover several values
    narrowed_cells: int = 0  # of these, from which at least one value is excluded
    bits: float = 0.0  # by which the choice of tuples for a row gets smaller, as a mean
    certain_labels: int = 0  # cells for which a finer label is certain to occur in the class
    certain_rows: int = 0  # rows for which a tuple of values is certain to occur in the class
    rare_tuples: int = 0  # tuples certain to be in the table, with fewer than k rows
    sensitive: tuple[SensitiveRefinement, ...] = ()
    people: PeopleRefinement | None = None
    exact: bool = False  # is everything deduced that can be deduced?
    withheld: float = 0.0  # the share of rows that the algorithm held back in secret
    not_examined: str = ""  # why the rules were not applied
    by_class: tuple[ClassRefinement, ...] = field(default=(), repr=False)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result in words, without cell values."""
        if self.not_examined:
            return (f"Combinatorial refinement was not examined: {self.not_examined}.",)
        if self.withheld:
            return (
                f"A secret share of the rows ({self.withheld:.1%}) was held back, so the order in "
                "which classes were closed proves nothing about any row.",
            )
        if not self.cells:
            return ("The release has no generalized cells: there is nothing to refine.",)
        lines = [
            f"The order in which classes were closed excludes at least one value from "
            f"{self.narrowed_cells:,} of {self.cells:,} generalized cells.",
            f"A finer label is certain for {self.certain_labels:,} of these cells, up to the order "
            f"of the rows in a class; the original tuple for {self.certain_rows:,} of "
            f"{self.rows:,} rows.",
        ]
        lines += [
            f"{own.column}: the value is certain for {own.certain:,} of {self.rows:,} rows to "
            f"somebody who knows the quasi-identifiers, instead of {own.certain_before:,}."
            for own in self.sensitive
        ]
        if self.people is not None:
            lines.append(
                f"On average, {self.people.rows_before:,.1f} rows fit a person of the list by the "
                f"labels, and {self.people.rows_after:,.1f} after the attack; fewer rows fit "
                f"{self.people.affected:,} of {self.people.people:,} people."
            )
        if self.rare_tuples:
            lines.append(
                f"{self.rare_tuples:,} tuples are certain to be in the table, each with fewer than "
                "k rows."
            )
        return tuple(lines)


def attack_by_combinatorial_refinement(
    view: ReleaseView, *, withheld: float = 0.0, max_exact_tuples: int = MAX_EXACT_TUPLES
) -> CombinatorialRefinement:
    """Run the attack on a release by lattice greedy.

    ``withheld`` is the share of rows that the algorithm held back, as published.
    """
    rows = int(view.rows.sum())
    reason = _why_not(view)
    if reason:
        return CombinatorialRefinement(rows, 0, not_examined=reason)
    cells = _generalized(view)
    total = int(view.rows @ cells.sum(axis=1))
    if withheld or not total:
        return CombinatorialRefinement(rows, total, withheld=withheld, exact=not withheld)
    classes = ClosedClasses(view)
    bounds = bound_counts(classes)
    if len(bounds.of) <= max_exact_tuples:
        bounds = exact_counts(classes, bounds)
    possible = bounds.most > 0
    by_class = tuple(_classes(view, bounds, cells))
    spread = [np.log2(own.tuples_covered / own.tuples_left) * own.rows for own in by_class]
    tuples = _TupleSums(view, bounds.of[possible], bounds.leaves[possible])
    return CombinatorialRefinement(
        rows=rows,
        cells=total,
        narrowed_cells=sum(own.rows * own.narrowed_columns for own in by_class),
        bits=float(sum(spread)) / rows,
        certain_labels=sum(own.certain_labels for own in by_class),
        certain_rows=sum(own.certain_tuples for own in by_class),
        rare_tuples=_rare(view, bounds),
        sensitive=tuple(
            tuples.sensitive(name, histogram) for name, histogram in view.sensitive.items()
        ),
        people=None if view.known_people is None else tuples.people(view.known_people),
        exact=bounds.exact,
        by_class=by_class,
    )


def _why_not(view: ReleaseView) -> str:
    if view.algorithm not in {"", ALGORITHM}:
        return f"the rules are those of {ALGORITHM}, and the release is by {view.algorithm}"
    if not view.classes:
        return "the release has no rows"
    if not view.policy.by_size:
        return "classes were merged until they met the requirements on sensitive values"
    return why_unsuitable(view) or ""


def _generalized(view: ReleaseView) -> NDArray[np.bool_]:
    """(classes, columns) does the label cover several values?"""
    several = [
        column.covers.sum(axis=1)[view.codes[:, a]] > 1 for a, column in enumerate(view.columns)
    ]
    return np.stack(several, axis=1)


def _classes(
    view: ReleaseView, bounds: CountBounds, cells: NDArray[np.bool_]
) -> list[ClassRefinement]:
    start = np.searchsorted(bounds.of, np.arange(view.classes + 1)).tolist()
    covered = np.stack(
        [column.covers.sum(axis=1)[view.codes[:, a]] for a, column in enumerate(view.columns)],
        axis=1,
    )
    certain = np.zeros(cells.shape, dtype=np.int64)
    np.add.at(certain, (bounds.label_of, bounds.label_column), bounds.label_least)
    refinements = []
    for c, rows in enumerate(view.rows.tolist()):
        here = slice(start[c], start[c + 1])
        left = bounds.leaves[here][bounds.most[here] > 0]
        values = np.array([len(np.unique(column)) for column in left.T])
        refinements.append(
            ClassRefinement(
                rows=rows,
                generalized_columns=int(cells[c].sum()),
                narrowed_columns=int((values < covered[c]).sum()),
                tuples_covered=int(np.prod(covered[c])),
                tuples_left=len(left),
                certain_labels=int(certain[c].sum()),
                certain_tuples=int(bounds.least[here].sum()) if cells[c].any() else 0,
                labels=tuple(
                    column.labels[code]
                    for column, code in zip(view.columns, view.codes[c].tolist(), strict=True)
                ),
            )
        )
    return refinements


def _rare(view: ReleaseView, bounds: CountBounds) -> int:
    """Tuples that are certain to be in the table, and in all classes together in fewer than k."""
    shape = [column.table.leaves for column in view.columns]
    key = np.ravel_multi_index(tuple(bounds.leaves.T), shape)
    _, tuple_of = np.unique(key, return_inverse=True)
    least = np.bincount(tuple_of.reshape(-1), weights=bounds.least)
    most = np.bincount(tuple_of.reshape(-1), weights=bounds.most)
    return int(((least > 0) & (most < view.policy.smallest)).sum())


class _TupleSums:
    """For each tuple of values: the classes that it fits, by the labels and after the attack."""

    def __init__(self, view: ReleaseView, of: Whole, leaves: Whole) -> None:
        self.view, self.of = view, of
        self.shape = tuple(column.table.leaves for column in view.columns)
        self.tuple = np.ravel_multi_index(tuple(leaves.T), self.shape)
        self.boxes = [
            np.ix_(
                *(
                    np.flatnonzero(column.covers[code])
                    for column, code in zip(view.columns, codes, strict=True)
                )
            )
            for codes in view.codes.tolist()
        ]

    def sensitive(self, name: str, histogram: Histogram) -> SensitiveRefinement:
        """Rows whose value is certain, whichever tuple of their class they have."""
        groups = self.view.classes
        first, last = np.full(groups, len(histogram.values)), np.full(groups, -1)
        np.minimum.at(first, histogram.group, histogram.code)
        np.maximum.at(last, histogram.group, histogram.code)
        low, high = np.full(self.shape, len(histogram.values)), np.full(self.shape, -1)
        for c, box in enumerate(self.boxes):
            low[box] = np.minimum(low[box], first[c])
            high[box] = np.maximum(high[box], last[c])
        before = (low == high).reshape(-1)
        low.fill(len(histogram.values))
        high.fill(-1)
        np.minimum.at(low.reshape(-1), self.tuple, first[self.of])
        np.maximum.at(high.reshape(-1), self.tuple, last[self.of])
        after = (low == high).reshape(-1)
        return SensitiveRefinement(name, self._rows_all(before), self._rows_all(after))

    def _rows_all(self, flags: NDArray[np.bool_]) -> int:
        """Rows of the classes all of whose possible tuples have the flag."""
        without = np.bincount(self.of[~flags[self.tuple]], minlength=self.view.classes)
        return int(self.view.rows[without == 0].sum())

    def people(self, known: FrequencySet) -> PeopleRefinement | None:
        """How many rows fit each person of a list."""
        places = []
        inside = np.ones(known.groups, dtype=np.bool_)
        for column in self.view.columns:
            at = known.names.index(column.name)
            place = {text: leaf for leaf, text in enumerate(column.table.labels[0])}
            leaf = np.array([place.get(text, NO_PART) for text in texts(known.values[at])])
            places.append(leaf[known.codes[:, at]])
            inside &= places[-1] != NO_PART
        targets = np.ravel_multi_index(tuple(own[inside] for own in places), self.shape)
        before = np.zeros(self.shape, dtype=np.int64)
        for c, box in enumerate(self.boxes):
            before[box] += self.view.rows[c]
        after = np.bincount(self.tuple, self.view.rows[self.of], before.size).astype(np.int64)
        rows_before, rows_after = before.reshape(-1)[targets], after[targets]
        number = known.counts[inside]
        some = rows_after > 0
        if not some.any():
            return None
        return PeopleRefinement(
            people=int(number[some].sum()),
            rows_before=float(np.average(rows_before[some], weights=number[some])),
            rows_after=float(np.average(rows_after[some], weights=number[some])),
            affected=int(number[some & (rows_after < rows_before)].sum()),
            fewest_before=int(rows_before[some].min()),
            fewest_after=int(rows_after[some].min()),
        )
