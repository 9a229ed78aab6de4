"""Datafly: generalize the column with the most distinct values until k is met (Sweeney 1997)."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import COLUMN_MODELS, Algorithm
from lookalike.search.algorithm_options import flag
from lookalike.search.bounds.datafly_climb import climb_by_distinct_values
from lookalike.search.lattice.complementary_suppression import complementary_search
from lookalike.search.option_checks import check_flag
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class Datafly(Algorithm):
    """Heuristic over full-domain recodings: generalize the column with most distinct values.

    It meets the policy, and may distort more than necessary. The paper stops when at most k rows
    are in classes smaller than k. Here that number is the policy's ``suppress``, so that all
    algorithms answer the same question; ``suppress=k`` (an int) gives the paper's rule.

    The next column is the one with the largest product of distinct values, the likelihood that it
    is used for linking (the policy's ``linking``) and the accepted distortion (``distort``);
    without these weights, the one with most distinct values. A column whose product is 0 is
    generalized only when no other is left. Among equals, the column named first is taken.

    Parameters
    ----------
    complementary : bool
        Step 4 of the paper: if rows are suppressed, but fewer than k, others join them until there
        are k, so that being suppressed reveals nothing.

    Raises
    ------
    PolicyError
        If it is not True or False.

    References
    ----------
    Sweeney 2002, section 4.1.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.Datafly())
    <Solution: optimal, full-domain, datafly, cost 0.333333>
    """

    complementary: bool = False
    name = "datafly"
    options = (flag("complementary"),)
    promise = "Datafly meets the policy. It does not promise a low cost."
    several_sets = True  # each set meets k also without the rows that are suppressed in addition

    def __post_init__(self) -> None:
        check_flag("Datafly(complementary=...)", self.complementary)

    @property
    def space(self) -> Space:
        """Additional rows are suppressed from released classes: not a full-domain recoding."""
        return Space.CELL_LEVEL if self.complementary else Space.FULL_DOMAIN

    @property
    def models(self) -> frozenset[str]:
        return frozenset() if self.complementary else COLUMN_MODELS

    def why_unsuitable(self, problem: Problem) -> str | None:
        if self.complementary and problem.policy.metric.class_column is not None:
            return "counts do not say which additional rows are suppressed, so CM is not defined"
        return None

    def max_nodes(self, problem: Problem) -> int:  # one path up the lattice
        return 1 + sum(high - low for low, high in zip(problem.low, problem.high, strict=True))

    def search(self, run: Run) -> None:
        if self.complementary:
            complementary_search(run)
        else:
            climb_by_distinct_values(run)
