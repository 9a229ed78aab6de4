"""``MetricContract``: laws that every metric keeps."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from lookalike import api
from lookalike.cost.metric import Metric
from lookalike.policy.metric_names import metric_from, metric_to
from lookalike.problem.evaluation import Evaluation
from lookalike.problem.problem import Problem
from lookalike.search.lattice.fixed_levels import FixedLevels
from lookalike.testing.small_problems import Node, SmallProblem, claim_holds, small_problems

ROUNDING = 1e-9


class MetricContract:
    """Override ``metric``; a class column, if it needs one, is ``ill``."""

    count = 12  # random problems

    @pytest.fixture
    def metric(self) -> Metric:
        raise NotImplementedError

    def problems(self, metric: Metric) -> Iterator[tuple[SmallProblem, Problem]]:
        for small in small_problems(self.count):
            yield small, small.prepare(metric=metric)

    def test_a_policy_file_can_name_it(self, metric: Metric) -> None:
        assert metric_from(metric_to(metric)) == metric

    def test_costs_are_numbers_from_0_up_with_a_sentence(self, metric: Metric) -> None:
        for _, problem in self.problems(metric):
            for evaluation in _nodes(problem).values():
                assert evaluation.cost >= 0
                assert metric.sentence(evaluation.cost).strip()

    def test_bounds_hold_for_finer_and_coarser_nodes(self, metric: Metric) -> None:
        """score(v) ≥ base(u) + extra(w) for counted u ≤ v ≤ w, and never below the prior."""
        for _, problem in self.problems(metric):
            nodes, costing = _nodes(problem), problem.costing
            for v, evaluation in nodes.items():
                if not evaluation.meets:
                    continue
                prior = sum(float(costing.prior[a, level]) for a, level in enumerate(v))
                coarser = [_facts(nodes[w]) for w in nodes if _finer(v, w)]
                extra = max(
                    sum(float(facts.extra[a, level]) for a, level in enumerate(v))
                    for facts in coarser
                )
                base = max([prior, *(_facts(nodes[u]).base for u in nodes if _finer(u, v))])
                bound = costing.value(base + max(0.0, extra))
                assert evaluation.cost >= bound - ROUNDING * max(1.0, abs(bound)), v

    def test_the_verifier_recomputes_the_same_cost(self, metric: Metric) -> None:
        for _, problem in self.problems(metric):
            for node, evaluation in _nodes(problem).items():
                if evaluation.meets:
                    assert claim_holds(problem, api.solve(problem, FixedLevels(node)))

    def test_an_exact_search_agrees_with_the_enumeration_of_all_nodes(self, metric: Metric) -> None:
        for _, problem in self.problems(metric):
            flash, every = (api.solve(problem, by) for by in ("flash", "mingen"))
            assert flash.status is every.status
            assert flash.cost == pytest.approx(every.cost)

    def test_cells_cost_the_same_to_search_and_verifier(self, metric: Metric) -> None:
        if not metric.for_cells:
            pytest.skip("the metric is not defined for cells")
        solved = [
            (small, problem, api.solve(problem, "mondrian"))
            for small, problem in self.problems(metric)
        ]
        solved = [entry for entry in solved if entry[2].recoding is not None]
        assert all(claim_holds(problem, solution) for _, problem, solution in solved)
        for small, problem, solution in solved[:1]:
            assert api.release(small.table, problem, solution).certificate.passed


def _nodes(problem: Problem) -> dict[Node, Evaluation]:
    levels = [range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True)]
    return {node: problem.evaluate_node(node) for node in itertools.product(*levels)}


def _facts(evaluation: Evaluation):  # type: ignore[no-untyped-def]
    assert evaluation.node is not None
    return evaluation.node.cost


def _finer(one: Node, other: Node) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))
