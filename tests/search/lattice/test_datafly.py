"""Datafly meets the policy, never costs less than the optimum, and its bound verifies."""

import tiny
from effort import effort
from verified_claims import refused_claims

import lookalike as la


def test_it_meets_the_policy_and_its_bound_is_sound():
    for problem in tiny.tiny_problems(effort(600), seed=5):
        for name, (metric, cost) in tiny.METRICS.items():
            prepared = tiny.problem(problem, metric)
            solution = la.solve(prepared, la.Datafly())
            best, _ = problem.best(cost)
            if solution.recoding is not None:
                assert problem.feasible(solution.recoding.levels)
                assert solution.bound <= float(best) + 1e-9, (name, problem)
                assert solution.cost >= float(best) - 1e-9
            assert not refused_claims(prepared, solution), (name, problem)
