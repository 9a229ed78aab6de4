"""What a recoding by cuts costs, against formulas written out row by row, with fractions."""

import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
import tiny
from cut_recodings import random_cuts
from effort import effort

import lookalike as la
from lookalike.cost.interval_leaves import IntervalLeaves
from lookalike.counts.frequency_set import FrequencySet
from lookalike.problem.prepare import tabulate
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import levels_are_cuts
from lookalike.solution.recoding import Cuts

CONVENTIONS = [
    la.Conventions(),
    la.Conventions(cuts="siblings"),
    la.Conventions(suppressed="star"),
    la.Conventions(suppressed="star", stars="wildcard"),
]
TELL = ("discernibility", "classification", "class-size", "loss", "loss-geometric", "entropy")


def walk(hierarchy, leaves, level):
    """The leaves in preorder: groups as they first appear, top down."""
    if level == 0:
        return list(leaves)
    groups = {}
    for leaf in leaves:
        groups.setdefault(hierarchy[leaf][level - 1], []).append(leaf)
    return [leaf for group in groups.values() for leaf in walk(hierarchy, group, level - 1)]


def in_order(one, a):
    """The values of a column that occur, in the tree's order."""
    hierarchy = one.hierarchies[a]
    occur = {row[a] for row in one.rows}
    every = walk(hierarchy, list(hierarchy), len(next(iter(hierarchy.values()))))
    return [leaf for leaf in every if leaf in occur]


def intervals(one, recoding):
    """Per column: each value's interval, as the set of its values."""
    found = []
    for a, cuts in enumerate(recoding.cuts):
        values = in_order(one, a)
        edges = [0, *cuts, len(values)]
        parts = [frozenset(values[i:j]) for i, j in pairwise(edges)]
        found.append({value: part for part in parts for value in part})
    return found


def stands_for(one, a, part):
    """The declared leaves of an interval: of each group inside it whole, else of its members."""
    hierarchy = one.hierarchies[a]
    occur = {row[a] for row in one.rows}

    def count(leaves, level):
        here = {leaf for leaf in leaves if leaf in occur}
        if not here & part:
            return 0
        if level > one.low[a]:
            groups = {}
            for leaf in leaves:
                groups.setdefault(hierarchy[leaf][level - 1], []).append(leaf)
            held = [group for group in groups.values() if set(group) & here]
            if len(held) == 1:  # a smaller group has the same values
                return count(held[0], level - 1)
            if not here <= part:
                return sum(count(group, level - 1) for group in held)
        return len(leaves)

    return count(list(hierarchy), len(next(iter(hierarchy.values()))) - 1)


def by_hand(one, recoding):
    """Cost by every metric that can tell, rows suppressed, classes released."""
    of = intervals(one, recoding)
    shown = [tuple(of[a][value] for a, value in enumerate(row)) for row in one.rows]
    held = Counter(shown)
    gone = [held[row] < one.k for row in shown]
    kept = {row: count for row, count in held.items() if count >= one.k}
    suppressed, rows = sum(gone), len(one.rows)
    wrong = suppressed
    for row, count in kept.items():
        labels = Counter(c for c, s in zip(one.classes, shown, strict=True) if s == row)
        wrong += count - max(labels.values())
    losses, bits = [], []
    for a, hierarchy in enumerate(one.hierarchies):
        column = Counter(row[a] for row in one.rows)
        loss, guess = Fraction(0), 0.0
        for row, out in zip(one.rows, gone, strict=True):
            part = of[a][row[a]]
            lost = Fraction(stands_for(one, a, part) - 1, max(1, len(hierarchy) - 1))
            loss += 1 if out else lost
            covered = rows if out else sum(column[value] for value in part)
            guess += math.log2(covered / column[row[a]])
        losses.append(loss / rows)
        bits.append(guess / rows)
    weights = [Fraction(w) / sum(map(Fraction, one.weights)) for w in one.weights]
    costs = {
        "discernibility": sum(n * n for n in kept.values()) + rows * suppressed,
        "classification": wrong,
        "class-size": rows / max(1, len(kept) + (suppressed > 0)),
        "loss": float(sum(w * loss for w, loss in zip(weights, losses, strict=True))),
        "loss-geometric": math.prod(
            float(1 + loss) ** float(w) for w, loss in zip(weights, losses, strict=True)
        )
        - 1,
        "entropy": sum(float(w) * b for w, b in zip(weights, bits, strict=True)),
    }
    return costs, suppressed, len(kept)


