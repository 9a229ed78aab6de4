"""The exact cell-level search: equal to trying everything, and proved to the verifier."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from cell_oracle import cheapest

import lookalike as la
import tiny
from effort import effort
from lookalike.search.cell_optimal import CellOptimal
from lookalike.solution.proof import By
from lookalike.verifier.optimality import check_claim

METRICS = {"precision": la.Precision(), "loss": la.Loss()}


@pytest.mark.parametrize("metric", METRICS)
def test_it_finds_what_trying_everything_finds_and_proves_it(metric):
    """Random tables of up to 10 rows (14 if thorough), k 2 to 4, limits, weights, level bounds."""
    kinds: dict[By, int] = {}
    some = (one for one in tiny.tiny_problems(10_000, 501) if len(one.rows) <= effort(24) // 2)
    for one in itertools.islice(some, effort(500)):
        problem = tiny.problem(one, METRICS[metric])
        solution = la.solve(problem, CellOptimal())
        least = cheapest(one, metric)
        if least is None:
            assert solution.cost is None
            continue
        assert solution.status is la.OPTIMAL
        assert solution.cost == pytest.approx(least, abs=1e-9)
        findings = check_claim(problem.counts, problem.tables, problem.policy, solution)
        assert all(finding.holds for finding in findings), (findings, one)
        kinds[solution.proof.by] = kinds.get(solution.proof.by, 0) + 1
        too_much = replace(solution, cost=solution.cost + 0.001, bound=solution.cost + 0.001)
        assert not all(
            f.holds for f in check_claim(problem.counts, problem.tables, problem.policy, too_much)
        )
    assert kinds[By.CHARGED] > 10
    assert kinds[By.EXHAUSTED] > 10
