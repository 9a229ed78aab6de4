"""Proofs by trees of cuts for loss and entropy: true ones are taken, forged ones are not.

What is true is known from every recoding of a tiny table, counted.
"""

import itertools
import math
import random
from collections import Counter
from dataclasses import replace
from functools import cache

import cut_bounds_plain as plain
import numpy as np
import pandas as pd
import pytest

import lookalike as la
from lookalike.problem.problem import Problem
from lookalike.search.cuts.k_optimize import KOptimize
from lookalike.search.cuts.loss.layout import lay_out_losses
from lookalike.search.limits import Limits
from lookalike.search.solve import solve
from lookalike.solution.proof import BRANCH, CLOSED, LEFT, NEXT, By, CutTree, Proof
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Solution, Status, Stop
from lookalike.verifier.claim.cuts.loss.prices import column_prices
from lookalike.verifier.claim.cuts.metrics import _leaves_lost
from lookalike.verifier.claim.cuts.recoding import intervals
from lookalike.verifier.claim.cuts.tree_layout import lay_out
from lookalike.verifier.claim.cuts.tree_proof import check_bound
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal

LOSSES = ("loss", "entropy")
MORE = 1e-6  # a claim too high by this is too high


def posed(tiny, metric, **changes):
    """A tiny table of ``cut_bounds_plain``, its own metric aside."""
    base = plain.problem(tiny)
    parts = ("quasi_identifiers", "sensitive", "require", "suppress", "levels", "conventions")
    asked = {part: getattr(base.policy, part) for part in parts} | changes
    return Problem(la.Policy(**asked, metric=metric), base.counts, base.tables)


@cache
def some(count, seed):
    """Tiny problems with weights, and what the cheapest of all recodings costs."""
    rng = random.Random(seed)
    found = []
    for tiny in plain.many(count, seed, most_cuts=7):
        for metric in LOSSES if tiny.cuts else ():
            problem = posed(tiny, metric, weights={"q0": rng.choice([1.0, 3.0])})
            found.append((tiny, problem, optimum(problem)))
    return found


def optimum(problem):
    space = problem.cut_space
    every = (
        problem.evaluate(space.recoding(itertools.compress(range(len(made)), made)))
        for made in itertools.product([0, 1], repeat=len(space.column))
    )
    return min((one.cost for one in every if one.meets), default=math.inf)


def claim(problem, bound, long, marks):
    """That nothing costs less than the bound, because of this tree."""
    tree = CutTree(long, np.array(marks, dtype=np.int16))
    return Solution(
        status=Status.INFEASIBLE if math.isinf(bound) else Status.UNKNOWN,
        stop=Stop.FINISHED,
        space=Space.CUTS,
        metric=problem.policy.metric.name,
        algorithm="by-hand",
        recoding=None,
        rows=problem.rows,
        suppressed=0,
        classes=0,
        cost=None,
        bound=float(bound),
        proof=Proof((), problem.counts.fingerprint(), By.TREE, tree),
    )


def checked(problem, solution):
    return check_bound(CountedOriginal(problem.counts, problem.tables, problem.policy), solution)


def accepted(problem, bound, long, marks):
    return checked(problem, claim(problem, bound, long, marks)).holds


# --- proofs that hold ---------------------------------------------------------------------------


@pytest.mark.parametrize("work", [1 << 24, 3_000, 0])
def test_proofs_of_the_search_are_accepted(work, monkeypatch):
    """However many columns are nested; the verifier may nest more than the search has."""
    monkeypatch.setattr("lookalike.search.cuts.loss.nested_recodings.MAX_BOXES", work)
    seen = Counter()
    for tiny, problem, least in some(18, 50):
        solution = solve(problem, KOptimize())
        found = checked(problem, solution)
        assert found.holds, (tiny, found.sentence)
        reached = min(solution.bound, math.inf if solution.cost is None else solution.cost)
        assert reached == pytest.approx(least, rel=1e-9, abs=1e-9)
        long = problem.names.index(solution.proof.tree.long)
        original = CountedOriginal(problem.counts, problem.tables, problem.policy)
        intervals = lay_out(original, long, None).intervals
        assert len(intervals.begin) == len(lay_out_losses(problem, long).intervals.begin)
        seen[solution.status, tiny.siblings] += 1
    assert len(seen) >= 3


def complete_tree(tiny, long, rng, node=None):
    """Marks of a tree that branches, in any order, until no cut is open."""
    made, still_open = node or tiny.root(long)
    if not still_open:
        return [CLOSED]
    cut = rng.choice(sorted(still_open))
    return [
        BRANCH - tiny.cuts_besides(long).index(cut),
        *complete_tree(tiny, long, rng, tiny.making(cut, made, still_open)),
        *complete_tree(tiny, long, rng, tiny.leaving(cut, made, still_open)),
    ]