def safe(one, suppressed, conventions):
    within = suppressed <= one.allowance and suppressed < len(one.rows)
    starred = conventions.suppressed == "star" and conventions.stars == "own"
    return within and not (starred and 0 < suppressed < one.k)


@pytest.mark.parametrize("part", range(4))
def test_every_metric_equals_the_formula_written_out(part):
    rng = random.Random(part)
    conventions = CONVENTIONS[part]
    met = 0
    for one in tiny.tiny_problems(effort(1_000), 70 + part):
        recoding = random_cuts(tiny.problem(one, la.Loss(), conventions), rng)
        costs, suppressed, classes = by_hand(one, recoding)
        for metric in TELL:
            problem = tiny.problem(one, tiny.METRICS[metric][0], conventions)
            found = problem.evaluate(recoding)
            assert found.cost == pytest.approx(costs[metric], rel=1e-12, abs=1e-12), metric
            assert problem.evaluate(recoding).cost == found.cost
            assert (found.suppressed, found.classes) == (suppressed, classes)
            assert found.meets == safe(one, suppressed, conventions)
            assert found.cost >= problem.least_cost - 1e-12
            met += found.meets
    assert met > effort(250)


def test_levels_of_a_hierarchy_tell_nothing_of_intervals():
    one = next(tiny.tiny_problems(1, 3))
    for metric in ("precision", "height"):
        problem = tiny.problem(one, tiny.METRICS[metric][0])
        found = problem.evaluate(random_cuts(problem, random.Random(1)))
        assert found.cost == math.inf


def reordered(counts, rng):
    """The same counts with values and groups in another order."""
    places = [rng.sample(range(len(v)), len(v)) for v in counts.values]
    values = [[None] * len(v) for v in counts.values]
    for a, place in enumerate(places):
        for old, new in enumerate(place):
            values[a][new] = counts.values[a][old]
    codes = [[places[a][code] for a, code in enumerate(row)] for row in counts.codes.tolist()]
    moved = FrequencySet(
        counts.names,
        tuple(map(tuple, values)),
        np.array(codes, dtype=np.int32),
        counts.counts,
        counts.sensitive,
    )
    return tiny.shuffled(moved)


def test_the_cost_does_not_depend_on_the_order_of_an_engine():
    rng = random.Random(8)
    for one in tiny.tiny_problems(150, 9):
        given = tiny.counts(one)
        for metric in TELL:
            problem = tiny.problem(one, tiny.METRICS[metric][0], given=given)
            other = tiny.problem(one, tiny.METRICS[metric][0], given=reordered(given, rng))
            recoding = random_cuts(problem, rng)
            assert (
                problem.evaluate(recoding).cost == other.evaluate(recoding).cost
            )  # to the last digit


def test_a_node_costs_no_less_than_its_own_cuts():
    """So a bound on cuts holds for levels, which ``compare`` relies on."""
    rng = random.Random(4)
    for one in tiny.tiny_problems(300, 5):
        levels = tuple(map(rng.randint, one.low, one.high))
        for metric in TELL:
            problem = tiny.problem(one, tiny.METRICS[metric][0])
            assert levels_are_cuts(problem)
            node = problem.evaluate_node(levels)
            cuts = problem.evaluate(cuts_of(problem, levels))
            assert cuts.suppressed == node.suppressed
            assert cuts.meets == node.meets
            if not node.meets:
                continue
            assert cuts.cost <= node.cost + 1e-12
            if not metric.startswith("loss"):
                assert cuts.cost == pytest.approx(node.cost)


