"""Proofs by trees of cuts: bounds that are bounds, proofs that are taken, forgeries that are not.

Everything is tried against plain Python on tiny tables, where every recoding can be counted.
"""

import math
import random
import re
from collections import Counter
from dataclasses import replace

import cut_bounds_plain as plain
import numpy as np
import pytest

import lookalike as la
from lookalike.search.cuts.k_optimize import KOptimize
from lookalike.search.limits import Limits
from lookalike.search.solve import solve
from lookalike.solution.proof import BRANCH, CLOSED, LEFT, NEXT, By, CutTree, Proof
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Solution, Status, Stop
from lookalike.verifier.claim.cuts.tree_layout import NO_RECODING, lay_out
from lookalike.verifier.claim.cuts.tree_proof import check_bound
from lookalike.verifier.claim.cuts.tree_walk import OPEN, TreeWalk
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal

CHUNKS = 4
DM, CM = "discernibility", "classification"


def claim(problem, bound, long=None, marks=()):
    """That nothing costs less than the bound, because of this tree."""
    tree = CutTree(long, np.array(marks, dtype=np.int16)) if long else None
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
        proof=Proof((), problem.counts.fingerprint(), By.TREE if tree else By.NODES, tree),
    )


def checked(problem, solution):
    original = CountedOriginal(problem.counts, problem.tables, problem.policy)
    found = check_claim(original, solution)[-1]
    assert not re.search(r"\b(v\d|g\d_\d)\b", found.sentence)  # no cell values
    return found


def accepted(problem, bound, long, marks):
    return checked(problem, claim(problem, bound, long, marks)).holds


def walk(tiny, problem, long, bound):
    labels = None
    if tiny.metric == CM:
        labels = problem.counts.sensitive["label"].dense(problem.counts.groups)
    table = lay_out(CountedOriginal(problem.counts, problem.tables, problem.policy), long, labels)
    by_label = tiny.metric == CM
    return TreeWalk(table, tiny.k, len(tiny.rows), tiny.limit, bound, by_label=by_label)


# --- bounds -------------------------------------------------------------------------------------


def random_node(tiny, long, walker, rng):
    """A node some steps below the root, as the walker and as plain Python see it.

    And the intervals that are left, of which some are taken away on the way, as rule 5 does.
    """
    node, (made, still_open) = walker.root(), tiny.root(long)
    begin, end = walker.table.intervals
    intervals = list(zip(begin.tolist(), end.tolist(), strict=True))
    for _ in range(rng.randint(0, 4)):
        if not still_open:
            break
        cut = rng.choice(sorted(still_open))
        number = tiny.cuts_besides(long).index(cut)
        if rng.random() < 0.6:
            node = walker.with_cut(node, number)
            made, still_open = tiny.making(cut, made, still_open)
        else:
            node = walker.without(node, {number, *walker.needing(node, number)})
            made, still_open = tiny.leaving(cut, made, still_open)
        kept = sorted(rng.sample(range(len(intervals)), max(1, len(intervals) - rng.randint(0, 2))))
        node = replace(node, intervals=node.intervals.at(kept))
        intervals = [intervals[e] for e in kept]
    return node, made, still_open, intervals


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_bounds_are_those_of_the_page_and_no_recoding_is_cheaper(chunk):
    rng = random.Random(100 + chunk)
    compared = 0
    for tiny in plain.many(60, 200 + chunk):
        problem = plain.problem(tiny)
        long = rng.randrange(len(tiny.widths))
        walker = walk(tiny, problem, long, NO_RECODING)
        node, made, still_open, intervals = random_node(tiny, long, walker, rng)
        numbers = tiny.cuts_besides(long)
        drops = sorted(numbers.index(cut) for cut in still_open)
        assert [numbers[v] for v in np.flatnonzero(node.state == OPEN)] == sorted(still_open)
        gone, f, lost, more = walker.bounds(node, drops)
        assert gone == plain.gone_anyway(tiny, made)
        for e, interval in enumerate(intervals):
            cuts = [numbers[v] for v in drops]
            least, under_k, least_with = plain.bounds(tiny, long, made, still_open, interval, cuts)
            assert (f[e], lost[e]) == (least, under_k)
            assert [f[e] + more[d, e] for d in range(len(drops))] == [least_with[v] for v in cuts]
            compared += 1
        for some in subsets(still_open, rng):
            for interval in rng.sample(intervals, min(4, len(intervals))):
                e = intervals.index(interval)
                cost, suppressed = plain.within(tiny, long, made, made | some, interval)
                assert f[e] <= cost
                assert lost[e] <= suppressed
                for d, v in enumerate(drops):
                    if numbers[v] in some:
                        assert f[e] + more[d, e] <= cost
    assert compared > 200


