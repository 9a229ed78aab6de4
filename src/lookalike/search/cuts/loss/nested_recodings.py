"""The nested recodings that bound a node by loss or entropy: which columns are nested, and how.

First no column is nested inside the long one, then one, then two, and so on. The order is that of
``docs/explanation/cut-proofs.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from lookalike.search.cuts.k_optimize_arrays import State
from lookalike.search.cuts.loss.layout import Floats, LossInstance, Segments, Whole

MAX_BOXES = 1 << 24  # boxes that may be priced at a node


class Nest(NamedTuple):
    """Nested columns, outermost first, and the cells between all their cuts: see the kernels."""

    size: Whole  # (nested,) fine segments
    reach: Whole  # (nested, segments) how far an interval from each may reach
    lose: Floats  # (nested, segments, segments + 1) what a row loses
    cut: Whole  # (nested, segments) the open cut before a segment, or −1
    classes: int  # of the other columns
    rows: Floats  # (places, cells)
    paid: Floats  # (places, cells)
    fare: Floats  # (classes,) what each of their rows pays, if that is the same
    boxes: int  # to be priced for each interval of the long column


def nests(instance: LossInstance, state: State) -> Iterator[Nest]:
    """More and more columns, those with fewest open cuts first, until there are too many boxes.

    The column that came last is the outermost: inner ones may be cut otherwise in each of its
    intervals, and of few cuts that matters least.
    """
    profile = instance.cuts.table.codes
    segments = instance.segments(state)
    still = [len(places) - len(ins) for places, ins in segments]
    order = [b for _, b in sorted((n, b) for b, n in enumerate(still) if n)]
    fine = [
        np.searchsorted(places, profile[:, b], "right") - 1
        for b, (places, _) in enumerate(segments)
    ]
    boxes = 1
    for count in range(len(order) + 1):
        inner = order[:count][::-1]
        if inner:
            within = np.diff(segments[inner[0]][1])
            boxes *= int((within * (within + 1) // 2).sum())
        others = [b for b in range(len(segments)) if b not in inner]
        of = _classes(segments, others, fine, len(profile))
        classes = int(of.max()) + 1
        if inner and boxes * classes * len(instance.intervals.begin) > MAX_BOXES:
            return
        yield _laid_out(instance, segments, inner, fine, of, boxes * classes)


def price(instance: LossInstance, nest: Nest, live: Whole, votes: Floats) -> Floats:
    """(live,) at least what the rows of some intervals of the long column pay.

    ``votes`` (cuts,), if there are any, get how many rows are recoded with each open cut made.
    """
    from lookalike.search.cuts.loss.bound_kernels import price_nested  # late: loads numba

    if not len(nest.size):
        return price_exactly(instance, nest, live)[0]
    paid = np.zeros(len(live))
    price_nested(instance.intervals.take(live), nest, instance.terms, paid, votes)
    return paid


def price_exactly(instance: LossInstance, nest: Nest, live: Whole) -> tuple[Floats, Whole]:
    """The same with no column nested, and the rows that are suppressed."""
    from lookalike.search.cuts.loss.bound_kernels import price_whole  # late: loads numba

    paid, lost = np.zeros(len(live)), np.zeros(len(live), dtype=np.int64)
    price_whole(instance.intervals.take(live), nest, instance.terms, paid, lost)
    return paid, lost


def _classes(
    segments: Segments, columns: Sequence[int], fine: Sequence[Whole], profiles: int
) -> Whole:
    """(profiles,) who is alike in some columns under the cuts that are in."""
    of = np.zeros(profiles, dtype=np.int64)
    for b in columns:
        ins = segments[b][1]
        both = of * (len(ins) + 1) + np.searchsorted(ins, fine[b], "right")
        of = np.unique(both, return_inverse=True)[1].reshape(-1)
    return of


def _laid_out(
    instance: LossInstance,
    segments: Segments,
    inner: Sequence[int],
    fine: Sequence[Whole],
    of: Whole,
    boxes: int,
) -> Nest:
    from lookalike.search.cuts.loss.bound_kernels import gather

    classes = int(of.max()) + 1
    size = np.array([len(segments[b][0]) - 1 for b in inner], dtype=np.int64)
    widest = int(size.max(initial=1))
    reach = np.zeros((len(inner), widest), dtype=np.int64)
    lose = np.zeros((len(inner), widest, widest + 1))
    cut = np.full((len(inner), widest), -1, dtype=np.int64)
    cell, pays = np.zeros(len(of), dtype=np.int64), np.zeros(len(of))
    for d, b in enumerate(inner):
        places, ins = segments[b]
        n = len(places) - 1
        reach[d, :n] = ins[np.searchsorted(ins, np.arange(n), "right")]
        lose[d, :n, : n + 1] = instance.lose[b][np.ix_(places[:-1], places)]
        cut[d, :n] = instance.cuts.table.first[b] + places[:-1] - 1
        cut[d, ins[:-1]] = -1
        cell = cell * n + fine[b]
    for b, (places, _) in enumerate(segments):
        if b not in inner:
            pays += instance.lose[b][places[:-1], places[1:]][fine[b]]
    cells = int(size.prod()) * classes
    rows, paid = gather(instance.before, cell * classes + of, pays, cells)
    settled = all(len(own[0]) == len(own[1]) for b, own in enumerate(segments) if b not in inner)
    fare = np.zeros(classes if settled else 0)
    if settled:
        fare[of] = pays
    return Nest(size, reach, lose, cut, classes, rows, paid, fare, boxes)
