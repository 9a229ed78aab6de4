"""Downcoding: find finer cells that must be in the table, because the recoding was minimal.

Cohen 2022 (*Attacks on deidentification's defenses*): if an algorithm generalizes no more than it
must, each generalized label reveals that a finer one was not possible. If a class of two rows
shows a label that stands for two finer ones, one row has each of them: both cells are recovered,
up to the order of the rows in a class. The attacker needs the release and the hierarchies only.

What is certain depends on how the recoding is minimal:

``LOWEST_LABELS``
    Each class shows, in every column, the lowest label that its rows share. So not all rows of a
    class have the same finer label.
``UNDIVIDED``
    In addition, no class can be divided into classes of k or more rows, some of which show finer
    labels. So no finer label has k or more rows of a class of 2k or more.
``MINIMAL_NODE``
    A full-domain recoding, nothing suppressed: no lower node keeps k. So in each generalized column
    some class has fewer than k rows, but at least one, with one of the next finer labels. If only
    one class could have, it is this one.
``MINIMAL_CUTS``
    The same for intervals: no interval can be divided anywhere. So if only one class shows an
    interval, its first and its last value occur.

For each of these, the result is complete: every table with counts within the bounds of all classes
is consistent with the release, as far as a minimal recoding of this kind goes, because the rows of
a class can have any combination of labels of several columns. An algorithm that is known to be
optimal, or greedy in a known order, can reveal more (``combinatorial_refinement.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from lookalike.attacking.refinement.closed_classes import NO_PART, Parts, divided
from lookalike.attacking.refinement.visiting_order import level_bounds
from lookalike.attacking.release_view import NO_LEVEL, ReleaseView


class Minimality(Enum):
    """In which sense a recoding generalizes no more than it must."""

    LOWEST_LABELS = "each class shows the lowest labels that its rows share"
    UNDIVIDED = "no class can be divided into classes with finer labels"
    MINIMAL_NODE = "no lower node of the lattice meets the policy"
    MINIMAL_CUTS = "no interval can be divided"


# for lookalike's own algorithms; those not listed promise nothing that the attack could use
OF_ALGORITHM = {
    "branch-and-bound": Minimality.MINIMAL_NODE,
    "flash": Minimality.MINIMAL_NODE,
    "incognito": Minimality.MINIMAL_NODE,
    "k-member": Minimality.LOWEST_LABELS,
    "k-optimize": Minimality.MINIMAL_CUTS,
    "lattice-greedy": Minimality.LOWEST_LABELS,
    "mdav": Minimality.LOWEST_LABELS,
    "mingen": Minimality.MINIMAL_NODE,
    "mondrian": Minimality.LOWEST_LABELS,
    "nearest-neighbors": Minimality.LOWEST_LABELS,
    "samarati": Minimality.MINIMAL_NODE,
}
GLOBAL = (Minimality.MINIMAL_NODE, Minimality.MINIMAL_CUTS)
STRICT_METRICS = ("loss", "precision")  # a finer recoding always costs less


@dataclass(frozen=True, slots=True, eq=False)
class FinerCounts:
    """How many rows of a class have each of the finer labels of a column."""

    of: int  # the class
    column: int
    parts: Parts
    least: tuple[int, ...]
    most: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ClassDowncoding:
    """What is recovered in one class."""

    rows: int
    cells: int  # generalized
    recovered_cells: int
    labels: tuple[str | None, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Downcoding:
    """What the attack recovers from a release, in total and for each class.

    A cell is recovered if a finer label is certain for it, up to the order of rows in a class.

    Examples
    --------
    >>> Downcoding(rows=9, cells=4, not_examined="the recoding need not be minimal").sentences
    ('Downcoding was not examined: the recoding need not be minimal.',)
    """

    rows: int
    cells: int  # generalized: their labels cover several values
    recovered_cells: int = 0
    exact_cells: int = 0  # of these, with the original value
    recovered_rows: int = 0  # rows with a recovered cell, at least
    minimality: Minimality | None = None
    not_examined: str = ""
    by_class: tuple[ClassDowncoding, ...] = field(default=(), repr=False)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result in words, without cell values."""
        if self.not_examined or self.minimality is None:
            return (f"Downcoding was not examined: {self.not_examined}.",)
        return (
            f"The recoding is minimal: {self.minimality.value}. So a finer label is certain for "
            f"{self.recovered_cells:,} of {self.cells:,} generalized cells, up to the order of the "
            f"rows in a class; for {self.exact_cells:,} of them the original value.",
            f"At least {self.recovered_rows:,} of {self.rows:,} rows have a recovered cell.",
        )


