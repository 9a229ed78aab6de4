"""Mondrian: cut the table into parts, top down, each of k rows or more (LeFevre et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable
from lookalike.errors import Fault, PolicyError
from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.algorithm import Algorithm
from lookalike.search.algorithm_options import flag, word
from lookalike.search.cells.mondrian_requirements import cut_judged
from lookalike.search.jit_warmup import search_small_problem
from lookalike.search.option_checks import check_flag, check_word
from lookalike.search.run import Run
from lookalike.solution.recoding import GONE, Space

Cut = Literal["best", "median"]
Whole = NDArray[np.int64]
EFFORT = 1 << 20  # groups looked at between two looks at the limits
WORD = 63  # bits of a word, but for its sign


@dataclass(frozen=True, slots=True)
class Mondrian(Algorithm):
    """A heuristic: it cuts greedily and takes nothing back.

    It starts with the classes at the coarsest levels allowed, most often the whole table, and cuts
    parts in parts as long as each keeps k rows. What is left shows, in every column, the lowest
    label that all rows of a part share.

    The paper cuts between values. Here a release shows labels, so cuts go by the labels of one
    column at one level, any level below what the part shows. Either all labels go apart; those
    under k rows stay together, joined by the smallest of the others if they are too few. Or one
    label leaves the rest. Or, in a column with an order, the labels before a place leave those
    behind it, at the place that halves the rows best.

    ``best`` takes the cut that lowers the loss of precision most for each bit that tells a row its
    side, when all columns of all sides show their new lowest labels. By the bit, because bits are
    what runs out: n rows can be cut log2(n / k) times in two.

    ``median`` is the paper's choice: the column in which the part is widest, in halves, or all
    labels apart if the column has no order. A part is as wide as the share of the column's values
    under the label that it shows, times the column's weight; of the levels, the coarsest will do.

    Equal rows stay together (the paper's strict partitioning). ``relaxed``, which goes with
    ``median``, the rows of a part stand in the column's order, and each half takes half of them:
    equal rows may go to both sides, so halves are even. Columns without an order are cut as ever.

    Where more is required than a number of rows, cuts are the paper's, whatever ``cut`` says, and
    every side must keep all rules (``mondrian_judged.py``).
    """

    cut: Cut = "best"
    relaxed: bool = False
    name = "mondrian"
    space = Space.CELL_LEVEL
    options = (word("cut"), flag("relaxed"))
    promise = "Mondrian meets the policy. It does not promise a low cost."
    any_requirement = True  # every side of a cut is judged by all requirements

    def __post_init__(self) -> None:
        check_word("Mondrian(cut=...)", self.cut, get_args(Cut))
        check_flag("Mondrian(relaxed=...)", self.relaxed)
        if self.relaxed and self.cut != "median":
            problem = f"cuts chosen as {self.cut} never split equal rows"
            raise PolicyError(Fault("Mondrian(relaxed=...)", problem, 'use cut="median" with it'))

    def why_unsuitable(self, problem: Problem) -> str | None:
        if self.relaxed and problem.policy.metric.class_column is not None:
            return "relaxed, it splits groups of equal rows, and then CM cannot be told from counts"
        for rule in problem.policy.require:
            if rule.table_wide:
                return f"it judges part by part, and {rule.name} is about the table; use flash"
            if self.relaxed and not rule.by_size:
                return (
                    f"relaxed, it splits groups of equal rows, and {rule.name} cannot be told then"
                )
        return None

    def compile_kernels(self, problem: Problem) -> None:
        search_small_problem(type(self))

    def search(self, run: Run) -> None:
        problem = run.problem
        run.mind_limits()
        if not problem.policy.by_size:
            cut_judged(run)
            return
        order, parts, left_out = _coarsest(problem)
        if not problem.may_suppress(int(problem.counts.counts[left_out].sum())):
            return  # some look like fewer than k even there, and may not be left out
        group, rows = np.arange(len(order)), problem.counts.counts
        if self.relaxed:
            group, order, parts = _row_by_row(problem, order, parts)
            left_out = np.flatnonzero(np.isin(group, left_out))
            rows = np.ones(len(group), dtype=np.int64)
        levels = self._levels(run, group, rows, order, parts)
        levels[left_out] = GONE
        run.offer(cell_map(problem, group, rows, levels))

    def _levels(
        self, run: Run, group: Whole, rows: Whole, order: Whole, parts: Whole
    ) -> NDArray[np.int16]:
        """Of the labels of every piece of a group, once nothing more can be cut."""
        from lookalike.search.cells.mondrian_kernels import partition  # late: loads numba

        problem = run.problem
        groups, leaf, label, at, word, mask, price, spread, ordered = _laid_out(problem)
        groups, leaf = groups[group], np.ascontiguousarray(leaf[:, group])
        groups[:, 0] = rows
        levels = np.zeros((len(order), len(problem.names)), dtype=np.int16)
        stack = np.zeros((len(order), 2), dtype=np.int64)
        stack[: len(parts)] = parts
        still_open = len(parts)
        while still_open:
            run.mind_limits()
            still_open = partition(
                groups, leaf, label, at, word, mask, price, spread, ordered,
                problem.smallest, self.cut == "median", self.relaxed,
                order, stack, still_open, levels, EFFORT,
            )  # fmt: skip
        run.mind_limits()
        return levels + np.array(problem.low, dtype=np.int16)


def _coarsest(problem: Problem) -> tuple[Whole, Whole, Whole]:
    """The classes of the coarsest node, to start with.

    The groups class by class; where the classes of k rows or more begin and end among them; and
    the groups of the others, which cannot be released.
    """
    shown = [
        number[high, problem.counts.codes[:, a]]
        for a, (number, high) in enumerate(zip(problem.label_numbers, problem.high, strict=True))
    ]
    of = group_ids(np.stack(shown, axis=1))
    ends = np.cumsum(np.bincount(of))
    begins = np.concatenate([[0], ends])[:-1]
    enough = np.bincount(of, weights=problem.counts.counts) >= problem.smallest
    return (
        np.argsort(of, kind="stable"),
        np.stack([begins, ends], axis=1)[enough],
        np.flatnonzero(~enough[of]),
    )


def _row_by_row(problem: Problem, order: Whole, parts: Whole) -> tuple[Whole, Whole, Whole]:
    """The group of each row; the rows part by part, in canonical order; and where parts lie."""
    counts = problem.counts.counts
    place = np.argsort(problem.canonical)
    number = np.concatenate([[0], np.cumsum(counts[order])])  # rows before each group
    group = np.repeat(order, counts[order])
    rows = np.arange(len(group))
    for begin, end in number[parts]:
        rows[begin:end] = begin + np.argsort(place[group[begin:end]], kind="stable")
    return group, rows, number[parts]


# --- laid out for the kernels: what the arrays hold is told there -------------------------------


def _laid_out(problem: Problem) -> tuple[NDArray[Any], ...]:
    """The table and its hierarchies; level 0 is the finest that the policy allows."""
    tables, codes = problem.tables, problem.counts.codes
    columns = [
        _in_order(table, number)[low:]
        for table, number, low in zip(
            problem.tables, problem.label_numbers, problem.low, strict=True
        )
    ]
    groups, word, mask = _spelt(problem, columns)
    at = np.zeros(mask.shape, dtype=np.int64)
    price, length = np.zeros(mask.shape), 0
    labels, spreads = [], []
    for a, (labels_of, table) in enumerate(zip(columns, tables, strict=True)):
        weight = problem.ground.weights[a]
        for level, label in enumerate(labels_of):
            at[a, level] = length
            length += table.leaves
            price[a, level] = weight * (problem.low[a] + level) / table.height
            labels.append(label)
            spreads.append(weight * (np.bincount(label)[label] - 1) / max(1, table.leaves - 1))
    return (
        groups, np.ascontiguousarray(codes.T),
        np.concatenate(labels).astype(np.int32), at, word, mask, price,
        np.concatenate(spreads), np.array([table.ordered for table in tables]),
    )  # fmt: skip


def _in_order(table: LevelTable, number: Whole) -> Whole:
    """(levels, leaves) the labels numbered in the column's order, below each label its own.

    Without an order, by the text of the values, which is the same whatever engine counted them.
    """
    place = np.empty(table.leaves, dtype=np.int64)
    if table.order is not None:
        place[table.order] = np.arange(table.leaves)
    else:
        texts = [(label is not None, label or "") for label in table.labels[0]]
        place[sorted(range(table.leaves), key=texts.__getitem__)] = np.arange(table.leaves)
    keys = []
    for label in number:
        first = np.full(int(number.max(initial=0)) + 1, table.leaves)
        np.minimum.at(first, label, place)
        keys.append(first[label])
    leaves = np.lexsort(keys)  # by the label of the top, then downwards
    starts = np.zeros(table.leaves, dtype=np.bool_)
    found = np.empty_like(number)
    for level in range(table.height, -1, -1):
        label = number[level, leaves]
        starts[1:] |= label[1:] != label[:-1]
        found[level, leaves] = np.cumsum(starts)
    return found


def _spelt(problem: Problem, columns: list[Whole]) -> tuple[Whole, Whole, Whole]:
    """The groups in bits, and which bits tell the labels of a level from their siblings."""
    codes = problem.counts.codes
    levels = max(len(labels) for labels in columns)
    word = np.ones((len(columns), levels), dtype=np.int64)
    mask = np.zeros((len(columns), levels), dtype=np.int64)
    words, used = [np.zeros(len(codes), dtype=np.int64)], 0
    for a, labels in enumerate(columns):
        for level in range(len(labels) - 1):
            first = np.full(len(labels[level]), len(labels[level]))
            np.minimum.at(first, labels[level + 1], labels[level])
            sibling = labels[level] - first[labels[level + 1]]
            bits = int(sibling.max(initial=0)).bit_length()
            if used + bits > WORD:
                words.append(np.zeros(len(codes), dtype=np.int64))
                used = 0
            words[-1] |= (sibling << used)[codes[:, a]]
            word[a, level], mask[a, level] = 2 * len(words) - 1, ((1 << bits) - 1) << used
            used += bits
    on_and_off = [bits for on in words for bits in (on, ~on)]
    return np.stack([problem.counts.counts, *on_and_off], axis=1), word, mask
