"""The large-neighborhood search meets the policy, repeats itself, and is usually optimal."""

import tiny
from effort import effort
from wide_problems import wide_problems

import lookalike as la


def test_it_meets_the_policy_and_is_usually_optimal():
    problems = list(wide_problems(effort(240), seed=31))
    optimal = 0
    for problem in problems:
        prepared = tiny.problem(problem, la.Loss())
        solution = la.solve(prepared, la.LargeNeighborhood(idle=50))
        best = la.solve(prepared, la.Flash())
        if best.cost is None:
            assert solution.cost is None
            optimal += 1
            continue
        assert solution.cost >= best.cost - 1e-9
        assert prepared.evaluate_node(solution.recoding.levels).meets
        optimal += solution.cost <= best.cost + 1e-9
    assert optimal >= 0.9 * len(problems)


def test_the_same_seed_finds_the_same():
    prepared = tiny.problem(next(wide_problems(1, seed=32)), la.Loss())
    first, second = (la.solve(prepared, "large-neighborhood:idle=20", seed=4) for _ in range(2))
    assert (first.recoding, first.checks) == (second.recoding, second.checks)
