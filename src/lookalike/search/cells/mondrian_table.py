"""The table and its hierarchies as Mondrian's compiled code reads them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable
from lookalike.problem.problem import Problem

Whole = NDArray[np.int64]
WORD_BITS = 63  # without the sign


class MondrianTable(NamedTuple):
    """The table, its hierarchies and the options. Level 0 is the finest that the policy allows."""

    groups: Whole  # (groups, 1 + 2 · words) each as a set: see the kernels
    leaf: NDArray[np.int32]  # (columns, groups)
    label: NDArray[np.int32]  # label[at[column, level] + leaf], numbered in the column's order
    at: Whole  # (columns, levels)
    word: Whole  # (columns, levels) the number of a set that has the bits
    mask: Whole  # (columns, levels) by which the labels of a level differ from their siblings
    loss: NDArray[np.float64]  # (columns, levels) of one row
    spread: NDArray[np.float64]  # as ``label``: the share of the values under it, weighted
    ordered: NDArray[np.bool_]  # (columns,)
    k: int
    median: bool
    relaxed: bool


def lay_out(
    problem: Problem, group: Whole, rows: Whole, *, median: bool, relaxed: bool
) -> MondrianTable:
    """For pieces of groups: the group of each piece, and its rows."""
    codes = np.ascontiguousarray(problem.counts.codes[group])
    columns = [
        _in_order(table, number)[low:]
        for table, number, low in zip(
            problem.tables, problem.label_numbers, problem.low, strict=True
        )
    ]
    groups, word, mask = _packed(codes, rows, columns)
    at = np.zeros(mask.shape, dtype=np.int64)
    loss, length = np.zeros(mask.shape), 0
    labels, spreads = [], []
    for a, (labels_of, table) in enumerate(zip(columns, problem.tables, strict=True)):
        weight = problem.ground.weights[a]
        for level, label in enumerate(labels_of):
            at[a, level] = length
            length += table.leaves
            loss[a, level] = weight * (problem.low[a] + level) / table.height
            labels.append(label)
            spreads.append(weight * (np.bincount(label)[label] - 1) / max(1, table.leaves - 1))
    return MondrianTable(
        groups, np.ascontiguousarray(codes.T),
        np.concatenate(labels).astype(np.int32), at, word, mask, loss, np.concatenate(spreads),
        np.array([table.ordered for table in problem.tables]), problem.smallest, median, relaxed,
    )  # fmt: skip


def _in_order(table: LevelTable, number: Whole) -> Whole:
    """(levels, leaves) the labels, numbered in the column's order and nested in the labels above.

    A column without an order is sorted by the text of its values, which does not depend on the
    engine.
    """
    order = table.order
    if order is None:
        texts = [(label is not None, label or "") for label in table.labels[0]]
        order = np.array(sorted(range(table.leaves), key=texts.__getitem__), dtype=np.int32)
    place = np.argsort(order)
    keys = []
    for label in number:
        first = np.full(int(number.max(initial=0)) + 1, table.leaves)
        np.minimum.at(first, label, place)
        keys.append(first[label])
    leaves = np.lexsort(keys)  # by the label of the top, then downwards
    starts = np.zeros(table.leaves, dtype=np.bool_)
    numbered = np.empty_like(number)
    for level in range(table.height, -1, -1):
        label = number[level, leaves]
        starts[1:] |= label[1:] != label[:-1]
        numbered[level, leaves] = np.cumsum(starts)
    return numbered


def _packed(
    codes: NDArray[np.int32], rows: Whole, columns: list[Whole]
) -> tuple[Whole, Whole, Whole]:
    """The groups as words of bits, and the bits that distinguish each label from its siblings."""
    word, mask = np.zeros((2, len(columns), max(map(len, columns))), dtype=np.int64)
    word[:] = 1
    words, used = [np.zeros(len(codes), dtype=np.int64)], 0
    for a, labels in enumerate(columns):
        for level in range(len(labels) - 1):
            first = np.full(len(labels[level]), len(labels[level]))
            np.minimum.at(first, labels[level + 1], labels[level])
            sibling = labels[level] - first[labels[level + 1]]
            bits = int(sibling.max(initial=0)).bit_length()
            if used + bits > WORD_BITS:
                words.append(np.zeros(len(codes), dtype=np.int64))
                used = 0
            words[-1] |= (sibling << used)[codes[:, a]]
            word[a, level], mask[a, level] = 2 * len(words) - 1, ((1 << bits) - 1) << used
            used += bits
    return np.stack([rows, *(bits for on in words for bits in (on, ~on))], axis=1), word, mask
