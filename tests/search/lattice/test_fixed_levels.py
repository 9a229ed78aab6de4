"""Fixed levels: the given node or nothing, with the bound of an exact search."""

import pytest
import tiny
from effort import effort
from verified_claims import refused_claims

import lookalike as la
from lookalike.search.lattice.fixed_levels import FixedLevels


def test_the_result_is_the_given_node_with_a_bound_that_verifies():
    released = 0
    for problem in tiny.tiny_problems(effort(400), seed=31):
        for name, (metric, cost) in tiny.METRICS.items():
            prepared = tiny.problem(problem, metric)
            solution = la.solve(prepared, FixedLevels(prepared.high))
            assert not refused_claims(prepared, solution), (name, problem)
            if not prepared.evaluate_node(prepared.high).meets:
                assert solution.recoding is None
                continue
            released += 1
            best, _ = problem.best(cost)
            assert solution.recoding.levels == prepared.high
            assert solution.bound <= float(best) + 1e-9
            assert (solution.status is la.OPTIMAL) == (solution.cost <= float(best) + 1e-9)
    assert released > 20


def test_levels_that_are_not_of_this_problem_are_refused():
    prepared = tiny.problem(next(tiny.tiny_problems(1, seed=1)), la.Loss())
    with pytest.raises(la.NotSuited, match="it recodes"):
        la.solve(prepared, FixedLevels((0,) * (len(prepared.names) + 1)))
    with pytest.raises(la.NotSuited, match="the policy now allows"):
        la.solve(prepared, FixedLevels(tuple(high + 1 for high in prepared.high)))
    with pytest.raises(la.PolicyError, match="not a whole number of 0 or more"):
        FixedLevels((-1,))
