"""Exact searches equal brute force by an oracle that shares no code with them; proofs verify."""

import math

import oracle
import pytest
import tiny
from effort import effort

import lookalike as la
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal

PROBLEMS = effort(2_000)
CHUNKS = 16


def agrees(solution, best, nodes):
    if best is None:
        return solution.status is la.INFEASIBLE
    return (
        solution.status is la.OPTIMAL
        and solution.recoding.levels in nodes
        and math.isclose(solution.cost, float(best), rel_tol=1e-9, abs_tol=1e-9)
    )


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_exact_searches_equal_brute_force_and_every_proof_verifies(chunk):
    for problem in tiny.tiny_problems(PROBLEMS // CHUNKS, seed=1000 + chunk):
        counted = tiny.counts(problem)
        for name, (metric, cost) in tiny.METRICS.items():
            prepared = tiny.problem(problem, metric, given=counted)
            best, nodes = problem.best(cost)
            flash = la.solve(prepared, la.Flash())
            assert agrees(flash, best, nodes), (name, problem)
            mingen = la.solve(prepared, la.MinGen())
            assert agrees(mingen, best, nodes), (name, problem)
            if best is not None:
                listed = {mingen.recoding, *mingen.alternatives}
                assert {levels.levels for levels in listed} == set(nodes), (name, problem)
            findings = check_claim(
                CountedOriginal(prepared.counts, prepared.tables, prepared.policy), flash
            )
            assert all(finding.holds for finding in findings), (name, problem, findings)


def test_a_heuristic_meets_the_policy_and_its_bound_is_sound():
    for problem in tiny.tiny_problems(effort(600), seed=5):
        for name, (metric, cost) in tiny.METRICS.items():
            prepared = tiny.problem(problem, metric)
            solution = la.solve(prepared, la.Datafly())
            best, _ = problem.best(cost)
            if solution.recoding is not None:
                assert problem.feasible(solution.recoding.levels)
                assert solution.bound <= float(best) + 1e-9, (name, problem)
                assert solution.cost >= float(best) - 1e-9
            findings = check_claim(
                CountedOriginal(prepared.counts, prepared.tables, prepared.policy), solution
            )
            assert all(finding.holds for finding in findings), (name, problem, findings)


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
            findings = check_claim(
                CountedOriginal(prepared.counts, prepared.tables, prepared.policy), solution
            )
            assert all(finding.holds for finding in findings), (name, problem, findings)


def test_mingen_prefers_as_it_is_told():
    seen = 0
    for problem in tiny.tiny_problems(effort(4_800), seed=77):
        best, nodes = problem.best(oracle.height_cost)
        if best is None or len(nodes) < 2:
            continue
        seen += 1
        prepared = tiny.problem(problem, la.Height())
        last = la.solve(prepared, la.MinGen(preferred=lambda all: max(all, key=lambda e: e.levels)))
        assert last.recoding.levels == max(nodes)
        fewest = la.solve(prepared, la.MinGen(preferred="fewest-suppressed"))
        least = min(
            len(oracle.suppressed(problem.rows, problem.hierarchies, node, problem.k))
            for node in nodes
        )
        assert fewest.suppressed == least
    assert seen > 10
