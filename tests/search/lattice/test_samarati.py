"""Samarati's algorithm finds the least height, and with ``every`` all k-minimal nodes."""

import oracle
import pytest
import tiny
from effort import effort
from lattice_cases import enumerate_by_oracle, listed_nodes
from verified_claims import refused_claims

import lookalike as la

PROBLEMS = effort(2_400)
CHUNKS = 8


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_it_equals_exhaustive_enumeration(chunk):
    for problem in tiny.tiny_problems(PROBLEMS // CHUNKS, seed=4000 + chunk):
        prepared = tiny.problem(problem, la.Loss())
        feasible, minimal = enumerate_by_oracle(problem)
        lowest, every = (la.solve(prepared, la.Samarati(every=all)) for all in (False, True))
        for solution in (lowest, every):
            assert not refused_claims(prepared, solution), problem
        if not feasible:
            assert {lowest.status, every.status} == {la.INFEASIBLE}
            continue
        height = min(map(sum, feasible))
        assert height == oracle.samarati_height(
            problem.rows, problem.hierarchies, problem.k, problem.allowance, problem.low,
            problem.high,
        )  # fmt: skip
        assert listed_nodes(lowest) == {node for node in feasible if sum(node) == height}
        assert listed_nodes(every) == minimal


def preferred_by(preference, problem, node):
    """What the preference makes least."""
    rows, trees, k = problem.rows, problem.hierarchies, problem.k
    if preference == "absolute-distance":
        return sum(node)
    if preference == "relative-distance":
        return sum(a / height for a, height in zip(node, oracle.heights(trees), strict=True))
    if preference == "distribution":
        return -len(oracle.kept_classes(rows, trees, node, k))
    return len(oracle.suppressed(rows, trees, node, k))


@pytest.mark.parametrize(
    "preference", ["absolute-distance", "relative-distance", "distribution", "suppression"]
)
def test_preferences_choose_what_they_say(preference):
    seen = 0
    for problem in tiny.tiny_problems(120, seed=21):
        prepared = tiny.problem(problem, la.Loss())
        solution = la.solve(prepared, la.Samarati(preference, every=True))
        if solution.recoding is None or not solution.alternatives:
            continue
        seen += 1
        nodes = [solution.recoding.levels, *(other.levels for other in solution.alternatives)]
        values = [preferred_by(preference, problem, node) for node in nodes]
        assert values[0] == pytest.approx(min(values))
    assert seen > 5
