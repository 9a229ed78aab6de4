"""Proofs by dual prices: tampered ones are refused, and so are labels on two levels."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import tiny
from cell_oracle import cheapest
from effort import effort

import lookalike as la
from lookalike.solution import solution_file as file
from lookalike.solution.proof import By, DualPrices
from lookalike.solution.recoding import CellMap
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal

# a group has the name of one of its values: a cell "other" looks like a cell made "other"
NAMED_ALIKE = [("other", "other", "*"), ("foo", "other", "*"), ("bar", "baz", "*")]


def holds(problem, solution):
    found = check_claim(CountedOriginal(problem.counts, problem.tables, problem.policy), solution)
    return all(finding.holds for finding in found)


def tampered(solution, rng):
    """Claims that are not true any more, and whether the claim itself grew."""
    first = solution.proof.prices[0]
    gap = 0.002 + rng.random() * 0.1
    more = replace(solution, cost=solution.cost + gap, bound=solution.cost + gap)
    raised = DualPrices(first.per_row + rng.random(), first.suppression)
    yield more
    for prices in (
        (raised,),
        (DualPrices(first.per_row * 2 + 1, first.suppression), *solution.proof.prices[1:]),
        (DualPrices(np.full_like(first.per_row, np.inf), first.suppression),),
        (DualPrices(np.full_like(first.per_row, np.nan), first.suppression),),
        (DualPrices(first.per_row[:-1], first.suppression),),
        (DualPrices(first.per_row, -1.0),),
        (first, DualPrices(first.per_row + 5, 0.0)),
        (first, DualPrices(first.per_row, 0.0, np.array([[0, 0, 0]]), np.array([50.0]))),
        (first, DualPrices(first.per_row + 1, 0.0, np.array([[0, 1, 2]]), np.array([-50.0]))),
        (),
    ):
        yield replace(more, proof=replace(more.proof, prices=prices))
    yield replace(more, proof=replace(more.proof, by=By.SUPPORT_BOUND))
    yield replace(more, proof=replace(more.proof, by=By.DUAL_PRICES))


def test_tampered_proofs_are_refused():
    """The claim is raised above the optimum; no tampering with the prices can support it."""
    rng = random.Random(9)
    refused = 0
    some = (one for one in tiny.tiny_problems(10_000, 701) if 3 <= len(one.rows) <= 9)
    for one in itertools.islice(some, effort(400)):
        if cheapest(one, "precision") is None:
            continue
        problem = tiny.problem(one, la.Precision())
        solution = la.solve(problem, "cell-optimal")
        if not solution.proof.prices:
            continue
        assert holds(problem, solution)
        for false in tampered(solution, rng):
            assert not holds(problem, false)
            refused += 1
    assert refused >= 300


def test_a_proof_survives_its_file():
    one = next(p for p in tiny.tiny_problems(100, 702) if cheapest(p, "precision"))
    problem = tiny.problem(one, la.Precision())
    solution = la.solve(problem, "cell-optimal")
    again = file.loads(file.dumps(solution))
    assert holds(problem, again)
    assert np.array_equal(again.proof.prices[0].per_row, solution.proof.prices[0].per_row)


@pytest.mark.parametrize("by", ["mondrian", "lattice-greedy", "cell-optimal"])
def test_a_group_named_like_a_value_raises_no_bound(by):
    policy = la.Policy(quasi_identifiers={"a": la.tree(NAMED_ALIKE)}, require=la.KAnonymity(2))
    problem = la.prepare(pa.table({"a": ["other", "foo"]}), policy)
    order = {problem.counts.values[0][code]: i for i, (code,) in enumerate(problem.counts.codes)}
    place = {int(group): i for i, group in enumerate(problem.canonical)}
    group = np.array([place[order["other"]], place[order["foo"]]])
    map_ = CellMap(("a",), np.sort(group), np.array([1, 1]), np.zeros((2, 1), dtype=np.int16))
    map_.levels[np.sort(group) == group[1]] = 1
    best = problem.evaluate(map_)
    assert best.meets
    assert best.cost == pytest.approx(0.25)
    solution = la.solve(problem, by)
    assert solution.bound <= 0.25
    assert holds(problem, solution)
    if by != "mondrian":
        assert solution.cost == pytest.approx(0.25)


def test_a_label_with_two_meanings_is_no_ground_for_a_bound():
    crossed = [
        ("a", "x", "y", "*"),
        ("b", "z", "x", "*"),
        ("c", "z", "x", "*"),
        ("d", "x", "y", "*"),
    ]
    policy = la.Policy(quasi_identifiers={"q": la.tree(crossed)}, require=la.KAnonymity(2))
    problem = la.prepare(pa.table({"q": ["a", "b"]}), policy)
    solution = la.solve(problem, "mondrian")
    assert solution.bound == 0
    with pytest.raises(la.NotSuited, match="use different labels"):
        la.solve(problem, "cell-optimal")
