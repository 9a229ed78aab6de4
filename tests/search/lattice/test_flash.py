"""Flash equals brute force by an oracle that shares no code with it; its proofs verify."""

import pytest
import tiny
from effort import effort
from lattice_cases import is_optimum
from verified_claims import refused_claims

import lookalike as la

PROBLEMS = effort(2_000)
CHUNKS = 16


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_it_equals_brute_force_and_every_proof_verifies(chunk):
    for problem in tiny.tiny_problems(PROBLEMS // CHUNKS, seed=1000 + chunk):
        counted = tiny.counts(problem)
        for name, (metric, cost) in tiny.METRICS.items():
            prepared = tiny.problem(problem, metric, given=counted)
            solution = la.solve(prepared, la.Flash())
            assert is_optimum(solution, *problem.best(cost)), (name, problem)
            assert not refused_claims(prepared, solution), (name, problem)


@pytest.mark.parametrize("checks", [0, 1, 2, 3, 5, 9])
def test_a_stopped_search_is_feasible_or_unknown_with_a_bound_that_verifies(checks):
    for problem in tiny.tiny_problems(40, seed=checks):
        for name, (metric, cost) in tiny.METRICS.items():
            prepared = tiny.problem(problem, metric)
            solution = la.solve(prepared, la.Flash(), la.Limits(checks=checks))
            best, _ = problem.best(cost)
            assert solution.checks <= checks
            if best is not None:
                assert solution.status is not la.INFEASIBLE
                assert solution.bound <= float(best) + 1e-9, (name, problem)
            if solution.stop is la.Stop.CHECKS and solution.cost is not None:
                assert 0 <= solution.gap <= 1
            assert not refused_claims(prepared, solution), (name, problem)