def attack_by_downcoding(
    view: ReleaseView, *, minimality: Minimality | None = None, withheld: float = 0.0
) -> Downcoding:
    """Run the attack. Without ``minimality``, the algorithm of the view says what is known.

    ``withheld`` is the share of rows that lattice greedy held back; its classes then do not show
    the lowest labels.
    """
    known = OF_ALGORITHM.get(view.algorithm) if minimality is None else minimality
    rows = int(view.rows.sum())
    several = np.stack(
        [column.covers.sum(axis=1)[view.codes[:, a]] > 1 for a, column in enumerate(view.columns)],
        axis=1,
    )
    cells = int(view.rows @ several.sum(axis=1))
    reason = _why_not(view, known, withheld, assumed=minimality is not None)
    if reason or known is None:
        return Downcoding(rows, cells, not_examined=reason)
    recovered = np.zeros(several.shape, dtype=np.int64)
    exact = 0
    for counts in finer_counts(view, known):
        recovered[counts.of, counts.column] = sum(counts.least)
        values = np.bincount(counts.parts.part[counts.parts.part != NO_PART])
        exact += sum(least for least, one in zip(counts.least, values == 1, strict=True) if one)
    return Downcoding(
        rows=rows,
        cells=cells,
        recovered_cells=int(recovered.sum()),
        exact_cells=exact,
        recovered_rows=int(recovered.max(axis=1, initial=0).sum()),
        minimality=known,
        by_class=tuple(
            ClassDowncoding(
                rows=int(view.rows[c]),
                cells=int(view.rows[c] * several[c].sum()),
                recovered_cells=int(recovered[c].sum()),
                labels=tuple(
                    column.labels[code]
                    for column, code in zip(view.columns, view.codes[c].tolist(), strict=True)
                ),
            )
            for c in np.flatnonzero(recovered.any(axis=1)).tolist()
        ),
    )


def _why_not(view: ReleaseView, known: Minimality | None, withheld: float, *, assumed: bool) -> str:
    """Why nothing can be deduced, in a sentence; "" if something can."""
    if known is None:
        return "it is not known that the recoding is minimal"
    if withheld:
        return "rows were held back in secret, and classes do not show the lowest labels"
    if known in GLOBAL:
        return _why_not_global(view, known, assumed)
    levels = all((column.level != NO_LEVEL).all() for column in view.columns)
    return "" if levels else "a column shows labels that are on no level of its hierarchy"


def _why_not_global(view: ReleaseView, known: Minimality, assumed: bool) -> str:
    """The same for a recoding of whole columns."""
    if view.suppressed or view.policy.suppress:
        return "rows may have been suppressed, so a finer recoding might have failed for them"
    if not assumed and view.policy.metric.name not in STRICT_METRICS:
        return f"for the metric {view.policy.metric.name}, a finer recoding need not cost less"
    if known is Minimality.MINIMAL_NODE and _node(view) is None:
        return "the classes do not all show the labels of one node"
    return ""


