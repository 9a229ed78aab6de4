"""Incognito finds every full-domain recoding that meets the policy, and so the cheapest."""

import math

import oracle
import pytest
import tiny
from effort import effort
from lattice_cases import enumerate_by_oracle
from verified_claims import refused_claims

import lookalike as la

PROBLEMS = effort(2_400)
CHUNKS = 8


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_it_equals_exhaustive_enumeration(chunk):
    for problem in tiny.tiny_problems(PROBLEMS // CHUNKS, seed=4000 + chunk):
        prepared = tiny.problem(problem, la.Loss())
        feasible, minimal = enumerate_by_oracle(problem)
        found = la.k_anonymous_generalizations(prepared)
        assert {one.recoding.levels for one in found} == feasible
        assert {one.recoding.levels for one in found if one.minimal} == minimal

        basic = la.solve(prepared, la.Incognito(super_roots=False))
        assert not refused_claims(prepared, basic), problem
        if not feasible:
            assert basic.status is la.INFEASIBLE
            continue
        best, _ = problem.best(oracle.loss_cost)
        assert basic.status is la.OPTIMAL
        assert math.isclose(basic.cost, float(best), rel_tol=1e-9, abs_tol=1e-9)