def subsets(cuts, rng, most=24):
    every = [
        {cut for cut in cuts if rng.random() < share}
        for share in rng.choices([0.2, 0.5, 0.8], k=most)
    ]
    return [set(), set(cuts), *every]


def test_what_rows_cost_at_least_needs_no_table_once_the_table_is_large():
    rng = random.Random(5)
    for tiny in plain.many(80, 6):
        if tiny.metric == DM and len(tiny.rows) >= 4 * tiny.k:
            problem = plain.problem(tiny)
            walker = walk(tiny, problem, 0, NO_RECODING)
            node = random_node(tiny, 0, walker, rng)[0]
            drops = np.flatnonzero(node.state == OPEN).tolist()
            listed = walker.bounds(node, drops)
            short = walker.pricing.least_cost[: tiny.k]
            walker.pricing = walker.pricing._replace(least_cost=short)
            for one, other in zip(listed, walker.bounds(node, drops), strict=True):
                assert np.array_equal(one, other)


# --- proofs that hold ---------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_proofs_of_the_search_are_accepted(chunk):
    seen = Counter()
    for tiny in plain.many(80, 300 + chunk):
        problem = plain.problem(tiny)
        if not tiny.cuts:
            continue
        solution = solve(problem, KOptimize(threads=1))
        found = checked(problem, solution)
        assert found.holds, (tiny, found.sentence)
        assert min(solution.bound, solution.cost or math.inf) == tiny.optimum
        assert f"checked: {solution.proof.tree.ends:,}." in found.sentence
        seen[solution.status, tiny.metric, tiny.siblings] += 1
    assert len(seen) >= 5


def complete_tree(tiny, long, rng, node=None, leave=0.0):
    """Marks of a tree that branches, in any order, until no cut is open, or leaves nodes open."""
    made, still_open = node or tiny.root(long)
    if not still_open:
        return [CLOSED]
    if rng.random() < leave:
        return [LEFT]
    cut = rng.choice(sorted(still_open))
    return [
        BRANCH - tiny.cuts_besides(long).index(cut),
        *complete_tree(tiny, long, rng, tiny.making(cut, made, still_open), leave),
        *complete_tree(tiny, long, rng, tiny.leaving(cut, made, still_open), leave),
    ]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_tree_down_to_every_recoding_shows_the_optimum_and_not_one_more(chunk):
    rng = random.Random(400 + chunk)
    for tiny in plain.many(50, 500 + chunk, most_cuts=7):
        problem = plain.problem(tiny)
        long = rng.randrange(len(tiny.widths))
        name = problem.counts.names[long]
        marks = complete_tree(tiny, long, rng)
        assert accepted(problem, tiny.optimum, name, marks), tiny
        if math.isfinite(tiny.optimum):
            assert not accepted(problem, tiny.optimum + 1, name, marks), tiny
            assert not accepted(problem, math.inf, name, marks), tiny


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_nodes_that_are_left_show_their_bound(chunk):
    rng = random.Random(600 + chunk)
    with_some_left = 0
    for tiny in plain.many(40, 700 + chunk, most_cuts=7):
        problem = plain.problem(tiny)
        long = rng.randrange(len(tiny.widths))
        name = problem.counts.names[long]
        marks = complete_tree(tiny, long, rng, leave=0.4)
        bound = plain.bound_of_tree(tiny, long, marks)
        assert bound <= tiny.optimum
        assert accepted(problem, bound, name, marks), tiny
        if math.isfinite(tiny.optimum):
            assert not accepted(problem, tiny.optimum + 1, name, marks), tiny
        with_some_left += LEFT in marks
    assert with_some_left > 10


