"""MinGen equals brute force by the oracle, lists every optimum, and prefers as it was asked."""

import oracle
import pytest
import tiny
from effort import effort
from lattice_cases import is_optimum, listed_nodes

import lookalike as la

PROBLEMS = effort(2_000)
CHUNKS = 16


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_it_equals_brute_force_and_lists_every_optimum(chunk):
    for problem in tiny.tiny_problems(PROBLEMS // CHUNKS, seed=1000 + chunk):
        counted = tiny.counts(problem)
        for name, (metric, cost) in tiny.METRICS.items():
            best, nodes = problem.best(cost)
            solution = la.solve(tiny.problem(problem, metric, given=counted), la.MinGen())
            assert is_optimum(solution, best, nodes), (name, problem)
            if best is not None:
                assert listed_nodes(solution) == set(nodes), (name, problem)


def test_it_prefers_what_it_was_asked_to():
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
