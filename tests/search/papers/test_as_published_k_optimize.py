"""K-Optimize as published equals brute force; its bounds hold; the corrections are needed."""

import itertools
import random

import cut_oracle
import numpy as np
import pytest

import lookalike as la
from lookalike.policy.conventions import Conventions
from lookalike.problem.prepare import tabulate
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import cut_space
from lookalike.search.papers import as_published_k_optimize as printed
from lookalike.search.papers.as_published_costs import PublishedCM, PublishedDM
from lookalike.search.papers.as_published_k_optimize import INFINITE, KOptimizeAsPublished, Tree

TABLES = 640
CHUNKS = 8


def tree(tiny, metric, limit, kind=Tree, cost=None, **more):
    """The tree of a tiny table, from plain arrays."""
    groups = sorted(set(tiny.rows))
    names = sorted(set(tiny.labels)) if metric == "classification" else [None]
    labels = np.zeros((len(groups), len(names)), dtype=np.int64)
    for row, label in zip(tiny.rows, tiny.labels, strict=True):
        labels[groups.index(row), names.index(label) if len(names) > 1 else 0] += 1
    usual = PublishedDM(len(tiny.rows), tiny.k) if metric == "discernibility" else PublishedCM()
    column, place = np.array(tiny.cuts, dtype=np.int32).reshape(-1, 2).T
    ranks = np.array(groups, dtype=np.int32)
    return kind(ranks, labels, column, place, tiny.k, limit, cost or usual, **more)


def start(tiny):
    """The root's head and tail, by number."""
    return (
        [tiny.cuts.index(cut) for cut in sorted(tiny.forced)],
        [tiny.cuts.index(cut) for cut in sorted(tiny.allowed - tiny.forced)],
    )


def searched(tree, forced, tail):
    tree.search(forced, tail)
    return tree


def chosen(tiny, head):
    return frozenset(tiny.cuts[cut] for cut in head)


def limits(tiny):
    return sorted({0, tiny.limit, len(tiny.rows)})


def split_table(*sizes, k):
    """One column, with a given number of rows for each value."""
    rows = tuple((value,) for value, size in enumerate(sizes) for _ in range(size))
    names = tuple("abcdefgh"[: len(sizes)])
    return cut_oracle.TinyCuts(rows, ("x",) * len(rows), (names,), k, len(rows), ((0, 2),))


