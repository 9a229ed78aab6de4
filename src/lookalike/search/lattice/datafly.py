"""Datafly: coarsen the column with most distinct values until few rows stand out (Sweeney 1997)."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import COLUMN_MODELS, Algorithm
from lookalike.search.algorithm_options import flag
from lookalike.search.bounds.datafly_climb import climb_by_distinct_values
from lookalike.search.lattice.complementary_suppression import complement
from lookalike.search.option_checks import check_flag
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class Datafly(Algorithm):
    """Core and full (Sweeney 2002, section 4.1). It meets k, and may distort too much.

    The paper stops once the rows in classes under k number at most k. Here that number is the
    policy's ``suppress``, so that all algorithms answer the same question; ``suppress=k`` (an int)
    gives the paper's rule.

    The column to coarsen is the one with the highest product of distinct values, likelihood to be
    used for linking (the policy's ``linking``) and tolerance of distortion (``distort``): without
    these weights, the one with most distinct values. A column whose product is 0 is coarsened only
    when no other is left. Ties go to the column named first.

    With ``complementary`` (step 4), if rows are suppressed but fewer than k, others join them until
    k are, so that being left out tells nothing.
    """

    complementary: bool = False
    name = "datafly"
    options = (flag("complementary"),)
    promise = "Datafly meets the policy. It does not promise a low cost."
    several_sets = True  # each set keeps k also without the rows that join the suppressed

    def __post_init__(self) -> None:
        check_flag("Datafly(complementary=...)", self.complementary)

    @property
    def space(self) -> Space:
        """Rows that join the suppressed are of classes that stay: no full-domain recoding."""
        return Space.CELL_LEVEL if self.complementary else Space.FULL_DOMAIN

    @property
    def models(self) -> frozenset[str]:
        return frozenset() if self.complementary else COLUMN_MODELS

    def why_unsuitable(self, problem: Problem) -> str | None:
        if self.complementary and problem.policy.metric.class_column is not None:
            return "which rows join the suppressed cannot be told from counts, so neither can CM"
        return None

    def max_nodes(self, problem: Problem) -> int:
        """One path up the lattice."""
        return 1 + sum(high - low for low, high in zip(problem.low, problem.high, strict=True))

    def search(self, run: Run) -> None:
        if self.complementary:
            complement(run)
        else:
            climb_by_distinct_values(run)
