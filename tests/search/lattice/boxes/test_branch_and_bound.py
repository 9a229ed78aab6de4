"""Branch and bound equals brute force and flash; every proof verifies; a stopped one too."""

import math
from dataclasses import replace

import pytest
import tiny
from effort import THOROUGH, effort
from lattice_cases import is_optimum
from verified_claims import refused_claims
from wide_problems import wide_problems

import lookalike as la
from lookalike.solution import solution_file

CHUNKS = 100 if THOROUGH else 4
TINY = WIDE = (1_000 if THOROUGH else 24) // CHUNKS


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_it_equals_brute_force_and_every_proof_verifies(chunk):
    for problem in tiny.tiny_problems(TINY, seed=3000 + chunk):
        counted = tiny.counts(problem)
        for name, (metric, cost) in tiny.METRICS.items():
            prepared = tiny.problem(problem, metric, given=counted)
            solution = la.solve(prepared, la.BranchAndBound())
            assert is_optimum(solution, *problem.best(cost)), (name, problem)
            assert not refused_claims(prepared, solution), (name, problem)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_it_equals_flash_on_up_to_seven_columns(chunk):
    for problem in wide_problems(WIDE, seed=4000 + chunk):
        counted = tiny.counts(problem)
        for name, (metric, _) in tiny.METRICS.items():
            prepared = tiny.problem(problem, metric, given=counted)
            solution = la.solve(prepared, la.BranchAndBound())
            expected = la.solve(prepared, la.Flash())
            assert solution.status is expected.status, (name, problem)
            if expected.cost is not None:
                assert math.isclose(solution.cost, expected.cost, rel_tol=1e-9), (name, problem)
            assert not refused_claims(prepared, solution), (name, problem)


@pytest.mark.parametrize("checks", [0, 1, 5, 20, 60, 150])
def test_a_stopped_search_has_a_bound_that_verifies(checks):
    for problem in wide_problems(4, seed=checks):
        for name in ("loss", "precision", "discernibility"):
            prepared = tiny.problem(problem, tiny.METRICS[name][0])
            solution = la.solve(prepared, la.BranchAndBound(), la.Limits(checks=checks))
            best = la.solve(prepared, la.Flash())
            if best.cost is not None:
                assert solution.bound <= best.cost + 1e-9, (name, problem)
            assert not refused_claims(prepared, solution), (name, problem)


@pytest.mark.parametrize("conventions", [
    la.Conventions(suppressed="star"), la.Conventions(suppressed="star", stars="wildcard"),
])  # fmt: skip
def test_starred_rows(conventions):
    for problem in tiny.tiny_problems(effort(160), seed=7):
        for name in ("loss", "class-size"):
            prepared = tiny.problem(problem, tiny.METRICS[name][0], conventions)
            solution = la.solve(prepared, la.BranchAndBound())
            expected = la.solve(prepared, la.Flash())
            assert (solution.status, solution.cost) == (expected.status, expected.cost), problem
            assert not refused_claims(prepared, solution), (name, problem)


@pytest.mark.parametrize("rule", [
    la.DistinctDiversity("label", 2), la.EntropyDiversity("label", 1.5),
    la.TCloseness("label", 0.4),
])  # fmt: skip
@pytest.mark.parametrize("metric", ["loss", "discernibility"])
def test_requirements_beyond_size(rule, metric):
    for problem in wide_problems(effort(32), seed=11):
        prepared = tiny.problem(problem, tiny.METRICS[metric][0])
        policy = replace(prepared.policy, require=(la.KAnonymity(problem.k), rule))
        prepared = la.prepare(tiny.table(problem), policy)
        solution = la.solve(prepared, la.BranchAndBound())
        expected = la.solve(prepared, la.Flash())
        assert (solution.status, solution.cost) == (expected.status, expected.cost), problem
        assert not refused_claims(prepared, solution), problem


def test_a_proof_survives_its_file():
    problem = next(wide_problems(1, seed=5))
    prepared = tiny.problem(problem, la.Loss())
    solution = la.solve(prepared, la.BranchAndBound())
    again = solution_file.loads(solution_file.dumps(solution))
    assert again.proof.nodes == solution.proof.nodes
    assert again.proof.boxes.tokens.tolist() == solution.proof.boxes.tokens.tolist()
    assert not refused_claims(prepared, again)


def test_the_bound_rises_while_it_runs():
    problem = next(p for p in wide_problems(30, seed=6) if len(p.rows) > 50)
    events = []
    la.solve(tiny.problem(problem, la.Loss()), la.BranchAndBound(), observer=events.append)
    bounds = [event.bound for event in events if isinstance(event, la.Tick)]
    assert bounds == sorted(bounds)
    assert len(set(bounds)) > 1
