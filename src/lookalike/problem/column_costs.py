"""The columns that cost most: how a cost that is a sum over columns is divided among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.cost.metric import Floats
from lookalike.problem.problem import Problem
from lookalike.solution.recoding import Recoding

COSTLIEST = 3  # columns that are named
MIN_SHARE = 0.005  # of the cost; a column that costs less is not named
EQUAL = 1e-9  # of the cost; costs that differ by less are equal


@dataclass(frozen=True, slots=True)
class CostliestColumns:
    """The columns that cost most, most first, and their shares of the cost."""

    shares: tuple[tuple[str, float], ...]
    equal: int = 0  # further columns that cost as much as the last one

    @property
    def sentence(self) -> str:
        """``The columns that cost most: zip (31% of the cost), age (20%), race (12%).``"""
        named = [f"{name} ({share:.0%})" for name, share in self.shares]
        if not named:
            return ""
        named[0] = named[0].replace("%)", "% of the cost)")
        more = "more column costs" if self.equal == 1 else "more columns cost"
        equal = f"; {self.equal} {more} as much as {self.shares[-1][0]}" if self.equal else ""
        return f"The columns that cost most: {', '.join(named)}{equal}."


def costliest_columns(problem: Problem, recoding: Recoding) -> CostliestColumns:
    """Up to three columns that cost most.

    None is named if the metric is not a sum over columns, if nothing is lost, or if there are so
    few columns that all would be named.
    """
    costs = None
    if len(problem.names) > COSTLIEST:
        costs = problem.apply(recoding).column_costs()
    return CostliestColumns(()) if costs is None else costliest(problem.names, costs)


def costliest(names: tuple[str, ...], costs: Floats) -> CostliestColumns:
    """The same, given what each column adds to the cost."""
    total = float(costs.sum())
    order = np.argsort(-costs, kind="stable")
    first = [a for a in order[:COSTLIEST] if costs[a] > 0 and costs[a] >= MIN_SHARE * total]
    if not first:
        return CostliestColumns(())
    equal = (costs >= costs[first[-1]] - EQUAL * total).sum() - len(first)
    shares = tuple((names[a], float(costs[a]) / total) for a in first)
    return CostliestColumns(shares, int(equal))
