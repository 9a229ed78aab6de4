"""Lattice greedy: always a recoding that meets the policy, if there is one."""

from __future__ import annotations

import itertools

import pytest
import tiny
from cell_oracle import cheapest
from effort import effort

import lookalike as la
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal


@pytest.mark.parametrize("metric", [la.Precision(), la.Loss(), la.Loss(aggregate="geometric")])
def test_it_releases_everything_that_can_be_released(metric):
    """Within the levels and the limit; the verifier accepts cost and bound."""
    bounded = 0
    some = (one for one in tiny.tiny_problems(5_000, 601) if len(one.rows) <= 9)
    for one in itertools.islice(some, effort(300)):
        problem = tiny.problem(one, metric)
        solution = la.solve(problem, "lattice-greedy")
        if cheapest(one, "precision") is None:
            assert solution.cost is None
            continue
        assert solution.cost is not None
        assert solution.bound <= solution.cost + 1e-12
        findings = check_claim(
            CountedOriginal(problem.counts, problem.tables, problem.policy), solution
        )
        assert all(finding.holds for finding in findings), findings
        bounded += solution.bound > 0
    assert bounded > 20


def test_it_never_costs_less_than_the_optimum_nor_much_more():
    costs, least = 0.0, 0.0
    for one in tiny.tiny_problems(effort(300), 602):
        if len(one.rows) > 10 or (best := cheapest(one, "loss")) is None:
            continue
        cost = la.solve(tiny.problem(one, la.Loss()), "lattice-greedy").cost
        assert cost >= best - 1e-9
        costs, least = costs + cost, least + best
    assert costs <= 1.25 * least


@pytest.mark.parametrize("by", ["lattice-greedy", "mondrian"])
def test_where_stars_are_wildcards_rows_starred_throughout_may_be_alone(by):
    for one in tiny.tiny_problems(effort(150), 603):
        problem = tiny.problem(one, la.Precision(), la.Conventions(stars="wildcard"))
        solution = la.solve(problem, by)
        if solution.cost is not None:
            findings = check_claim(
                CountedOriginal(problem.counts, problem.tables, problem.policy), solution
            )
            assert all(finding.holds for finding in findings), findings