def test_a_tree_down_to_every_recoding_shows_the_optimum_and_no_more():
    rng = random.Random(1)
    for tiny, problem, least in some(18, 50):
        long = rng.randrange(len(tiny.widths))
        name, marks = problem.names[long], complete_tree(tiny, long, rng)
        assert accepted(problem, least, name, marks), tiny
        if math.isfinite(least):
            assert not accepted(problem, least + MORE, name, marks), tiny
            assert not accepted(problem, math.inf, name, marks), tiny


@pytest.mark.parametrize("metric", LOSSES)
def test_stopped_searches_are_accepted_with_the_bound_they_have_earned(metric):
    rng = np.random.default_rng(5)
    widths = (9, 6, 4, 3)
    drawn = [np.minimum(rng.geometric(0.3, 300) - 1, w - 1).astype(str) for w in widths]
    data = pd.DataFrame({f"q{a}": own for a, own in enumerate(drawn)})
    policy = la.Policy(
        quasi_identifiers={f"q{a}": la.ordered(map(str, range(w))) for a, w in enumerate(widths)},
        require=la.KAnonymity(4),
        suppress=9,
        metric=metric,
    )
    problem = la.prepare(data, policy)
    best = solve(problem, KOptimize())
    left = 0
    for checks in (2, 5, 9, 14, 20, 30):
        stopped = solve(problem, KOptimize(), Limits(checks=checks))
        assert checked(problem, stopped).holds
        marks = stopped.proof.tree.marks
        if stopped.bound < best.cost - MORE and LEFT in marks:
            left += 1
            called = np.where(marks == LEFT, CLOSED, marks)
            for tree in (stopped.proof.tree, replace(stopped.proof.tree, marks=called)):
                proof = replace(stopped.proof, tree=tree)
                assert not checked(problem, replace(stopped, bound=best.cost, proof=proof)).holds
    assert left


def test_the_limit_is_counted_where_all_is_settled():
    """Five values of 5, 1, 5, 1 and 5 rows: suppressing both ones is cheapest, if it is allowed."""
    values = [
        value for value, rows in zip("abcde", (5, 1, 5, 1, 5), strict=True) for _ in range(rows)
    ]
    for suppress, cost in ((2, 2 / 17), (1, 2.5 / 17), (0, 3 / 17)):
        policy = la.Policy(
            quasi_identifiers={"v": la.ordered(list("abcde"))},
            require=la.KAnonymity(5),
            suppress=suppress,
            metric="loss",
        )
        problem = la.prepare(pd.DataFrame({"v": values}), policy)
        solution = solve(problem, KOptimize())
        assert solution.cost == pytest.approx(cost)
        assert checked(problem, solution).holds
        assert accepted(problem, cost, "v", [CLOSED])
        assert not accepted(problem, cost + MORE, "v", [CLOSED])


# --- forgeries ----------------------------------------------------------------------------------


def forged(marks, cuts, rng):
    """Trees that are not what they were, each with a word for what was done to it."""
    at = rng.randrange(len(marks))
    yield "as it was", marks
    yield "the root closed", [CLOSED]
    yield "the root left", [LEFT]
    yield "left instead of closed", [LEFT if mark == CLOSED else mark for mark in marks]
    yield "a mark removed", [*marks[:at], *marks[at + 1 :]]
    yield "a drop", [rng.randrange(max(1, cuts)), *marks]
    yield "another look", [NEXT, *marks]
    if cuts:
        yield "a mark changed", [*marks[:at], BRANCH - rng.randrange(cuts), *marks[at + 1 :]]
        yield "a mark closed", [*marks[:at], CLOSED, *marks[at + 1 :]]


def test_a_bound_that_is_too_high_is_refused_with_any_tree():
    rng = random.Random(2)
    refused = Counter()
    for tiny, problem, least in some(8, 60):
        if math.isinf(least):
            continue
        solution = solve(problem, KOptimize())
        tree = solution.proof.tree
        cuts = len(tiny.cuts_besides(problem.names.index(tree.long)))
        for how, marks in forged(tree.marks.tolist(), cuts, rng):
            for bound in (least + MORE, math.inf):
                for name in (tree.long, rng.choice(problem.names)):
                    assert not accepted(problem, bound, name, marks), (tiny, how, marks)
                    refused[how] += 1
        raised = replace(solution, cost=solution.cost + MORE, bound=solution.bound + MORE)
        assert not checked(problem, raised).holds
    assert min(refused.values()) > 10