# --- the optimum --------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("metric", cut_oracle.METRICS)
def test_it_equals_brute_force(metric, chunk):
    for tiny in cut_oracle.many(TABLES // CHUNKS, seed=chunk):
        for limit in limits(tiny):
            best, optimal = tiny.best(metric, limit)
            found = searched(tree(tiny, metric, limit), *start(tiny))
            if best is None:
                assert (found.best, found.best_head) == (INFINITE, None), (limit, tiny)
            else:
                assert found.best == best, (limit, tiny)
                assert chosen(tiny, found.best_head) in optimal, (limit, tiny)
            assert 1 <= found.nodes <= len(tiny.outcomes)


@pytest.mark.parametrize("metric", cut_oracle.METRICS)
def test_a_seed_leaves_only_what_is_cheaper(metric):
    for tiny in cut_oracle.many(60, seed=100):
        best, optimal = tiny.best(metric)
        if best is None:
            continue
        above = searched(tree(tiny, metric, tiny.limit, best=best + 1), *start(tiny))
        assert above.best == best
        assert chosen(tiny, above.best_head) in optimal
        equal = searched(tree(tiny, metric, tiny.limit, best=best), *start(tiny))
        assert (equal.best, equal.best_head) == (best, None)
        unseeded = searched(tree(tiny, metric, tiny.limit), *start(tiny))
        assert equal.nodes <= unseeded.nodes


def test_it_tells_of_falling_costs_and_can_be_stopped_at_any_node():
    class Enough(Exception):
        pass

    for tiny in cut_oracle.many(40, seed=200):
        told = []

        def found(cost, head, told=told):
            told.append((cost, head))

        end = tree(tiny, "discernibility", tiny.limit, on_improvement=found)
        end.search(*start(tiny))
        costs = [cost for cost, _ in told]
        assert costs == sorted(set(costs), reverse=True)
        assert not told or told[-1] == (end.best, end.best_head)

        asked = itertools.count(1)

        def mind(asked=asked):
            if next(asked) == 3:
                raise Enough

        part = tree(tiny, "discernibility", tiny.limit, check_limits=mind)
        if end.nodes >= 3:
            with pytest.raises(Enough):
                part.search(*start(tiny))
            assert part.best >= end.best


def test_as_many_cuts_as_it_accepts_are_not_too_deep():
    sizes = np.full((printed.MAX_CUTS + 1, 1), 2)
    ranks = np.arange(len(sizes), dtype=np.int32)[:, None]
    places = np.arange(1, len(sizes), dtype=np.int32)
    cost = PublishedDM(2 * len(sizes), 2)
    deep = Tree(ranks, sizes, np.zeros_like(places), places, 2, 0, cost)
    deep.search([], range(len(places)))
    assert deep.best == 4 * len(sizes)
    assert len(deep.best_head) == printed.MAX_CUTS


# --- its parts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", cut_oracle.METRICS)
def test_bounds_are_bounds_at_random_nodes(metric):
    rng = random.Random(300)
    for tiny in cut_oracle.many(250, seed=300):
        forced, tail = start(tiny)
        head = forced + [cut for cut in tail if rng.random() < 0.3]
        tail = [cut for cut in tail if cut not in head and rng.random() < 0.8]
        limit = rng.choice(limits(tiny))
        node = tree(tiny, metric, limit)
        for cut in head:
            node.add(cut)
        look = node.bounds(np.array(tail, dtype=np.int64))
        made, open_ = chosen(tiny, head), chosen(tiny, tail)
        least, _ = tiny.below(metric, made, open_, limit)
        assert look.bound <= (INFINITE if least is None else least), (head, tail, tiny)
        for cut, bound in zip(tail, look.bounds, strict=True):
            least, _ = tiny.below(metric, made | chosen(tiny, [cut]), open_, limit)
            assert look.bound <= bound
            assert bound <= (INFINITE if least is None else least), (cut, head, tail, tiny)


@pytest.mark.parametrize("metric", cut_oracle.METRICS)
def test_without_useless_values_the_best_below_a_node_is_as_good(metric):
    rng = random.Random(400)
    went = 0
    for tiny in cut_oracle.many(250, seed=400):
        forced, tail = start(tiny)
        head = forced + [cut for cut in tail if rng.random() < 0.2]
        tail = [cut for cut in tail if cut not in head]
        limit = rng.choice(limits(tiny))
        made, open_ = chosen(tiny, head), chosen(tiny, tail)
        best, _ = tiny.below(metric, made, open_, limit)
        for seed in {INFINITE, (best or 0) + 1}:
            node = tree(tiny, metric, limit, best=seed)
            for cut in head:
                node.add(cut)
            useful = node.prune_useless_values(np.array(tail, dtype=np.int64))
            went += len(tail) - len(useful)
            assert tiny.below(metric, made, chosen(tiny, useful), limit)[0] == best
    assert went > 100


class Unpruned(Tree):
    """The bare tree."""

    def prune(self, tail):
        return tail

    def prune_useless_values(self, tail):
        return tail

    def compute_cost(self):
        self.visited = [*getattr(self, "visited", []), tuple(sorted(self.head))]


def test_without_pruning_the_tree_visits_every_set_once():
    for tiny in cut_oracle.many(20, seed=500, most_cuts=8):
        bare = tree(tiny, "discernibility", tiny.limit, Unpruned)
        bare.search(*start(tiny))
        seen = [chosen(tiny, head) for head in bare.visited]
        assert len(seen) == len(set(seen)) == bare.nodes
        assert set(seen) == {cuts for cuts, _, _ in tiny.outcomes}


def test_classes_split_and_merge_back():
    rng = random.Random(600)
    for tiny in cut_oracle.many(60, seed=600):
        classes = tree(tiny, "classification", tiny.limit).classes
        head = []
        for _ in range(40):
            if head and rng.random() < 0.4:
                head.pop()
                classes.merge()
            elif len(head) < len(tiny.cuts):
                head.append(rng.choice([c for c in range(len(tiny.cuts)) if c not in head]))
                classes.split(head[-1])
            suppressed, costs = cut_oracle.outcome(tiny, chosen(tiny, head))
            released = classes.released()
            assert classes.suppressed == suppressed
            assert released.rows.sum() == len(tiny.rows) - suppressed
            assert (released.rows - released.majority).sum() + suppressed == costs["classification"]
            assert (released.rows**2).sum() + suppressed * len(tiny.rows) == costs["discernibility"]
            allset = classes.allset(released, np.arange(len(tiny.cuts)))
            assert allset.rows.sum() == released.rows.sum()
            assert set(released.ends) <= set(allset.ends)
            assert len(allset.ends) == len(allset.order)  # all cuts made, every group is alone


# --- what is wrong in print ---------------------------------------------------------------------


class AlwaysLiberal(PublishedDM):
    def liberal(self, best):
        return True


def test_a_cut_that_suppresses_a_few_rows_can_pay():
    tiny = split_table(2, 8, k=3)
    assert tiny.best("discernibility") == (84, [frozenset({(0, 1)})])
    assert searched(tree(tiny, "discernibility", 10), [], [0]).best == 84
    as_printed = tree(tiny, "discernibility", 10, cost=AlwaysLiberal(10, 3))
    assert searched(as_printed, [], [0]).best == 100


class PruneAsPublished(Tree):
    """Figure 5 to the letter."""

    def prune(self, tail):
        if self.bounds(tail).bound >= self.best:
            return tail[:0]
        left = tail
        for cut in tail.tolist():
            self.add(cut)
            if not len(self.prune(left[left != cut])):
                left = left[left != cut]
            self.remove()
        return self.prune(left) if len(left) < len(tail) else left


def test_prune_to_the_letter_never_leaves_the_root():
    tiny = split_table(5, 5, k=2)
    assert tiny.best("discernibility")[0] == 50
    assert searched(tree(tiny, "discernibility", 0), [], [0]).best == 50
    for one in (tiny, *cut_oracle.many(30, seed=700, most_cuts=5)):
        literal = tree(one, "discernibility", one.limit, PruneAsPublished)
        assert searched(literal, *start(one)).nodes == 1


def test_the_liberal_rule_holds_for_dm_from_where_it_is_proved():
    assert not PublishedDM(10, 3).liberal(100)
    assert not PublishedDM(10, 3).liberal(13)  # 3 + 2 √13 > 10
    assert PublishedDM(10, 3).liberal(12)
    assert not PublishedDM(2, 3).liberal(0)


# --- as an algorithm ----------------------------------------------------------------------------


@pytest.mark.parametrize("metric", cut_oracle.METRICS)
def test_from_a_problem_it_is_the_same_tree(metric):
    for tiny in cut_oracle.many(80, seed=800, least_k=2):
        prepared = cut_oracle.problem(tiny, metric)
        assert KOptimizeAsPublished().why_unsuitable(prepared) is None
        space = cut_space(prepared)
        found = searched(printed.tree_of(prepared, prepared.allowance), *printed.start(space))
        best, optimal = tiny.best(metric)
        assert found.best == (INFINITE if best is None else best), tiny
        if found.best_head is not None:
            offered = space.recoding(found.best_head)
            cuts = {(a, p) for a, places in enumerate(offered.cuts) for p in places}
            assert cuts in optimal


@pytest.mark.parametrize("seeded", [True, False])
@pytest.mark.parametrize("metric", cut_oracle.METRICS)
def test_a_run_ends_at_the_optimum(metric, seeded):
    for tiny in cut_oracle.many(60, seed=900, least_k=2):
        solution = la.solve(cut_oracle.problem(tiny, metric), KOptimizeAsPublished(seeded=seeded))
        best, optimal = tiny.best(metric)
        assert solution.cost == best
        if best is not None:
            cuts = {(a, p) for a, places in enumerate(solution.recoding.cuts) for p in places}
            assert cuts in optimal


def test_a_stopped_run_has_what_it_had_found():
    for tiny in cut_oracle.many(20, seed=950, least_k=2):
        prepared = cut_oracle.problem(tiny, "discernibility")
        solution = la.solve(prepared, KOptimizeAsPublished(), limits=la.Limits(checks=4))
        best, _ = tiny.best("discernibility")
        assert solution.cost is None or solution.bound <= best <= solution.cost


def test_the_oracles_frequency_set_is_that_of_its_table():
    for tiny in cut_oracle.many(3, seed=1000, least_k=2):
        asked = cut_oracle.policy(tiny, "classification")
        prepared = la.prepare(cut_oracle.table(tiny), asked)
        same = cut_oracle.problem(tiny, "classification")
        assert prepared.fingerprint == same.fingerprint
        space = cut_space(same)
        cuts = list(zip(space.column.tolist(), space.place.tolist(), strict=True))
        assert cuts == tiny.cuts
        assert {cuts[cut] for cut in np.flatnonzero(space.forced)} == tiny.forced
        assert {cuts[cut] for cut in np.flatnonzero(space.allowed)} == tiny.allowed


def refusal(hierarchy=la.ordered, **more):
    """What it says to a small table of three values a column, under some policy."""
    names = (("a", "b", "c"), ("d", "e", "f"))
    rows = tuple(itertools.product(range(3), range(3)))
    tiny = cut_oracle.TinyCuts(rows, ("x",) * len(rows), names, 2, 3, ((0, 1), (0, 1)))
    asked = {
        "quasi_identifiers": {f"q{a}": hierarchy(values) for a, values in enumerate(names)},
        "sensitive": ["label"],
        "require": la.KAnonymity(2),
        "metric": la.Discernibility(),
        "suppress": 3,
    }
    policy, counts = la.Policy(**{**asked, **more}), cut_oracle.counts(tiny)
    tables, faults = tabulate(policy, counts)
    assert not faults
    return KOptimizeAsPublished().why_unsuitable(Problem(policy, counts, tables))


def test_it_refuses_in_a_sentence():
    star = Conventions(suppressed="star")
    assert refusal() is None
    assert "discernibility and classification" in refusal(metric=la.Loss())
    assert "none or at least k" in refusal(conventions=star)
    assert refusal(conventions=star, suppress=0) is None
    assert refusal(conventions=Conventions(suppressed="star", stars="wildcard")) is None
    assert "no order" in refusal(hierarchy=lambda values: la.flat())
    siblings = Conventions(cuts="siblings")
    assert refusal(conventions=siblings) is None  # without groups there is nothing to keep to
    paired = refusal(hierarchy=lambda values: la.ordered(values, widths=[2]), conventions=siblings)
    assert "cuts anywhere" in paired
    with pytest.raises(la.PolicyError):
        KOptimizeAsPublished(seeded="no")
