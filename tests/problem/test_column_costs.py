"""The split of a cost over columns adds up to the cost; the columns that cost most are named."""

import math

import numpy as np
import pyarrow as pa
import pytest
import tiny
from wide_problems import wide_problems

import lookalike as la
from lookalike.problem.column_costs import costliest, costliest_columns

METRICS = [la.Precision(), la.Loss(), la.Entropy(), la.Height()]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
@pytest.mark.parametrize("by", ["flash", "mondrian"])
def test_the_split_adds_up_to_the_cost(metric, by):
    seen = 0
    for problem in wide_problems(8, seed=1):
        prepared = tiny.problem(problem, metric)
        if by == "mondrian" and metric.name == "height":
            continue
        try:
            solution = la.solve(prepared, by)
        except la.NotSuited:
            continue
        if solution.recoding is not None:
            costs = prepared.apply(solution.recoding).column_costs()
            assert (costs >= 0).all()
            assert math.isclose(costs.sum(), solution.cost, rel_tol=1e-9, abs_tol=1e-12)
            seen += solution.suppressed > 0
    assert seen or by == "mondrian" or metric.name == "height"


def test_the_split_of_intervals_adds_up_to_the_cost():
    table = {f"c{a}": [(n * (a + 3)) % 11 for n in range(60)] for a in range(4)}
    columns = {name: la.bands(2) for name in table}
    policy = la.Policy(
        quasi_identifiers=columns, require=la.KAnonymity(6), suppress=0.5, metric=la.Loss()
    )
    problem = la.prepare(pa.table(table), policy)
    recoding = la.Cuts(problem.names, ((4, 8), (), (5,), (2, 6, 8)))
    applied = problem.apply(recoding)
    assert applied.evaluation.suppressed
    assert math.isclose(applied.column_costs().sum(), applied.evaluation.cost, rel_tol=1e-9)


@pytest.mark.parametrize("metric", [la.Loss("geometric"), la.Discernibility(), la.ClassSize()])
def test_other_metrics_have_no_split(metric):
    for problem in wide_problems(3, seed=2):
        prepared = tiny.problem(problem, metric)
        solution = la.solve(prepared)
        if solution.recoding is not None:
            assert prepared.apply(solution.recoding).column_costs() is None
            assert costliest_columns(prepared, solution.recoding).sentence == ""


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([1.0, 5.0, 3.0, 1.0], "b (50% of the cost), c (30%), a (10%); 1 more column costs as much "
                               "as a."),
        ([2.0, 4.0, 3.0, 1.0], "b (40% of the cost), c (30%), a (20%)."),
        ([1.0] * 6, "a (17% of the cost), b (17%), c (17%); 3 more columns cost as much as c."),
        ([0.0, 1.0, 0.0, 0.001], "b (100% of the cost)."),
    ],
)  # fmt: skip
def test_the_columns_that_cost_most_in_words(costs, words):
    names = tuple("abcdef"[: len(costs)])
    assert costliest(names, np.array(costs)).sentence == f"The columns that cost most: {words}"


def test_nothing_lost_or_three_columns_name_no_column():
    assert costliest(("a", "b", "c", "d"), np.zeros(4)).sentence == ""