def test_a_tree_that_is_no_tree_is_refused_with_a_sentence():
    rng = random.Random(3)
    for tiny, problem, least in some(12, 70):
        long = rng.randrange(len(tiny.widths))
        name, marks = problem.names[long], complete_tree(tiny, long, rng)
        cuts = len(tiny.cuts_besides(long))
        wrong = {
            "it ends before": [marks[:-1], []],
            "it continues after": [[*marks, CLOSED], [*marks, *marks]],
            "unknown marks": [[-4], [NEXT], [0, *marks], [BRANCH - cuts], [-32768]],
        }
        if cuts and marks[0] <= BRANCH:
            wrong["a cut that is not open"] = [[marks[0], marks[0], CLOSED, CLOSED, CLOSED]]
        for sentence, trees in wrong.items():
            for one in trees:
                found = checked(problem, claim(problem, min(least, 0.0), name, one))
                assert not found.holds
                assert sentence in found.sentence, (one, found.sentence)
        assert (
            "not have its long column"
            in checked(problem, claim(problem, 0, "nobody", marks)).sentence
        )


def test_a_proof_for_another_problem_is_refused_where_it_is_wrong():
    rng = random.Random(4)
    refused = Counter()
    for tiny, problem, _ in some(13, 84):
        solution = solve(problem, KOptimize())
        claimed = min(solution.bound, math.inf if solution.cost is None else solution.cost)
        metric, policy = problem.policy.metric.name, problem.policy
        others = {
            "k": posed(tiny, metric, require=la.KAnonymity(2), weights=policy.weights),
            "limit": posed(tiny, metric, suppress=len(tiny.rows), weights=policy.weights),
            "weights": posed(tiny, metric, weights={"q1": rng.choice([3.0, 9.0])}),
            "levels": posed(tiny, metric, levels={}, weights=policy.weights),
            "free": posed(tiny, metric, conventions=la.Conventions(), weights=policy.weights),
            "metric": posed(tiny, LOSSES[metric == "loss"], weights=policy.weights),
        }
        for how, other in others.items():
            if optimum(other) < claimed - MORE:
                assert not checked(other, solution).holds, (tiny, how)
                refused[how] += 1
        fewer = replace(problem.counts, counts=problem.counts.counts + 1)
        finding = check_claim(CountedOriginal(fewer, problem.tables, policy), solution)[-1]
        assert not finding.holds
        assert "another table" in finding.sentence
    assert len(refused) == 6


def test_geometric_loss_has_no_rules():
    tiny, problem, _ = some(12, 70)[0]
    geometric = posed(tiny, la.Loss(aggregate="geometric"))
    found = checked(geometric, claim(geometric, 0.5, problem.names[0], [CLOSED]))
    assert "not for loss-geometric" in found.sentence


# --- prices -------------------------------------------------------------------------------------


def test_search_and_verifier_price_intervals_alike_each_in_its_own_way():
    """And as the verifier's plain count of leaves has it, one interval at a time."""
    rng = random.Random(6)
    for _ in range(6):
        names = [f"v{i}" for i in range(rng.randint(3, 8))]
        groups = sorted(rng.choice("abc") for _ in names)
        lines = [(v, g, "ab" if g in "ab" else "c") for v, g in zip(names, groups, strict=True)]
        data = pd.DataFrame(
            {
                "v": [rng.choice(names[: rng.randint(2, len(names))]) for _ in range(20)],
                "w": [rng.choice("xy") for _ in range(20)],
            }
        )
        low = rng.choice([0, 0, 1])
        for metric in LOSSES:
            policy = la.Policy(
                quasi_identifiers={"v": la.tree(lines), "w": la.ordered(["x", "y"])},
                require=la.KAnonymity(2),
                metric=metric,
                levels={"v": (low, 3)},
            )
            problem = la.prepare(data, policy)
            table = problem.tables[0]
            original = CountedOriginal(problem.counts, problem.tables, problem.policy)
            mine = column_prices(original, 0)
            found = lay_out_losses(problem, 1).lose[0]
            for i, j in zip(*np.triu_indices(table.leaves + 1, k=1), strict=True):
                if problem.cut_space.allowed[[p - 1 for p in (i, j) if 0 < p < table.leaves]].all():
                    assert found[i, j] == pytest.approx(mine.pays[i, j], abs=1e-12)
                    if metric == "loss":
                        of = intervals(table, [p for p in (i, j) if 0 < p < table.leaves])
                        first = np.arange(table.leaves) if table.order is None else table.order
                        lost = _leaves_lost(table, of, low)[first[i]]
                        assert mine.pays[i, j] == pytest.approx(lost / 2, abs=1e-12)