def cuts_of(problem, levels):
    lists = []
    for table, level in zip(problem.tables, levels, strict=True):
        codes = table.codes[table.order, level].tolist()
        lists.append(tuple(p for p in range(1, len(codes)) if codes[p] != codes[p - 1]))
    return Cuts(problem.names, tuple(lists))


def test_one_more_cut_never_makes_an_interval_stand_for_more():
    rng = random.Random(6)
    for one in tiny.tiny_problems(300, 7):
        problem = tiny.problem(one, la.Loss())
        for a, (table, low) in enumerate(zip(problem.tables, problem.low, strict=True)):
            leaves = IntervalLeaves(table, low)
            cuts = random_cuts(problem, rng, 0.5).cuts[a]
            more = tuple(sorted({*cuts, *random_cuts(problem, rng, 0.5).cuts[a]}))
            rank = problem.cut_space.rank[a]
            coarse = np.searchsorted(np.array(cuts, dtype=np.int64), rank, side="right")
            fine = np.searchsorted(np.array(more, dtype=np.int64), rank, side="right")
            assert (leaves.inside(fine)[fine] <= leaves.inside(coarse)[coarse]).all()
            assert leaves.inside(coarse).sum() <= table.declared


def test_several_sets_of_columns_are_each_kept_safe():
    """Against the kernel of the lattice, which knows sets: cuts that are a node."""
    rng = random.Random(2)
    tried = 0
    for one in tiny.tiny_problems(300, 12):
        if len(one.hierarchies) < 2:
            continue
        policy = tiny.policy(one, la.Loss())
        linked = replace(policy, linking={"a": policy.names[:1], "b": policy.names[1:]})
        counts = tiny.counts(one)
        problem = Problem(linked, counts, tabulate(linked, counts)[0])
        levels = tuple(map(rng.randint, one.low, one.high))
        node, cuts = problem.evaluate_node(levels), problem.evaluate(cuts_of(problem, levels))
        assert (cuts.suppressed, cuts.classes) == (node.suppressed, node.classes)
        tried += 1
    assert tried > 100


def test_more_combinations_than_an_integer_holds():
    rng = np.random.default_rng(1)
    columns, leaves, groups = 12, 60, 500
    codes = rng.integers(0, leaves, (groups, columns)).astype(np.int32)
    codes[1::2] = codes[::2]
    codes[1::2, 0] = np.minimum(codes[::2, 0] ^ 1, leaves - 1)
    names = tuple(f"q{a}" for a in range(columns))
    rows, held = np.unique(codes, axis=0, return_counts=True)
    values = tuple(tuple(range(leaves)) for _ in names)
    counts = FrequencySet(names, values, rows.astype(np.int32), held.astype(np.int64))
    policy = la.Policy(
        quasi_identifiers={name: la.bands(5) for name in names},
        require=la.KAnonymity(2),
        suppress=1.0,
        metric=la.Discernibility(),
    )
    problem = Problem(policy, counts, tabulate(policy, counts)[0])
    every_other = tuple(range(2, leaves, 2))
    cuts = Cuts(names, (every_other, *[tuple(range(1, leaves))] * (columns - 1)))
    found = problem.evaluate(cuts)
    shown = Counter()
    for row, count in zip(rows.tolist(), held.tolist(), strict=True):
        shown[(row[0] // 2, *row[1:])] += count
    kept = [count for count in shown.values() if count > 1]
    assert (found.classes, found.suppressed) == (len(kept), groups - sum(kept))
    assert found.cost == sum(n * n for n in kept) + groups * found.suppressed


def test_cells_that_show_nothing_are_counted():
    table = {"q": ["a", "b", "a", "b"], "r": ["x", "x", "y", "y"], "label": list("1234")}
    problem = la.prepare(
        pa.table(table),
        la.Policy(
            quasi_identifiers={"q": la.flat(), "r": la.flat()},
            sensitive="label",
            require=la.KAnonymity(2),
            metric=la.Discernibility(),
        ),
    )
    assert problem.apply(Cuts(problem.names, ((), (1,)))).stars() == 4
    assert problem.apply(Cuts(problem.names, ((), ()))).stars() == 8
