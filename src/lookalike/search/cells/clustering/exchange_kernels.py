"""Exchange between classes: rows move to a class of a neighbor, or change places. Compiled."""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.jit import helper, kernel
from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole

TIE = 1e-9  # gains of less are none
NOBODY = -1


class Classes(NamedTuple):
    """Classes of whole groups."""

    of: Whole  # (groups,) −1 where suppressed
    member: NDArray[np.int64]  # (classes, room)
    size: Whole  # (classes,) groups
    rows: Whole  # (classes,)
    loss: Floats  # (classes,)


@kernel
def list_classes(layout: CellLayout, of: Whole) -> Classes:
    """The classes with their members, and room for one more."""
    classes = of.max() + 1
    size, rows = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    for g in range(len(of)):
        if of[g] >= 0:
            size[of[g]] += 1
            rows[of[g]] += layout.rows[g]
    member = np.empty((classes, size.max() + 1), np.int64)
    size[:] = 0
    for g in range(len(of)):
        if of[g] >= 0:
            member[of[g], size[of[g]]] = g
            size[of[g]] += 1
    made = Classes(of, member, size, rows, np.zeros(classes))
    for c in range(classes):
        made.loss[c] = _loss(layout, made, c, NOBODY, NOBODY, np.inf)
    return made


@kernel
def exchange(layout: CellLayout, near: NDArray[np.int32], classes: Classes, halt: Whole) -> float:
    """Look at every group once, and make the exchange that gains most. Returns what all gain.

    A group moves to a class of one of its neighbors if its own class keeps k rows, or it changes
    places with a group there. Ends early once ``halt[0]`` is set.
    """
    gained = 0.0
    for v in range(len(classes.of)):
        if halt[0]:
            break
        c = classes.of[v]
        if c < 0 or classes.size[c] < 2:
            continue
        best, to, instead = TIE, -1, NOBODY
        for i in range(near.shape[1]):
            u = near[v, i]
            d = classes.of[u] if u >= 0 else -1
            if d < 0 or d == c or _seen(near[v], i, d, classes.of):
                continue
            gain, other = _best_exchange(layout, classes, v, d, best)
            if gain > best:
                best, to, instead = gain, d, other
        if to >= 0:
            gained += best
            _replace(layout, classes, c, v, instead)
            _replace(layout, classes, to, instead, v)
    return gained


@helper
def _seen(near, i, d, of):
    """Does an earlier neighbor have the same class?"""
    seen = False
    for j in range(i):
        seen |= near[j] >= 0 and of[near[j]] == d
    return seen


@helper
def _best_exchange(layout: CellLayout, classes: Classes, v, d, best):
    """Of all exchanges of a group with a class, the one that gains most, if more than ``best``."""
    c, instead = classes.of[v], NOBODY
    before, k = classes.loss[c] + classes.loss[d], layout.k
    for i in range(-1, classes.size[d]):
        other = classes.member[d, i] if i >= 0 else NOBODY
        moved = layout.rows[v] - (layout.rows[other] if i >= 0 else 0)
        if classes.rows[c] - moved < k or classes.rows[d] + moved < k:
            continue
        if i < 0 and classes.size[d] == classes.member.shape[1]:
            continue
        after = _loss(layout, classes, d, other, v, before - best)
        if after < before - best:
            after += _loss(layout, classes, c, v, other, before - best - after)
        if before - after > best:
            best, instead = before - after, other
    return best, instead


@helper
def _loss(layout: CellLayout, classes: Classes, c, without, plus, enough):
    """What a class loses without one group and with another; infinite if more than ``enough``."""
    member, rows, head = classes.member[c, : classes.size[c]], classes.rows[c], plus
    if plus >= 0:
        rows += layout.rows[plus]
    if without >= 0:
        rows -= layout.rows[without]
    if head < 0:
        head = member[0] if member[0] != without else member[1]
    total = 0.0
    for a in range(len(layout.leaf)):
        leaf, at = layout.leaf[a], layout.at[a]
        own, level, top = leaf[head], 0, layout.levels[a] - 1
        for g in member:
            if g != without and leaf[g] != own:
                while level < top and (
                    layout.label[at[level] + own] != layout.label[at[level] + leaf[g]]
                ):
                    level += 1
        total += layout.loss[at[level] + own]
        if total * rows > enough:
            return np.inf
    return total * rows


@helper
def _replace(layout: CellLayout, classes: Classes, c, gone, new):
    """Take one group out of a class and put another in; either may be nobody."""
    size = classes.size[c]
    place = size
    for i in range(size):
        if classes.member[c, i] == gone:
            place = i
    if gone >= 0:
        classes.rows[c] -= layout.rows[gone]
        classes.size[c] -= 1
        classes.member[c, place] = classes.member[c, size - 1]
    if new >= 0:
        classes.member[c, classes.size[c]] = new
        classes.rows[c] += layout.rows[new]
        classes.size[c] += 1
        classes.of[new] = c
    classes.loss[c] = _loss(layout, classes, c, NOBODY, NOBODY, np.inf)