def finer_counts(view: ReleaseView, minimality: Minimality) -> Iterator[FinerCounts]:
    """Bounds for every generalized cell of a class for which anything is certain."""
    if minimality is Minimality.MINIMAL_NODE:
        yield from _of_node(view)
    elif minimality is Minimality.MINIMAL_CUTS:
        yield from _of_cuts(view)
    else:
        yield from _of_classes(view, minimality)


def _of_classes(view: ReleaseView, minimality: Minimality) -> Iterator[FinerCounts]:
    k = view.policy.smallest
    lowest = [low for low, _ in level_bounds(view)]
    for a, column in enumerate(view.columns):
        known: dict[int, Parts | None] = {}
        for c, code in enumerate(view.codes[:, a].tolist()):
            if code not in known:
                level = int(column.level[code])
                known[code] = divided(column.table, column.covers[code], level, lowest[a])
            parts, rows = known[code], int(view.rows[c])
            if parts is None:
                continue
            undivided = minimality is Minimality.UNDIVIDED and rows >= 2 * k
            most = k - 1 if undivided else rows - 1
            least = max(0, rows - (parts.count - 1) * most)
            yield FinerCounts(c, a, parts, (least,) * parts.count, (most,) * parts.count)


def _node(view: ReleaseView) -> list[int] | None:
    """For each column the lowest level that has the labels of the release; None if there is none.

    A label may look the same on a lower level, so a single label does not show its level.
    """
    node = []
    for column, (low, high) in zip(view.columns, level_bounds(view), strict=True):
        shown = {own.tobytes() for own in column.covers}
        for level in range(low, high + 1):
            codes = column.table.codes[:, level]
            if {(codes == code).tobytes() for code in np.unique(codes)} == shown:
                node.append(level)
                break
        else:
            return None
    return node


def _of_node(view: ReleaseView) -> Iterator[FinerCounts]:
    node = _node(view)
    assert node is not None
    for a, (column, (low, _)) in enumerate(zip(view.columns, level_bounds(view), strict=True)):
        if view.policy.weights.get(column.name, 1.0) <= 0:
            continue  # a finer level costs the same
        could, finer = _divided_next(view, a, node[a], low)
        if len(could) == 1:
            [c] = could
            parts, rows = finer[int(view.codes[c, a])], int(view.rows[c])
            assert parts is not None
            least = 1 if parts.count == 2 else 0
            yield FinerCounts(c, a, parts, (least,) * parts.count, (rows - 1,) * parts.count)


def _divided_next(
    view: ReleaseView, a: int, level: int, low: int
) -> tuple[list[int], list[Parts | None]]:
    """The classes that the next finer labels of a column could divide, and how, for each label."""
    column = view.columns[a]
    for finer in range(level - 1, low - 1, -1):
        parts = [divided(column.table, covered, finer + 1, finer) for covered in column.covers]
        could = [c for c, code in enumerate(view.codes[:, a].tolist()) if parts[code] is not None]
        if could:
            return could, parts
    return [], []


def _of_cuts(view: ReleaseView) -> Iterator[FinerCounts]:
    lowest = [low for low, _ in level_bounds(view)]
    for a, column in enumerate(view.columns):
        order = column.table.order
        if order is None or lowest[a] or view.policy.weights.get(column.name, 1.0) <= 0:
            continue
        shown_by = np.bincount(view.codes[:, a], minlength=len(column.labels))
        for c, code in enumerate(view.codes[:, a].tolist()):
            inside = order[column.covers[code][order]]
            if shown_by[code] > 1 or len(inside) < 2:
                continue
            part = np.full(column.table.leaves, NO_PART, dtype=np.int64)
            part[inside] = 1
            part[inside[0]], part[inside[-1]] = 0, 2 if len(inside) > 2 else 1
            rows = int(view.rows[c])
            middle = (0,) * (len(inside) > 2)
            most = (rows - 1, *(rows - 2 for _ in middle), rows - 1)
            yield FinerCounts(c, a, Parts(NO_LEVEL, part, 2 + len(middle)), (1, *middle, 1), most)
