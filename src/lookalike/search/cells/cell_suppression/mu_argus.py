"""μ-Argus: find rare combinations of two or three columns, generalize, and suppress single cells.

Sweeney 2002, figure 11: the algorithm that she constructed from the program of Statistics
Netherlands; and what the program itself tests (figures 12 and 13).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.algorithm_options import word
from lookalike.search.cells.cell_algorithm import CellAlgorithm
from lookalike.search.node_labels import class_sizes, codes_at
from lookalike.search.option_checks import check_columns, check_word
from lookalike.search.run import Run
from lookalike.search.user_callback import call, one_of

Tests = Literal["all", "figure-12", "figure-13"]
Flags = NDArray[np.bool_]

NOT, MOST, MORE, IDENTIFYING = range(4)  # identification levels, in the program's own order

ALWAYS = {  # Figure 12: kinds of combinations that the program always tests
    (MOST, MORE, IDENTIFYING),
    (MOST, MOST, IDENTIFYING),
    (MOST, MOST, MOST),
    (MORE, IDENTIFYING),
    (MOST, IDENTIFYING),
    (MOST, MORE),
    (MOST, MOST),
}
ONLY_IF_SEVERAL = {(MOST, MORE, MORE), (MOST, MOST, MORE), (MORE, MORE)}  # identifying columns


@dataclass(frozen=True, slots=True)
class Outliers:
    """Where rare combinations are: what the data steward of ``MuArgus`` sees before deciding.

    Attributes
    ----------
    levels : dict from column to int
        The level of each column so far.
    can_rise : tuple of str
        Columns that can be generalized further.
    combinations : dict from columns to int
        For each combination of columns, the rows with a rare combination of values.
    by_column : dict from column to int
        For each column, the rare combinations in which it takes part.
    rows : int
        Rows with any rare combination.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Outliers({"age": 0}, ("age",), {}, {}, rows=0).can_rise
    ('age',)
    """

    levels: Mapping[str, int]
    can_rise: tuple[str, ...]
    combinations: Mapping[tuple[str, ...], int]
    by_column: Mapping[str, int]
    rows: int


Decide = Callable[[Outliers], str | None]


@dataclass(frozen=True, slots=True)
class MuArgus(CellAlgorithm):
    """μ-Argus over cell-level recodings: generalize columns, then suppress single cells.

    It checks combinations of two and three columns only, so it does not guarantee k over all
    columns. The policy's ``identifying`` says how identifying each column is, from 0 to 3 (1, most,
    by default).

    Parameters
    ----------
    tests : {"all", "figure-12", "figure-13"}
        ``"all"``: every combination, as Sweeney constructed the algorithm. ``"figure-12"``: those
        that the actual program tests according to figure 12. ``"figure-13"``: only Most × More, as
        in figure 13, which the paper's table "MT actual" needs.
    decide : sequence of str, or callable
        What the data steward decides in steps 4 and 5: the columns to generalize one step each, in
        turn; or a function from ``Outliers`` to a column, or to None to continue and suppress.

    Raises
    ------
    PolicyError
        If ``tests`` is another word, or ``decide`` is not a list of columns.

    References
    ----------
    Sweeney 2002, figures 11 to 13.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.MuArgus())
    <Solution: optimal, cell-level, mu-argus, cost 0.333333>
    """

    tests: Tests = "all"
    decide: Decide | Sequence[str] = ()
    name = "mu-argus"
    models = frozenset({"AG_CS"})
    options = (
        word("tests"),
        word("generalize", convert=lambda text: {"decide": tuple(text.split("+"))}),
    )
    promise = (
        "μ-Argus tests two and three columns at a time. It does not promise k over all of them."
    )
    may_break_policy = True

    def __post_init__(self) -> None:
        check_word("MuArgus(tests=...)", self.tests, get_args(Tests))
        if not callable(self.decide):
            check_columns("MuArgus(decide=...)", self.decide)

    def why_unsuitable(self, problem: Problem) -> str | None:
        if not any(_identifying(problem)):
            return "every column has identification level 0, so nothing would be tested"
        if any(high < t.height for high, t in zip(problem.high, problem.tables, strict=True)):
            return "it suppresses single cells, but the policy's levels forbid * in some column"
        return None

    def search(self, run: Run) -> None:
        problem = run.problem
        combinations = list(_combinations(_identifying(problem), self.tests))
        node = _single_columns_safe(problem)  # step 2
        turns = iter(() if callable(self.decide) else self.decide)
        while True:
            run.mind_limits()
            rare = _rare(run, node, combinations)  # step 3
            outliers = _outliers(problem, node, combinations, rare)
            chosen = self._decision(outliers, turns)  # steps 4, 5
            if chosen is None:
                break
            node[problem.names.index(chosen)] += 1
        suppressed = _suppressed_cells(run, combinations, rare)  # step 6
        heights = np.array([table.height for table in problem.tables])
        levels = np.where(suppressed, heights, np.array(node)).astype(np.int16)
        groups = np.arange(problem.counts.groups)
        run.offer(cell_map(problem, groups, problem.counts.counts, levels), even_if_unmet=True)

    def _decision(self, outliers: Outliers, turns: Iterator[str]) -> str | None:
        """The column that the data holder wants generalized next, if any."""
        if not callable(self.decide):
            wanted = next(turns, None)
        elif outliers.rows and outliers.can_rise:
            wanted = call("mu-argus.decide", self.decide, outliers)
        else:
            return None
        return None if wanted is None else one_of("mu-argus.decide", wanted, outliers.can_rise)


def _identifying(problem: Problem) -> list[int]:
    return [problem.policy.identifying.get(name, MOST) for name in problem.names]


def _combinations(level: Sequence[int], tests: Tests) -> Iterator[tuple[int, ...]]:
    """Pairs and triples of columns whose values are tested together."""
    columns = [a for a in range(len(level)) if level[a] != NOT]
    several = list(level).count(IDENTIFYING) > 1
    for size in (2, 3):
        for combination in itertools.combinations(columns, size):
            kind = tuple(sorted(level[a] for a in combination))
            if (
                tests == "all"
                or (tests == "figure-13" and kind == (MOST, MORE))
                or (tests == "figure-12" and kind in ALWAYS)
                or (tests == "figure-12" and several and kind in ONLY_IF_SEVERAL)
            ):
                yield combination


def _single_columns_safe(problem: Problem) -> list[int]:
    """Step 2: each column generalized until every one of its values has k rows."""
    node = list(problem.low)
    for a, level in enumerate(_identifying(problem)):
        while level != NOT and node[a] < problem.high[a]:
            table = problem.tables[a]
            rows = np.bincount(table.codes[:, node[a]], weights=problem.ground.marginals[a])
            if (rows[rows > 0] >= problem.smallest).all():
                break
            node[a] += 1
    return node


def _rare(run: Run, node: Sequence[int], combinations: Sequence[tuple[int, ...]]) -> Flags:
    """Step 3: (groups, combinations) fewer than k rows share this group's values there."""
    problem = run.problem
    codes = codes_at(problem, node)
    rare = np.zeros((problem.counts.groups, len(combinations)), dtype=np.bool_)
    for i, columns in enumerate(combinations):
        run.mind_limits()
        of = group_ids(codes[:, columns])
        rare[:, i] = class_sizes(of, problem.counts.counts) < problem.smallest
    return rare


