"""``AlgorithmContract``: laws that every algorithm keeps."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from lookalike import api
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.limits import Limits
from lookalike.search.suitability import why_unsuitable
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Solution, Status, Stop
from lookalike.testing.small_problems import SmallProblem, claim_holds, small_problems

ROUNDING = 1e-9
RELEASES = 2  # that are made in full


class AlgorithmContract:
    """Override ``algorithm``, and ``metrics`` if none of them suits it."""

    count = 12  # random problems for each metric
    metrics: tuple[str, ...] = ("precision", "discernibility", "loss")

    @pytest.fixture
    def algorithm(self) -> Algorithm:
        raise NotImplementedError

    def solved(self, algorithm: Algorithm) -> Iterator[tuple[SmallProblem, Problem, Solution]]:
        """Each small problem that the algorithm is suited to, with its solution."""
        for metric in self.metrics:
            for small in small_problems(self.count):
                problem = small.prepare(metric=metric)
                if why_unsuitable(algorithm, problem) is None:
                    yield small, problem, api.solve(problem, algorithm)

    def test_it_has_a_name_and_a_space(self, algorithm: Algorithm) -> None:
        assert algorithm.name
        assert ":" not in algorithm.name, "options follow a colon"
        assert isinstance(algorithm.space, Space)
        names = [option.name for option in algorithm.options]
        assert len(set(names)) == len(names)

    def test_some_problem_suits_it_and_a_refusal_is_a_sentence(self, algorithm: Algorithm) -> None:
        answers = [
            why_unsuitable(algorithm, small.prepare(metric=metric))
            for metric in self.metrics
            for small in small_problems(3)
        ]
        assert None in answers
        assert all(answer is None or answer.strip() for answer in answers)

    def test_the_verifier_accepts_what_it_finds(self, algorithm: Algorithm) -> None:
        released = 0
        for small, problem, solution in self.solved(algorithm):
            if solution.recoding is None or solution.status is Status.UNMET:
                continue
            assert claim_holds(problem, solution)
            if released < RELEASES:
                assert api.release(small.table, problem, solution).certificate.passed
                released += 1

    def test_it_claims_no_more_than_brute_force_shows(self, algorithm: Algorithm) -> None:
        """Over nodes everything is known; a bound on cells holds for nodes too."""
        for small, problem, solution in self.solved(algorithm):
            if problem.policy.metric.name != "precision" or algorithm.space is Space.CUTS:
                continue
            costs = [cost for _, cost in small.nodes(problem).values()]
            least = min(costs, default=math.inf)
            assert solution.bound <= least + ROUNDING
            if algorithm.space is Space.FULL_DOMAIN and solution.status is not Status.UNMET:
                assert (solution.cost is None) or solution.cost >= least - ROUNDING
                if algorithm.exact and solution.stop is Stop.FINISHED:
                    assert solution.status is (Status.OPTIMAL if costs else Status.INFEASIBLE)
                    assert solution.cost is None or math.isclose(solution.cost, least)

    def test_the_same_seed_gives_the_same_result(self, algorithm: Algorithm) -> None:
        for _, problem, solution in self.solved(algorithm):
            again = api.solve(problem, algorithm)
            assert (again.status, again.cost, again.bound) == (
                solution.status,
                solution.cost,
                solution.bound,
            )

    def test_a_limit_leaves_an_honest_result(self, algorithm: Algorithm) -> None:
        for _, problem, solution in self.solved(algorithm):
            stopped = api.solve(problem, algorithm, Limits(checks=1))
            if solution.status is Status.OPTIMAL:
                assert solution.cost is not None
                assert stopped.bound <= solution.cost + ROUNDING
            if stopped.recoding is not None and stopped.status is not Status.UNMET:
                assert claim_holds(problem, stopped)