def test_stopped_searches_are_accepted_with_the_bound_they_have_earned():
    rng = random.Random(1)
    widths = [6, 7, 5, 8, 6]
    rows = [tuple(min(int(rng.expovariate(3 / w)), w - 1) for w in widths) for _ in range(3000)]
    used = [sorted({row[a] for row in rows}) for a in range(5)]
    tiny = plain.Tiny(
        tuple(tuple(used[a].index(v) for a, v in enumerate(row)) for row in rows),
        tuple(rng.choice("xyz") for _ in rows),
        tuple((tuple(range(1, len(own) + 1)), (len(own),)) for own in used),
        (0,) * 5, (1,) * 5, False, 8, 3000, CM,
    )  # fmt: skip
    problem = plain.problem(tiny)
    left = 0
    for checks in (1_000, 3_000, 10_000, 30_000):
        solution = solve(problem, KOptimize(threads=1), limits=Limits(checks=checks))
        assert checked(problem, solution).holds
        tree = solution.proof.tree
        if tree is not None and LEFT in tree.marks:
            left += 1
            higher = replace(solution, bound=solution.cost)
            assert not checked(problem, higher).holds or solution.bound == solution.cost
    assert left


def test_one_column_is_all_long():
    tiny = plain.Tiny(
        tuple((v,) for v in [0] * 4 + [1] * 2 + [2] * 4), ("x",) * 10,
        (((1, 2, 3), (3,)),), (0,), (1,), False, 3, 10, DM,
    )  # fmt: skip
    problem = plain.problem(tiny)
    assert accepted(problem, tiny.optimum, "q0", [CLOSED])
    assert not accepted(problem, tiny.optimum + 1, "q0", [CLOSED])


def test_without_a_tree_only_what_the_metric_alone_shows():
    for tiny in plain.many(20, 8):
        problem = plain.problem(tiny)
        most = min(tiny.k, len(tiny.rows)) * len(tiny.rows) if tiny.metric == DM else 0
        assert checked(problem, claim(problem, most)).holds
        assert not checked(problem, claim(problem, most + 1)).holds
        assert not checked(problem, claim(problem, math.inf)).holds


# --- forgeries ----------------------------------------------------------------------------------


def end_of(marks, at):
    """Where the node that begins at a mark ends, with all below it."""
    nodes = 1
    while nodes:
        nodes += 1 if marks[at] <= BRANCH else -1 if marks[at] in (CLOSED, LEFT) else 0
        at += 1
    return at


