"""Mondrian: cut the table into parts of k or more rows, top down (LeFevre et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import Fault, PolicyError
from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.algorithm_options import flag, word
from lookalike.search.cells.cell_algorithm import CellAlgorithm
from lookalike.search.cells.mondrian_requirements import cut_by_requirements
from lookalike.search.cells.mondrian_table import Whole, lay_out
from lookalike.search.node_labels import labels_at
from lookalike.search.option_checks import check_flag, check_word
from lookalike.search.run import Run
from lookalike.solution.recoding import GONE

Cut = Literal["best", "median"]
BATCH_GROUPS = 1 << 20  # visited between two checks of the limits


@dataclass(frozen=True, slots=True)
class Mondrian(CellAlgorithm):
    """Heuristic over cell-level recodings: divide the table into parts of k rows or more.

    It starts with the classes at the coarsest levels allowed, usually the whole table, and divides
    parts as long as each has k rows. It never undoes a cut. At the end each part shows, in every
    column, the lowest label that all its rows share.

    The paper cuts between values. Here a release shows labels, so a cut uses the labels of one
    column at one level, any level below what the part shows. Either all labels are separated (those
    with fewer than k rows stay together, joined by the smallest of the others if they are too few);
    or one label leaves the rest; or, in a column with an order, the labels before a place leave
    those after it, at the place that halves the rows best.

    If more is required than a number of rows, cuts are the paper's, whatever ``cut`` says, and
    every part must meet all requirements (``mondrian_requirements.py``).

    Parameters
    ----------
    cut : {"best", "median"}
        ``"best"`` chooses the cut that saves most precision for each bit that says on which side a
        row is, when all columns of all parts show their new lowest labels. (Bits are what runs out:
        n rows can be halved log2(n / k) times.) ``"median"`` is the paper's choice: the column in
        which the part is widest, in halves, or all labels separated if the column has no order. The
        width of a part is the share of the column's values under the label that it shows, times the
        weight of the column.
    relaxed : bool
        With ``cut="median"``: equal rows may go to both halves, so that halves are even (the
        paper's relaxed partitioning). By default equal rows stay together (strict partitioning).

    Raises
    ------
    PolicyError
        If an option has another value, or ``relaxed`` is used with ``"best"``.

    References
    ----------
    LeFevre, DeWitt and Ramakrishnan 2006. Mondrian multidimensional k-anonymity.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.Mondrian())
    <Solution: optimal, cell-level, mondrian, cost 0.333333>
    """

    cut: Cut = "best"
    relaxed: bool = False
    name = "mondrian"
    options = (word("cut"), flag("relaxed"))
    promise = "Mondrian meets the policy. It does not promise a low cost."
    any_requirement = True  # every side of a cut is judged by all requirements

    def __post_init__(self) -> None:
        check_word("Mondrian(cut=...)", self.cut, get_args(Cut))
        check_flag("Mondrian(relaxed=...)", self.relaxed)
        if self.relaxed and self.cut != "median":
            problem = f'with cut="{self.cut}" equal rows are never separated'
            raise PolicyError(Fault("Mondrian(relaxed=...)", problem, 'use it with cut="median"'))

    def why_unsuitable(self, problem: Problem) -> str | None:
        if self.relaxed and problem.policy.metric.class_column is not None:
            return "relaxed, it separates equal rows, and then CM cannot be computed from counts"
        for rule in problem.policy.require:
            if rule.table_wide:
                return (
                    f"it judges single parts, but {rule.name} is about the whole table; use flash"
                )
            if self.relaxed and not rule.by_size:
                return f"relaxed, it separates equal rows, and then {rule.name} cannot be checked"
        return None

    def search(self, run: Run) -> None:
        problem = run.problem
        run.mind_limits()
        if not problem.policy.by_size:
            cut_by_requirements(run)
            return
        order, parts, suppressed = _coarsest(problem)
        if not problem.may_suppress(int(problem.counts.counts[suppressed].sum())):
            return  # too many rows have fewer than k − 1 lookalikes even there
        group, rows = np.arange(len(order)), problem.counts.counts
        if self.relaxed:
            group, order, parts = _row_by_row(problem, order, parts)
            suppressed = np.flatnonzero(np.isin(group, suppressed))
            rows = np.ones(len(group), dtype=np.int64)
        levels = self._levels(run, group, rows, order, parts)
        levels[suppressed] = GONE
        run.offer(cell_map(problem, group, rows, levels))

    def _levels(
        self, run: Run, group: Whole, rows: Whole, order: Whole, parts: Whole
    ) -> NDArray[np.int16]:
        """(pieces, columns) what each piece of a group shows, once nothing more can be cut."""
        from lookalike.search.cells.mondrian_kernels import partition  # late: loads numba

        problem = run.problem
        median = self.cut == "median"
        table = lay_out(problem, group, rows, median=median, relaxed=self.relaxed)
        levels = np.zeros((len(order), len(problem.names)), dtype=np.int16)
        stack = np.zeros((len(order), 2), dtype=np.int64)
        stack[: len(parts)] = parts
        still_open = len(parts)
        while still_open:
            run.mind_limits()
            still_open = partition(table, order, stack, still_open, levels, BATCH_GROUPS)
        run.mind_limits()
        return levels + np.array(problem.low, dtype=np.int16)


def _coarsest(problem: Problem) -> tuple[Whole, Whole, Whole]:
    """The classes of the coarsest node, with which it starts.

    The groups class by class; where the classes with k or more rows begin and end among them; and
    the groups of other classes, which cannot be released.
    """
    of = group_ids(labels_at(problem, problem.counts.codes, problem.high))
    ends = np.cumsum(np.bincount(of))
    begins = np.concatenate([[0], ends])[:-1]
    enough = np.bincount(of, weights=problem.counts.counts) >= problem.smallest
    return (
        np.argsort(of, kind="stable"),
        np.stack([begins, ends], axis=1)[enough],
        np.flatnonzero(~enough[of]),
    )


def _row_by_row(problem: Problem, order: Whole, parts: Whole) -> tuple[Whole, Whole, Whole]:
    """The group of each row; the rows part by part, in canonical order; and where parts begin."""
    counts = problem.counts.counts
    place = np.argsort(problem.canonical)
    number = np.concatenate([[0], np.cumsum(counts[order])])  # rows before each group
    group = np.repeat(order, counts[order])
    rows = np.arange(len(group))
    for begin, end in number[parts]:
        rows[begin:end] = begin + np.argsort(place[group[begin:end]], kind="stable")
    return group, rows, number[parts]
