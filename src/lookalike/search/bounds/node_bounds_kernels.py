"""Blocks of the flattened lattice, brought up to date when they are read. Compiled; import late.

A block is all nodes with the same levels in the leading columns. Its nodes follow each other in the
flat arrays. A tree of minima over the blocks finds the one that looks cheapest.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import Floats, Whole
from lookalike.jit import helper, kernel

OPENS, CLOSES = -1, -2  # in ``Counted.row``, instead of a row of ``extra``
NEVER = -1  # in ``Blocks.known``


class Counted(NamedTuple):
    """What the counted nodes say about others, in the order in which they were counted."""

    number: int  # of counted nodes; the arrays are longer
    rows: int  # of ``extra`` that are used
    at: NDArray[np.int32]  # (nodes, columns) the levels
    base: Floats  # (nodes,) for every coarser node; −inf for nothing
    row: Whole  # (nodes,) of ``extra``, for every finer node; OPENS: nothing; CLOSES: infinite
    extra: Floats  # (rows, columns, levels)

    @staticmethod
    def begin(matrix: tuple[int, ...]) -> Counted:
        """Without nodes; each matrix of ``extra`` has this shape."""
        return Counted(
            0, 0, np.empty((64, matrix[0]), np.int32), np.empty(64), np.empty(64, np.int64),
            np.empty((16, *matrix)),
        )  # fmt: skip

    def add(self, at: Whole, base: float, extra: Floats | None, *, closes: bool) -> Counted:
        """The same with one more node."""
        number, rows, levels, bases, row, extras = self
        if number == len(levels):
            levels, bases, row = _twice(levels), _twice(bases), _twice(row)
        if rows == len(extras):
            extras = _twice(extras)
        levels[number], bases[number], row[number] = at, base, CLOSES if closes else OPENS
        if extra is not None:
            extras[rows], row[number] = extra, rows
            rows += 1
        return Counted(number + 1, rows, levels, bases, row, extras)


def _twice(array):
    """The array with as many empty rows behind it."""
    return np.concatenate([array, np.empty_like(array)])


class Blocks(NamedTuple):
    """The bounds of all nodes, block by block."""

    leading: int  # columns whose levels are the same in a block
    shape: Whole  # (columns,) levels
    prior: Floats  # (columns, levels) its sum at a node's levels is the node's first base
    base: Floats  # (nodes,)
    extra: Floats  # (nodes,) infinite for counted nodes too
    known: Whole  # (blocks,) how many counted nodes are in base and extra; NEVER: not written yet
    least: Floats  # (2 · leaves,) 1 is the root, i has 2i and 2i + 1; block b is leaves + b

    @staticmethod
    def begin(shape: Whole, prior: Floats, block_nodes: int) -> Blocks:
        """Nothing is known but the prior; the large arrays are only written when they are read."""
        leading, nodes = len(shape), 1
        while leading and nodes < block_nodes:
            leading -= 1
            nodes *= int(shape[leading])
        least = np.zeros(1)
        for a, levels in enumerate(shape):
            own = prior[a, :levels] if a < leading else prior[a, :levels].min(keepdims=True)
            least = (least[:, None] + own).reshape(-1)
        blocks = len(least)
        leaves = 1 << (blocks - 1).bit_length()
        tree = np.full(2 * leaves, np.inf)
        tree[leaves : leaves + blocks] = least
        while leaves > 1:
            leaves //= 2
            tree[leaves : 2 * leaves] = tree[2 * leaves : 4 * leaves].reshape(-1, 2).min(axis=1)
        return Blocks(
            leading, shape, prior, np.empty(blocks * nodes), np.empty(blocks * nodes),
            np.full(blocks, NEVER), tree,
        )  # fmt: skip


@kernel
def open_node(blocks: Blocks, counted: Counted, limit: float, climb: int) -> int:
    """The open node with the least score, −1 if there is none; or where it climbs (``Climb``)."""
    node: int = _least_open(blocks, counted, limit)
    if node >= 0 and climb > 0:
        node = _climb(blocks, counted, node, limit, climb == 2)
    return node


@helper
def _least_open(blocks: Blocks, counted: Counted, limit):
    """The open node with the least score under ``limit``, −1 if there is none; the first of equals.

    The least of all minima may be out of date. Once it belongs to a block that is up to date, it is
    the least score: other blocks can only have risen.
    """
    known, least = blocks.known, blocks.least
    leaves = len(least) // 2
    while least[1] < limit:
        place = 1
        while place < leaves:
            place *= 2
            if least[place] != least[place // 2]:
                place += 1
        b = place - leaves
        if known[b] < counted.number:
            _refresh(blocks, counted, b)
            continue
        nodes = len(blocks.base) // len(known)
        for i in range(b * nodes, (b + 1) * nodes):
            if blocks.base[i] + blocks.extra[i] == least[place]:
                return i
    return -1


@helper
def _climb(blocks: Blocks, counted: Counted, start, limit, steep):
    """From an open node to a coarsest open one, by the cheapest or the most expensive step."""
    shape = blocks.shape
    here = start
    while True:
        chosen, chosen_score = -1, 0.0
        stride = 1
        for a in range(len(shape) - 1, -1, -1):
            if (here // stride) % shape[a] + 1 < shape[a]:
                score = _score(blocks, counted, here + stride, limit)
                if score < limit and (
                    chosen < 0
                    or (steep and score >= chosen_score)
                    or (not steep and score <= chosen_score)
                ):  # of equals, the first column
                    chosen, chosen_score = here + stride, score
            stride *= shape[a]
        if chosen < 0:
            return here
        here = chosen


@kernel
def score(blocks: Blocks, counted: Counted, i: int) -> float:
    """The score of a node; infinite if it is counted or closed."""
    found: float = _score(blocks, counted, i, np.inf)
    return found


@helper
def _score(blocks: Blocks, counted: Counted, i, limit):
    """The score of a node, or infinite if its block has none below ``limit``."""
    b = i // (len(blocks.base) // len(blocks.known))
    leaf = len(blocks.least) // 2 + b
    if blocks.least[leaf] < limit and blocks.known[b] < counted.number:
        _refresh(blocks, counted, b)
    return blocks.base[i] + blocks.extra[i] if blocks.least[leaf] < limit else np.inf


@helper
def _refresh(blocks: Blocks, counted: Counted, b):
    """Bring a block up to date, and the minima above it."""
    leading, shape, known = blocks.leading, blocks.shape, blocks.known
    nodes = len(blocks.base) // len(known)
    base, extra = (
        blocks.base[b * nodes : (b + 1) * nodes],
        blocks.extra[b * nodes : (b + 1) * nodes],
    )
    inside = shape[leading:]
    zero, top = np.zeros_like(inside), inside - 1
    level = np.empty(leading, np.int64)
    rest = b
    for a in range(leading - 1, -1, -1):
        level[a] = rest % shape[a]
        rest //= shape[a]
    if known[b] == NEVER:
        extra[:] = 0.0
        base[:] = -np.inf
        known[b] = 0
        _raise_finer(base, inside, top, blocks.prior[leading:], _sum(blocks.prior, level))
    least = np.inf
    for i in range(known[b], counted.number):
        at, row = counted.at[i], counted.row[i]
        finer = coarser = True  # are nodes of the block finer, or coarser, than the counted node?
        for a in range(leading):
            finer &= level[a] <= at[a]
            coarser &= level[a] >= at[a]
        if finer and row == CLOSES:
            _raise_box(extra, inside, zero, at[leading:], np.inf)
        elif finer and row >= 0:
            own = counted.extra[row]
            _raise_finer(extra, inside, at[leading:], own[leading:], _sum(own, level))
        if coarser and counted.base[i] > -np.inf:
            _raise_box(base, inside, at[leading:], top, counted.base[i])
        if finer and coarser:
            extra[_index(inside, at[leading:])] = np.inf
    known[b] = counted.number
    for i in range(nodes):
        least = min(least, base[i] + extra[i])
    place = len(blocks.least) // 2 + b
    blocks.least[place] = least
    while place > 1:
        place //= 2
        least = min(blocks.least[2 * place], blocks.least[2 * place + 1])
        if blocks.least[place] == least:
            return
        blocks.least[place] = least


@helper
def _sum(values, level):
    """Σ values[a, level[a]] over the first columns."""
    total = 0.0
    for a in range(len(level)):
        total += values[a, level[a]]
    return total


@helper
def _index(shape, at):
    """The place of a node in its block."""
    index = 0
    for a in range(len(shape)):
        index = index * shape[a] + at[a]
    return index


@helper
def _raise_finer(bound, shape, at, values, begin):
    """bound = max(bound, begin + Σ values[a, level]) at every node finer than or equal to ``at``.

    ``bound`` is that of one block, and has these columns.
    """
    if len(shape) == 0:
        bound[0] = max(bound[0], begin)
        return
    last = len(shape) - 1
    level = np.zeros(last + 1, np.int64)
    index = np.zeros(last + 1, np.int64)  # of the levels before each attribute
    score = np.full(last + 1, begin)
    changed = 0
    while True:
        for a in range(changed, last):
            index[a + 1] = index[a] * shape[a] + level[a]
            score[a + 1] = score[a] + values[a, level[a]]
        start = index[last] * shape[last]
        for i in range(at[last] + 1):
            value = score[last] + values[last, i]
            bound[start + i] = max(bound[start + i], value)
        changed = last - 1
        while changed >= 0 and level[changed] == at[changed]:
            level[changed] = 0
            changed -= 1
        if changed < 0:
            return
        level[changed] += 1


@helper
def _raise_box(bound, shape, low, high, value):
    """bound = max(bound, value) at every node from ``low`` to ``high``, in one block."""
    if len(shape) == 0:
        bound[0] = max(bound[0], value)
        return
    last = len(shape) - 1
    level = np.empty(last + 1, np.int64)
    for a in range(last + 1):
        level[a] = low[a]
    while True:
        start = 0
        for a in range(last):
            start = (start + level[a]) * shape[a + 1]
        for i in range(start + low[last], start + high[last] + 1):
            bound[i] = max(bound[i], value)
        changed = last - 1
        while changed >= 0 and level[changed] == high[changed]:
            level[changed] = low[changed]
            changed -= 1
        if changed < 0:
            return
        level[changed] += 1