def forged(marks, cuts, rng):
    """Trees that are not what they were, each with a word for what was done to it."""

    def some():
        return rng.randrange(cuts) if cuts else 0

    at = rng.randrange(len(marks))
    yield "as it was", marks
    yield "a drop inserted", [*marks[:at], some(), *marks[at:]]
    yield "all dropped", [*range(cuts), CLOSED]
    yield "all dropped and another look", [*range(cuts), NEXT, CLOSED]
    yield "a drop at the root", [some(), *marks]
    yield "a drop and another look", [some(), NEXT, *marks]
    yield "the root closed", [CLOSED]
    yield "the root left", [LEFT]
    yield (
        "a mark changed",
        [*marks[:at], rng.choice([some(), NEXT, CLOSED, BRANCH - some()]), *marks[at + 1 :]],
    )
    yield "left instead of closed", [LEFT if mark == CLOSED else mark for mark in marks]
    yield "no second look", [mark for mark in marks if mark != NEXT]
    branches = [at for at, mark in enumerate(marks) if mark <= BRANCH]
    if branches:
        at = rng.choice(branches)
        begin, second, end = at + 1, end_of(marks, at + 1), end_of(marks, at)
        yield "a subtree closed", [*marks[:at], CLOSED, *marks[end:]]
        yield (
            "children swapped",
            [*marks[: at + 1], *marks[second:end], *marks[begin:second], *marks[end:]],
        )
        yield "the cut not made", [*marks[:at], *marks[second:end], *marks[end:]]
        yield "the cut only made", [*marks[:at], *marks[begin:second], *marks[end:]]
        yield "another cut", [*marks[:at], BRANCH - some(), *marks[at + 1 :]]
        yield "a child closed", [*marks[: at + 1], CLOSED, *marks[second:]]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_bound_that_is_too_high_is_refused_with_any_tree(chunk):
    rng = random.Random(800 + chunk)
    refused = Counter()
    for tiny in plain.many(36, 900 + chunk):
        if math.isinf(tiny.optimum) or not tiny.cuts:
            continue
        problem = plain.problem(tiny)
        solution = solve(problem, KOptimize(threads=1))
        tree = solution.proof.tree
        names = problem.counts.names
        long = names.index(tree.long)
        trees = [
            (tree.long, tree.marks.tolist()),
            (tree.long, complete_tree(tiny, long, rng, leave=0.1)),
        ]
        for name, true in trees:
            cuts = len(tiny.cuts_besides(names.index(name)))
            for how, marks in forged(true, cuts, rng):
                for bound in (tiny.optimum + 1, math.inf):
                    found = checked(problem, claim(problem, bound, name, marks))
                    assert not found.holds, (tiny, how, marks)
                    refused[how] += 1
                other = rng.choice(names)
                assert not accepted(problem, tiny.optimum + 1, other, marks), (tiny, how, marks)
                refused["another long column"] += 1
        higher = replace(solution, cost=solution.cost + 1, bound=solution.bound + 1)
        assert not checked(problem, higher).holds
    assert refused.total() > 1000
    assert min(refused.values()) > 5


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_tree_that_is_no_tree_is_refused_with_a_sentence(chunk):
    """Whatever it claims, be it true."""
    rng = random.Random(1000 + chunk)
    refused = Counter()
    for tiny in plain.many(30, 1100 + chunk, most_cuts=8):
        problem = plain.problem(tiny)
        long = rng.randrange(len(tiny.widths))
        name, cuts = problem.counts.names[long], len(tiny.cuts_besides(long))
        marks = complete_tree(tiny, long, rng)
        still_open = {tiny.cuts_besides(long).index(cut) for cut in tiny.root(long)[1]}
        fixed = sorted(set(range(cuts)) - still_open)
        wrong = {
            "it ends before": [marks[:-1], [], [NEXT], marks[: len(marks) // 2]],
            "it continues after": [[*marks, CLOSED], [*marks, 0], [*marks, *marks], [*marks, NEXT]],
            "it names a cut that does not exist": [[cuts, *marks], [32767, CLOSED]],
            "unknown marks": [[-4], [-15], [BRANCH - cuts], [-32768]],
            "it drops a cut that is not open": [[v, CLOSED] for v in fixed],
            "it branches on a cut that is not open": [[BRANCH - v, CLOSED, CLOSED] for v in fixed],
        }
        if still_open:
            v = min(still_open)
            wrong["it drops a cut that is not open"] += [[v, v, CLOSED], [BRANCH - v, v, CLOSED]]
            wrong["it branches on a cut that is not open"].append([BRANCH - v, BRANCH - v])
        for sentence, trees in wrong.items():
            for one in trees:
                found = checked(problem, claim(problem, 0, name, one))
                assert not found.holds
                assert sentence in found.sentence or "cheaper" in found.sentence, (sentence, one)
                refused[sentence] += 1
        found = checked(problem, claim(problem, 0, "no such column", marks))
        assert "not have its long column" in found.sentence
        assert not found.holds
        other = replace(claim(problem, 0, name, marks), proof=Proof((), "of another", By.TREE))
        assert not checked(problem, other).holds
        odd = CutTree(name, np.array([[CLOSED]], dtype=np.int16))
        proof = Proof((), problem.counts.fingerprint(), By.TREE, odd)
        assert not checked(problem, replace(claim(problem, 0, name, marks), proof=proof)).holds
    assert refused.total() > 300


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_proof_for_another_policy_is_refused_where_it_is_wrong(chunk):
    rng = random.Random(1200 + chunk)
    refused = Counter()
    for tiny in plain.many(45, 1300 + chunk):
        if not tiny.cuts:
            continue
        solution = solve(plain.problem(tiny), KOptimize(threads=1))
        others = [
            replace(tiny, k=max(2, tiny.k - rng.randint(1, 3))),
            replace(tiny, suppress=len(tiny.rows)),
            replace(tiny, siblings=False),
            replace(tiny, low=(0,) * len(tiny.low)),
            replace(tiny, high=tuple(len(levels) - 1 for levels in tiny.levels)),
            replace(tiny, metric=CM if tiny.metric == DM else DM),
        ]
        for which, other in enumerate(others):
            claimed = min(solution.bound, solution.cost or math.inf)
            if other.optimum < claimed:
                assert not checked(plain.problem(other), solution).holds, (tiny, other)
                refused[which] += 1
    assert refused.total() > 30


# --- where a rule has a condition ---------------------------------------------------------------


def test_by_dm_few_rows_are_not_joined_to_many_if_that_costs_more():
    """Two rows of twelve are suppressed at 24, and cost 44 more if they join the other ten."""
    rows = ((0, 0),) * 2 + ((1, 0),) * 10
    levels = (((1, 2), (2,)), ((1,), (1,)))
    tiny = plain.Tiny(rows, ("x",) * 12, levels, (0, 0), (1, 1), False, 5, 12, DM)
    assert tiny.optimum == 2 * 12 + 10 * 10
    problem = plain.problem(tiny)
    assert not accepted(problem, 144, "q1", [0, CLOSED])
    assert accepted(problem, 124, "q1", [BRANCH, CLOSED, CLOSED])
    by_label = plain.problem(replace(tiny, metric=CM))
    assert accepted(by_label, 0, "q1", [0, CLOSED])


def test_a_cut_that_parts_nothing_is_not_dropped_while_others_need_it():
    """By siblings: y is in groups of two that x tells apart, so the cut between them parts nothing.

    But the cuts within the groups need it, and are worth making.
    """
    rows = tuple((y // 2, y, 0) for y in range(4) for _ in range(5))
    levels = (((1, 2), (2,)), ((1, 2, 3, 4), (2, 4), (4,)), ((1,), (1,)))
    tiny = plain.Tiny(rows, ("x",) * 20, levels, (0, 0, 0), (0, 2, 1), True, 5, 20, DM)
    assert tiny.optimum == 100
    problem = plain.problem(tiny)
    inner, between, other = 1, 2, 3
    assert not accepted(problem, 200, "q2", [between, CLOSED])
    assert not accepted(problem, 101, "q2", [between, CLOSED])
    free = plain.problem(replace(tiny, siblings=False))
    marks = [between, BRANCH - inner, BRANCH - other, CLOSED, CLOSED, CLOSED]
    assert accepted(free, 100, "q2", marks)


def test_the_rows_that_may_be_suppressed_close_a_node_that_cost_would_not():
    """With no cut open, the cheapest way is the cheapest that keeps to the limit."""
    rows = ((0, 0),) * 6 + ((0, 1),) * 2 + ((0, 2),) * 6
    levels = (((1,), (1,)), ((1, 2, 3), (3,)))
    tiny = plain.Tiny(
        rows, ("x",) * 6 + ("y",) * 2 + ("z",) * 6, levels, (0, 0), (1, 1), False, 3, 0, CM
    )
    free = replace(tiny, suppress=2)
    assert free.optimum == 2 == tiny.optimum
    for one in (tiny, free):
        problem = plain.problem(one)
        assert accepted(problem, one.optimum, "q1", [CLOSED])
        assert not accepted(problem, one.optimum + 1, "q1", [CLOSED])


def test_other_metrics_have_no_trees():
    tiny = plain.many(1, 12)[0]
    problem = plain.problem(tiny)
    policy = replace(problem.policy, metric=la.ClassSize())
    found = check_bound(
        CountedOriginal(problem.counts, problem.tables, policy), claim(problem, 0.5, "q0", [CLOSED])
    )
    assert not found.holds
    assert "class-size" in found.sentence
