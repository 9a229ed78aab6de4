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
    """Core and full Datafly (Sweeney 2002, section 4.1). It meets k, and may distort too much.

    The paper stops once at most k rows are in classes smaller than k. Here that number is the
    policy's ``suppress``, so that all algorithms solve the same problem; ``suppress=k`` (an int)
    gives the paper's rule.

    It generalizes the column with the largest product of distinct values, likelihood to be used for
    linking (the policy's ``linking``) and tolerance of distortion (``distort``); without these
    weights, the column with the most distinct values. A column whose product is 0 is generalized
    only when no other is left. Ties go to the column named first.

    Parameters
    ----------
    complementary : bool
        Step 4 of the paper: if rows are suppressed, but fewer than k, others are suppressed too
        until there are k. So being suppressed discloses nothing.

    Raises
    ------
    PolicyError
        If it is not True or False.

    Examples
    --------
    >>> import lookalike as la
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> print(la.solve(la.prepare(table, policy), la.Datafly()).recoding)
    [1]
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
