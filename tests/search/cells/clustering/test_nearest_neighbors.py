"""Nearest neighbors: always a recoding that meets the policy, if there is one, and a cheap one."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
import tiny
from cell_oracle import cheapest
from effort import effort
from verified_claims import refused_claims

import lookalike as la
from lookalike.search.bounds import support_bound
from lookalike.search.cells.clustering import nearest_neighbors
from lookalike.solution.proof import By

BANDS = la.bands(2, 4, 8)


def wide_table(columns, rows, seed=0):
    """Correlated columns of 16 values."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(rows, 3))
    noisy = latent @ rng.normal(size=(3, columns)) + rng.normal(size=(rows, columns))
    return pa.table(
        {f"c{a}": np.clip((noisy[:, a] * 2 + 8).astype(int), 0, 15) for a in range(columns)}
    )


def wide_policy(columns, k=5, **more):
    names = [f"c{a}" for a in range(columns)]
    return la.Policy(
        quasi_identifiers=dict.fromkeys(names, BANDS),
        require=la.KAnonymity(k),
        metric="loss",
        **more,
    )


@pytest.mark.parametrize("parts", [2, 1 << 30])
@pytest.mark.parametrize("metric", ["precision", "loss", "loss-geometric", "entropy"])
def test_it_releases_everything_that_can_be_released(metric, parts, monkeypatch):
    """Within the levels and the limit; also if neighbors come from parts of a few rows."""
    monkeypatch.setattr(nearest_neighbors, "FIRST_PART", parts)
    monkeypatch.setattr(nearest_neighbors, "MAX_PAIRS", parts)
    some = (one for one in tiny.tiny_problems(5_000, 821) if len(one.rows) <= 9)
    for one in itertools.islice(some, effort(300)):
        problem = tiny.problem(one, tiny.METRICS[metric][0])
        solution = la.solve(problem, "nearest-neighbors")
        if cheapest(one, "precision") is None:
            assert solution.cost is None
            continue
        assert solution.cost is not None
        assert not refused_claims(problem, solution)


@pytest.mark.parametrize("metric", ["precision", "loss"])
def test_it_never_costs_less_than_the_optimum_nor_much_more(metric, monkeypatch):
    """Nor less than the nearest-rows bound, which comes from the same neighbors."""
    monkeypatch.setattr(support_bound, "MAX_SCANNED_GROUPS", -1)
    costs, least, proved = 0.0, 0.0, 0
    for one in tiny.tiny_problems(effort(800), 822):
        if len(one.rows) > 9 or (best := cheapest(one, metric)) is None:
            continue
        problem = tiny.problem(one, tiny.METRICS[metric][0])
        solution = la.solve(problem, "nearest-neighbors")
        assert solution.bound - 1e-9 <= best <= solution.cost + 1e-9
        assert not refused_claims(problem, solution)
        costs, least = costs + solution.cost, least + best
        proved += solution.proof.by is By.NEAREST_ROWS
    assert costs <= 1.25 * least
    assert proved > effort(50)


@pytest.mark.parametrize("by", ["discernibility", "classification", "class-size"])
def test_other_metrics_are_served_by_precision(by):
    for one in tiny.tiny_problems(effort(80), 823):
        problem = tiny.problem(one, tiny.METRICS[by][0])
        solution = la.solve(problem, "nearest-neighbors")
        if solution.cost is not None:
            assert not refused_claims(problem, solution)


def test_a_wide_table_costs_less_than_with_mondrian_and_has_a_bound():
    problem = la.prepare(wide_table(12, 1000), wide_policy(12, model="CG_"))
    solution = la.solve(problem)
    assert solution.algorithm == "nearest-neighbors"
    assert "nodes, too many" in solution.why
    assert solution.cost < 0.95 * la.solve(problem, "mondrian").cost
    assert solution.bound > solution.cost / 3
    assert solution.proof.by is By.NEAREST_ROWS
    assert not refused_claims(problem, solution)
    assert la.solve(problem, "mondrian").bound == solution.bound


def test_the_result_does_not_depend_on_the_order_of_groups():
    for one in tiny.tiny_problems(effort(100), 824):
        counts = tiny.counts(one)
        first, second = (
            la.solve(tiny.problem(one, la.Loss(), given=given), "nearest-neighbors")
            for given in (counts, tiny.shuffled(counts))
        )
        assert first.cost == second.cost
        assert first.bound == second.bound


def test_a_stopped_search_keeps_its_first_round_and_the_rows_compared():
    """Stopped at every look at the limits, one after another."""
    problem = la.prepare(wide_table(10, 1500), wide_policy(10))
    statuses = set()
    for looks in (0, 1, 2, 3, 5, 8):
        left = itertools.count(looks, -1)
        solution = la.solve(
            problem, "nearest-neighbors", la.Limits(cancelled=lambda left=left: next(left) < 0)
        )
        statuses.add(solution.status)
        if solution.cost is not None:
            assert solution.bound <= solution.cost
            assert not refused_claims(problem, solution)
    assert la.UNKNOWN in statuses


def test_a_large_k_is_refused_with_a_better_idea():
    problem = la.prepare(wide_table(3, 400), wide_policy(3, k=200))
    with pytest.raises(la.NotSuited, match="use mondrian"):
        la.solve(problem, "nearest-neighbors")


def test_starred_rows_must_be_enough_to_be_a_class():
    """A recoding whose suppressed rows are too few for a class is not released, and no error."""
    for one in tiny.tiny_problems(effort(400), 825):
        problem = tiny.problem(one, la.Loss(), la.Conventions(suppressed="star"))
        solution = la.solve(problem, "nearest-neighbors")
        if solution.cost is not None:
            assert not refused_claims(problem, solution)
