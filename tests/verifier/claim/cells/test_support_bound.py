"""The bound at cell level: what each row costs in any class."""

import random
from dataclasses import replace

import pytest
import tiny
from cell_maps import from_lots, random_lots
from effort import effort

import lookalike as la
from lookalike.search.bounds.cell_layout import lay_out
from lookalike.search.bounds.support_bound import support_bound
from lookalike.solution.proof import By
from lookalike.verifier.claim.cells import support_bound as verifiers
from lookalike.verifier.claim.metrics import costing_for
from lookalike.verifier.counted_original import CountedOriginal


@pytest.mark.parametrize("model", [None, "CG_", "AG_CS", "CS"])
def test_the_bound_by_support_is_below_every_cell_level_recoding(model):
    """Random and greedy recodings never cost less, also where stars lie outside the levels."""
    told = 0
    for number, one in enumerate(tiny.tiny_problems(effort(360), 77)):
        policy = replace(tiny.policy(one, la.Precision()), suppress=0)
        levels = {} if model == "CS" else policy.levels
        if model == "AG_CS":
            levels = dict.fromkeys(policy.names, (0, 0))
        problem = la.prepare(tiny.table(one), replace(policy, levels=levels, model=model))
        by = la.Mondrian() if model in (None, "CG_") else la.StarCells()
        solution = la.solve(problem, by)
        told += solution.proof.by is By.SUPPORT_BOUND
        if solution.cost is not None:
            assert solution.bound <= solution.cost
        if not levels:
            for draw in range(3):
                lots = random_lots(problem, random.Random(number + draw))
                cost = problem.evaluate(from_lots(problem, lots)).cost
                assert solution.bound <= cost + 1e-9
    assert told > 10


@pytest.mark.parametrize("metric", [la.Precision(), la.Loss(), la.Entropy()])
def test_parts_given_up_early_lower_nobody(metric):
    """The search gives parts up; the verifier counts every node. They agree to the last digits."""
    told = set()
    for one in tiny.tiny_problems(effort(600), 78):
        problem = tiny.problem(one, metric)
        mine = support_bound(lay_out(problem))
        counts, tables, policy = problem.counts, problem.tables, problem.policy
        original = CountedOriginal(counts, tables, policy)
        ground = verifiers.lay_out(original, costing_for(original))
        theirs = verifiers.support_bound(ground) / counts.rows
        assert mine == pytest.approx(theirs, abs=1e-12)
        told.add(mine)
    assert len(told) > 30