def _suppressed_cells(run: Run, combinations: Sequence[tuple[int, ...]], rare: Flags) -> Flags:
    """Step 6: (groups, columns) suppress the value that is in most rare combinations of a tuple,
    until none is left. Ties go to the most identifying column, then to the one named first; this
    reproduces the paper's table.
    """
    problem, columns = run.problem, len(run.problem.names)
    takes_part = np.zeros((len(combinations), columns), dtype=np.int64)
    for i, combination in enumerate(combinations):
        takes_part[i, list(combination)] = 1
    level = _identifying(problem)
    order = sorted(range(columns), key=lambda a: (level[a] == NOT, level[a], a))
    suppressed = np.zeros((len(rare), columns), dtype=np.bool_)
    left = rare.copy()
    while left.any():
        run.mind_limits()
        open_ = left.any(axis=1)
        votes = left[open_].astype(np.int64) @ takes_part
        chosen = np.array(order)[votes[:, order].argmax(axis=1)]
        suppressed[np.flatnonzero(open_), chosen] = True
        left[open_] &= takes_part.T[chosen] == 0
    return suppressed


def _outliers(
    problem: Problem, node: Sequence[int], combinations: Sequence[tuple[int, ...]], rare: Flags
) -> Outliers:
    names, counts = problem.names, problem.counts.counts
    rows_by_columns = {
        tuple(names[a] for a in columns): rows
        for columns, rows in zip(combinations, (counts @ rare).tolist(), strict=True)
        if rows
    }
    return Outliers(
        dict(zip(names, node, strict=True)),
        tuple(name for a, name in enumerate(names) if node[a] < problem.high[a]),
        rows_by_columns,
        {name: sum(name in columns for columns in rows_by_columns) for name in names},
        int(counts[rare.any(axis=1)].sum()),
    )
