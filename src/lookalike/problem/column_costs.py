"""The columns that cost most: how a cost that is a sum over columns is divided among them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.cost.metric import Floats
from lookalike.problem.problem import Problem
from lookalike.solution.recoding import Recoding

COSTLIEST = 3  # columns that are named
MIN_SHARE = 0.005  # of the cost; a column that costs less is not named


class ColumnShare(NamedTuple):
    """A column and its share of the cost."""

    column: str
    share: float


def costliest_columns(problem: Problem, recoding: Recoding) -> tuple[ColumnShare, ...]:
    """Up to three columns that cost most, most first.

    Empty if the metric is not a sum over columns, if nothing is lost, or if there are so few
    columns that all would be named.
    """
    if len(problem.names) <= COSTLIEST:
        return ()
    return shares(problem, problem.apply(recoding).column_costs())


def shares(problem: Problem, costs: Floats | None) -> tuple[ColumnShare, ...]:
    """The same, given what each column adds to the cost."""
    if costs is None or not (total := float(costs.sum())) > 0:
        return ()
    first = np.argsort(-costs, kind="stable")[:COSTLIEST]
    return tuple(
        ColumnShare(problem.names[a], float(costs[a]) / total)
        for a in first
        if costs[a] >= MIN_SHARE * total
    )


def costliest_sentence(columns: tuple[ColumnShare, ...]) -> str:
    """``The columns that cost most: zip (31% of the cost), age (20%), race (12%).``"""
    if not columns:
        return ""
    first, *others = columns
    named = [f"{first.column} ({first.share:.0%} of the cost)"]
    named += [f"{other.column} ({other.share:.0%})" for other in others]
    return f"The columns that cost most: {', '.join(named)}."
