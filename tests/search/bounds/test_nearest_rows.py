"""The nearest-rows bound: as defined, below the optimum; the verifier refuses forged prices."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
import tiny
from cell_maps import from_lots, random_lots
from cell_oracle import _prices, cheapest
from effort import effort
from verified_claims import refused_claims

import lookalike as la
from lookalike.search.bounds import nearest_rows, support_bound
from lookalike.solution import solution_file as file
from lookalike.solution.proof import By, DualPrices


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """Every lattice is too large to count."""
    monkeypatch.setattr(support_bound, "MAX_SCANNED_GROUPS", -1)


def by_definition(one, metric):
    """From single rows: each pays for company with its (k − 1)-th nearest row, 1 if it has none."""
    total = sum(one.weights)
    priced = [
        [_prices(one, a, row[a], metric) for a in range(len(one.hierarchies))] for row in one.rows
    ]
    paid = 0.0
    for i, own in enumerate(priced):
        losses = sorted(
            sum(
                weight * min((own[a][label] for label in own[a] if label in other[a]), default=9e9)
                for a, weight in enumerate(one.weights)
            )
            for j, other in enumerate(priced)
            if j != i
        )
        paid += min(1.0, losses[one.k - 2] / total)
    return paid / len(one.rows)


@pytest.mark.parametrize("metric", ["precision", "loss"])
def test_it_is_what_its_definition_says_and_below_the_optimum(metric):
    proved = 0
    for one in tiny.tiny_problems(effort(600), 811):
        problem = tiny.problem(one, tiny.METRICS[metric][0])
        solution = la.solve(problem, "mondrian")
        expected = by_definition(one, metric)
        if solution.cost is None:
            continue
        assert solution.bound == pytest.approx(min(expected, solution.cost), abs=1e-9)
        if len(one.rows) <= 9 and (least := cheapest(one, metric)) is not None:
            assert expected <= least + 1e-9
        assert not refused_claims(problem, solution)
        proved += solution.proof.by is By.NEAREST_ROWS
    assert proved > effort(100)


@pytest.mark.parametrize("metric", ["entropy", "loss-geometric"])
@pytest.mark.parametrize("conventions", [{}, {"stars": "wildcard"}, {"suppressed": "star"}])
def test_no_recoding_costs_less_by_other_metrics(metric, conventions):
    proved = 0
    for number, one in enumerate(tiny.tiny_problems(effort(240), 812)):
        problem = tiny.problem(one, tiny.METRICS[metric][0], la.Conventions(**conventions))
        solution = la.solve(problem, "mondrian")
        if solution.cost is None:
            continue
        assert not refused_claims(problem, solution)
        proved += solution.proof.by is By.NEAREST_ROWS
        for draw in range(4):
            lots = random_lots(problem, random.Random(number + draw))
            evaluation = problem.evaluate(from_lots(problem, lots))
            if evaluation.meets:
                assert solution.bound <= evaluation.cost + 1e-9
    assert proved > effort(40)


@pytest.mark.parametrize("metric", ["discernibility", "classification", "class-size"])
def test_metrics_that_do_not_add_up_cells_have_no_such_bound(metric):
    for one in tiny.tiny_problems(10, 813):
        problem = tiny.problem(one, tiny.METRICS[metric][0])
        assert la.solve(problem, "mondrian").proof.by is By.NODES


def forged_prices(first, rng):
    yield first + 0.05 + rng.random()
    raised = first.copy()
    raised[rng.randrange(len(raised))] += 0.5
    yield raised
    yield first * 2 + 0.01
    yield np.ones_like(first)
    yield first[::-1] + 0.05
    yield np.full_like(first, np.inf)
    yield np.full_like(first, np.nan)
    yield first[:-1]
    yield np.append(first, 1.0)


def test_forged_prices_are_refused():
    """The claim is raised above the bound by definition; no prices can support it."""
    rng = random.Random(3)
    refused = 0
    for one in tiny.tiny_problems(effort(800), 814):
        problem = tiny.problem(one, la.Loss())
        solution = la.solve(problem, "mondrian")
        if solution.proof.by is not By.NEAREST_ROWS or solution.status is not la.FEASIBLE:
            continue
        (prices,) = solution.proof.prices
        more = replace(solution, bound=by_definition(one, "loss") + 1e-4)
        proofs = [
            replace(more.proof, prices=(DualPrices(forged, suppression),))
            for forged, suppression in itertools.product(
                forged_prices(prices.per_row, rng), (0, -9)
            )
        ]
        proofs += [replace(more.proof, prices=()), replace(more.proof, prices=(prices, prices))]
        proofs += [more.proof, replace(more.proof, by=By.NODES)]
        for proof in proofs:
            assert refused_claims(problem, replace(more, proof=proof))
            refused += 1
    assert refused > effort(1000)


def test_lower_prices_prove_a_lower_bound_and_survive_a_file():
    one = next(
        one
        for one in tiny.tiny_problems(100, 815)
        if la.solve(tiny.problem(one, la.Loss()), "mondrian").proof.by is By.NEAREST_ROWS
    )
    problem = tiny.problem(one, la.Loss())
    solution = file.loads(file.dumps(la.solve(problem, "mondrian")))
    assert not refused_claims(problem, solution)
    (prices,) = solution.proof.prices
    half = replace(solution.proof, prices=(DualPrices(prices.per_row / 2),))
    assert refused_claims(problem, replace(solution, proof=half))
    if solution.status is not la.OPTIMAL:
        assert not refused_claims(problem, replace(solution, proof=half, bound=solution.bound / 2))


def test_rows_that_were_not_compared_lower_the_bound_and_it_stays_true(monkeypatch):
    """At the limit of pairs, or stopped in between."""
    stopped = 0
    for one in tiny.tiny_problems(effort(300), 816):
        problem = tiny.problem(one, la.Loss())
        monkeypatch.setattr(nearest_rows, "MAX_PAIRS", 1 << 32)
        whole = la.solve(problem, "mondrian")
        monkeypatch.setattr(nearest_rows, "MAX_PAIRS", 3 * problem.groups)
        part = la.solve(problem, "mondrian")
        assert part.bound <= whole.bound
        if part.cost is None:
            continue
        assert not refused_claims(problem, part)
        stopped += 0 < part.bound < whole.bound
    assert stopped > effort(40)
