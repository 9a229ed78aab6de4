"""What leaving a column out would buy: estimates that brute force bounds from both sides."""

from dataclasses import replace

import pyarrow as pa
import tiny
from wide_problems import wide_problems

import lookalike as la
from lookalike.search.column_prices import cost_without


def test_a_price_is_between_the_optimum_without_the_column_and_what_the_others_cost_now():
    equal = cases = 0
    for problem in wide_problems(10, seed=3):
        prepared = tiny.problem(problem, la.Loss())
        solution = la.solve(prepared, "flash")
        if solution.recoding is None:
            continue
        costs = prepared.apply(solution.recoding).column_costs()
        weights = prepared.ground.weights
        for a in range(len(prepared.names)):
            estimate = cost_without(prepared, a, solution.recoding.levels, 400)
            others = [b for b in range(len(prepared.names)) if b != a]
            assert estimate <= costs[others].sum() + 1e-9
            best = la.solve(tiny.problem(_without(problem, a), la.Loss()), "flash").cost
            best *= 1 - weights[a]  # the cost without the column is a mean over fewer columns
            assert estimate >= best - 1e-9, problem
            cases += 1
            equal += abs(estimate - best) < 1e-9
    assert equal > 0.8 * cases > 10


def _without(problem, a):
    def drop(values):
        return [*values[:a], *values[a + 1 :]]

    return replace(
        problem,
        rows=[tuple(drop(row)) for row in problem.rows],
        hierarchies=drop(problem.hierarchies),
        weights=drop(problem.weights),
        low=tuple(drop(problem.low)),
        high=tuple(drop(problem.high)),
    )


def _wide(columns):
    names = [f"c{a}" for a in range(columns)]
    table = pa.table({name: [n * (a + 3) % 7 for n in range(90)] for a, name in enumerate(names)})
    policy = la.Policy(
        quasi_identifiers=dict.fromkeys(names, la.bands(2, 4)), require=la.KAnonymity(3)
    )
    return la.prepare(table, policy)


def test_explain_names_three_columns_of_a_wide_table_and_none_of_a_narrow_one():
    explained = la.explain(_wide(9))
    prices = explained.prices.prices
    assert len(prices) == 3
    assert all(0 <= price.cost_without <= explained.prices.cost for price in prices)
    assert [price.cost_without for price in prices] == sorted(p.cost_without for p in prices)
    assert la.explain(_wide(9)).prices == explained.prices  # the same on every machine
    assert la.explain(_wide(8)).prices is None
    assert la.explain(_wide(9), "mondrian").prices is None
