"""The survey's hybrid finds the same nodes of the least height as exhaustive enumeration."""

import pytest
import tiny
from effort import effort
from lattice_cases import enumerate_by_oracle, listed_nodes
from verified_claims import refused_claims

import lookalike as la

PROBLEMS = effort(2_400)
CHUNKS = 8


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_it_finds_every_node_of_the_least_height(chunk):
    for problem in tiny.tiny_problems(PROBLEMS // CHUNKS, seed=4000 + chunk):
        prepared = tiny.problem(problem, la.Loss())
        feasible, _ = enumerate_by_oracle(problem)
        solution = la.solve(prepared, la.Hybrid())
        assert not refused_claims(prepared, solution), problem
        if feasible:
            height = min(map(sum, feasible))
            assert listed_nodes(solution) == {node for node in feasible if sum(node) == height}
        else:
            assert solution.recoding is None
