"""Mondrian against its own rule in plain Python, and against what any release must keep."""

import itertools
import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
import tiny
from cell_maps import lowest_levels
from class_laws import check_order_of_counts, check_split_groups_refused

import lookalike as la
from lookalike.counts.frequency_set import FrequencySet
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import label_numbers
from lookalike.search.cells import mondrian, mondrian_table
from lookalike.search.cells.mondrian import Mondrian
from lookalike.solution.recoding import GONE

CUTS = ("best", "median")


# --- the rule, on rows and labels ---------------------------------------------------------------


def together(lots):
    return [row for lot in lots for row in lot]


class Plain:
    """Mondrian's rule as its docstring tells it, with no numbers for labels and no bits."""

    def __init__(self, given, cut, ordered):
        self.given, self.cut, self.ordered = given, cut, ordered
        self.held = Counter(given.rows)
        self.trees = given.hierarchies
        self.values = [sorted({row[a] for row in given.rows}) for a in range(len(self.trees))]
        self.order = [list(tree) for tree in self.trees] if ordered else self.values

    def answer(self):
        """Each distinct row's levels, None if it is left out; None if nothing can be released."""
        found = {}
        for part in self.lots(list(self.held), range(len(self.trees)), self.given.high):
            if self.size(part) < self.given.k:
                found |= dict.fromkeys(part)
            else:
                found |= self.released(part)
        gone = self.size([row for row in found if found[row] is None])
        return found if gone <= min(self.given.allowance, len(self.given.rows) - 1) else None

    def released(self, part):
        options = self.best(part) if self.cut == "best" else self.widest(part)
        best, sides = 1e-12 if self.cut == "best" else -1, None
        for worth, option in options:
            if worth > best + 1e-12:
                best, sides = worth, option
        if sides is None:
            return dict.fromkeys(part, tuple(self.levels(part)))
        return {row: levels for side in sides for row, levels in self.released(side).items()}

    def best(self, part):
        for a, top in enumerate(self.levels(part)):
            for level in range(self.given.low[a], top):
                lots = self.lots(part, [a], [level])
                for sides in [self.apart(lots), *(self.in_two(a, lots) if len(lots) > 2 else [])]:
                    if len(sides) > 1 and min(map(self.size, sides)) >= self.given.k:
                        yield self.gain(part, sides), sides

    def in_two(self, a, lots):
        if self.ordered:
            yield self.halves(lots)
        for lot in lots:
            if 32 * self.size(lot) >= sum(map(self.size, lots)):
                yield [lot, together(other for other in lots if other is not lot)]

    def widest(self, part):
        for a, top in enumerate(self.levels(part)):
            label = self.trees[a][part[0][a]][top]
            under = sum(self.trees[a][value][top] == label for value in self.values[a])
            spread = self.weight(a) * Fraction(under - 1, max(1, len(self.values[a]) - 1))
            for level in reversed(range(self.given.low[a], top)):
                lots = self.lots(part, [a], [level])
                sides = self.halves(lots) if self.ordered else self.apart(lots)
                if len(sides) > 1 and min(map(self.size, sides)) >= self.given.k:
                    yield spread, sides
                    break

    def apart(self, lots):
        few = [lot for lot in lots if self.size(lot) < self.given.k]
        many = [lot for lot in lots if self.size(lot) >= self.given.k]
        if few and many and sum(map(self.size, few)) < self.given.k:
            few.append(many.pop(many.index(min(many, key=self.size))))
        return [*many, together(few)] if few else many

    def halves(self, lots):
        def apart_by(c):
            return abs(self.size(together(lots[:c])) - self.size(together(lots[c:])))

        c = min(range(1, len(lots)), key=apart_by)
        return [together(lots[:c]), together(lots[c:])]

    def gain(self, part, sides):
        size = self.size(part)
        bits = sum(self.size(side) * math.log2(size / self.size(side)) for side in sides)
        return float(self.cost(part) - sum(map(self.cost, sides))) / bits

    def cost(self, part):
        heights = [len(path) - 1 for path in (next(iter(tree.values())) for tree in self.trees)]
        each = sum(
            self.weight(a) * Fraction(level, heights[a])
            for a, level in enumerate(self.levels(part))
        )
        return self.size(part) * each

    def weight(self, a):
        return Fraction(self.given.weights[a]) / sum(map(Fraction, self.given.weights))

    def size(self, part):
        return sum(self.held[row] for row in part)

    def levels(self, part):
        for a, tree in enumerate(self.trees):
            level = self.given.low[a]
            while len({tree[row[a]][level] for row in part}) > 1:
                level += 1
            yield level

    def lots(self, part, columns, levels):
        """The part by its labels in some columns, in the columns' order."""
        found = {}
        for row in part:
            key = tuple(
                self.rank(a, row[a], up)
                for a, level in zip(columns, levels, strict=True)
                for up in reversed(range(level, len(self.trees[a][row[a]])))
            )
            found.setdefault(key, []).append(row)
        return [found[key] for key in sorted(found)]

    def rank(self, a, value, level):
        """Where the label of a value first appears."""
        labels = [self.trees[a][other][level] for other in self.order[a]]
        return labels.index(self.trees[a][value][level])


def problem_of(given, ordered=True, metric=None):
    made = tiny.problem(given, metric or la.Precision())
    if ordered:
        return made
    return Problem(made.policy, made.counts, [replace(t, order=None) for t in made.tables])


def levels_by_row(problem, recoding):
    codes = problem.counts.codes[problem.canonical][recoding.group]
    values = problem.counts.values
    rows = [tuple(values[a][code] for a, code in enumerate(row)) for row in codes]
    levels = [None if GONE in row else tuple(row) for row in recoding.levels.tolist()]
    return dict(zip(rows, levels, strict=True))


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("cut", CUTS)
def test_it_follows_its_rule(cut, ordered):
    for given in tiny.tiny_problems(200, seed=60):
        problem = problem_of(given, ordered)
        solution = la.solve(problem, Mondrian(cut))
        expected = Plain(given, cut, ordered).answer()
        if expected is None:
            assert solution.status is la.INFEASIBLE
        else:
            assert levels_by_row(problem, solution.recoding) == expected
            assert solution.suppressed == sum(expected[row] is None for row in given.rows)


def larger(seed):
    """A few hundred rows over trees of three levels, some values rare, no bounds."""
    rng = random.Random(seed)
    trees, columns = [], []
    for a in range(4):
        leaves = [f"{a}.{i}" for i in range(rng.choice([2, 9, 40]))]
        wide = rng.choice([2, 3, 7])
        trees.append({v: [v, f"g{a}.{i // wide}", "*"] for i, v in enumerate(leaves)})
        rarity = [1 / (1 + i) ** rng.choice([0, 1, 2]) for i in range(len(leaves))]
        columns.append(rng.choices(leaves, rarity, k=300))
    rows = list(zip(*columns, strict=True))
    made = next(tiny.tiny_problems(1, seed))
    return replace(
        made, rows=rows, hierarchies=trees, weights=[1, 2, 1, 0.5], k=rng.choice([2, 3, 5, 10]),
        allowance=0, classes=["x"] * len(rows), low=(0,) * 4, high=(2,) * 4,
    )  # fmt: skip


@pytest.mark.parametrize("cut", CUTS)
def test_it_follows_its_rule_on_larger_tables(cut):
    for seed in range(6):
        given = larger(seed)
        problem = problem_of(given)
        solution = la.solve(problem, Mondrian(cut))
        assert levels_by_row(problem, solution.recoding) == Plain(given, cut, True).answer()


# --- laws ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", CUTS)
def test_it_meets_k_within_bounds_with_the_lowest_labels(cut):
    met = 0
    metrics = itertools.cycle([la.Precision(), la.Loss(), la.Discernibility()])
    for given, metric in zip(tiny.tiny_problems(400, seed=61), metrics, strict=False):
        problem = problem_of(given, metric=metric)
        solution = la.solve(problem, Mondrian(cut))
        if solution.recoding is None:
            assert problem.high != tuple(table.height for table in problem.tables)
            continue
        met += 1
        assert solution.status in (la.FEASIBLE, la.OPTIMAL)
        recoding = solution.recoding
        kept = ~recoding.gone
        levels = recoding.levels[kept]
        assert (levels >= problem.low).all()
        assert (levels <= problem.high).all()
        groups = problem.canonical[recoding.group[kept]]
        shown = label_numbers(problem, problem.counts.codes[groups], levels)
        for labels in np.unique(shown, axis=0):
            alike = (shown == labels).all(axis=1)
            assert recoding.rows[kept][alike].sum() >= given.k
            assert (levels[alike] == lowest_levels(problem, groups[alike].tolist())).all()
    assert met > 300


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("cut", CUTS)
def test_the_order_in_which_groups_were_counted_makes_no_difference(cut, ordered):
    rng = np.random.default_rng(5)
    for given in tiny.tiny_problems(60, seed=62):
        counts = tiny.counts(given)
        numbers = [rng.permutation(len(values)) for values in counts.values]
        groups = rng.permutation(counts.groups)
        values = [
            tuple(values[i] for i in np.argsort(number))
            for values, number in zip(counts.values, numbers, strict=True)
        ]
        codes = [number[counts.codes[groups, a]] for a, number in enumerate(numbers)]
        shuffled = FrequencySet(
            counts.names, tuple(values), np.stack(codes, axis=1).astype(np.int32),
            counts.counts[groups],
        )  # fmt: skip
        found = []
        for counted in (counts, shuffled):
            made = tiny.problem(given, la.Precision(), given=counted)
            tables = made.tables if ordered else [replace(t, order=None) for t in made.tables]
            problem = Problem(made.policy, counted, tables)
            found.append(la.solve(problem, Mondrian(cut)).recoding)
        assert found[0] == found[1]


def test_short_words_and_little_effort_change_nothing(monkeypatch):
    given = larger(3)
    expected = la.solve(problem_of(given), Mondrian()).recoding
    monkeypatch.setattr(mondrian_table, "WORD_BITS", 6)
    monkeypatch.setattr(mondrian, "BATCH_GROUPS", 1)
    assert la.solve(problem_of(given), Mondrian()).recoding == expected


# --- examples -----------------------------------------------------------------------------------


def people(rows, seed):
    rng = random.Random(seed)
    return pa.table(
        {
            "age": [rng.choice([21, 22, 23, 35, 36, 51, None]) for _ in range(rows)],
            "zip": [rng.choice(["02138", "02139", "02141"]) for _ in range(rows)],
            "sex": [rng.choice(["f", "m"]) for _ in range(rows)],
            "ill": [rng.choice(["flu", "cold", None]) for _ in range(rows)],
        }
    )


POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(5, 20), "zip": la.prefix(), "sex": la.flat()},
    sensitive="ill",
    require=la.KAnonymity(3),
)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("rows", [3, 7, 60])
def test_its_release_verifies(cut, rows):
    table = people(rows, seed=rows)
    problem = la.prepare(table, POLICY)
    solution = la.solve(problem, Mondrian(cut))
    release = la.release(table, problem, solution)
    again = la.verify(
        release.table, release.certificate, original=table, policy=POLICY, solution=solution
    )
    assert again.passed, again.findings


def solved(columns, by=None, k=2, **policy):
    """One policy of flat columns."""
    quasi_identifiers = {name: la.flat() for name in columns}
    asked = la.Policy(quasi_identifiers=quasi_identifiers, require=la.KAnonymity(k), **policy)
    return la.solve(la.prepare(pa.table(columns), asked), by or Mondrian())


def test_where_only_the_top_is_safe_it_stays_there():
    solution = solved({"a": ["1", "2", "3"], "b": ["x", "y", "z"]})
    assert solution.recoding.levels.tolist() == [[1, 1]] * 3


def test_duplicates_stay_together_and_as_they_are():
    solution = solved({"a": ["1", "1", "2", "2", "2"], "b": ["x", "x", "y", "y", "y"]})
    assert solution.recoding.rows.tolist() == [2, 3]
    assert solution.cost == 0
    assert solution.status is la.OPTIMAL


def test_rare_labels_stay_together():
    """a and b are held by k rows; c and d together too, and they keep the label above."""
    solution = solved({"a": [*"aaabbbcd"]})
    assert dict(zip("abcd", solution.recoding.levels[:, 0].tolist(), strict=True)) == {
        "a": 0, "b": 0, "c": 1, "d": 1,
    }  # fmt: skip


def test_a_rare_label_is_joined_by_the_smallest_other():
    solution = solved({"a": [*"aaaaabbbc"]})
    assert solution.recoding.levels[:, 0].tolist() == [0, 1, 1]


def test_below_bounded_levels_rows_are_left_out_only_if_they_may_be():
    columns = {"a": [*"aaabbc"], "b": [*"xyyzzx"]}
    bounds = {"a": (0, 0), "b": (1, 1)}
    assert solved(columns, levels=bounds).status is la.INFEASIBLE
    solution = solved(columns, levels=bounds, suppress=1)
    assert solution.suppressed == 1
    assert solution.recoding.levels.tolist() == [[0, 1]] * 3 + [[GONE, GONE]]


def test_an_empty_table_has_nothing_to_cut():
    none = pa.array([], pa.string())
    solution = solved({"a": none, "b": none})
    assert solution.status in (la.FEASIBLE, la.OPTIMAL)
    assert len(solution.recoding.group) == 0


def test_a_limit_ends_it_without_an_answer():
    problem = la.prepare(people(60, seed=1), POLICY)
    solution = la.solve(problem, Mondrian(), la.Limits(seconds=0))
    assert solution.status is la.UNKNOWN
    assert solution.stop is la.Stop.TIME


def test_an_unknown_cut_is_refused():
    with pytest.raises(la.PolicyError, match="use one of: best, median"):
        Mondrian("worst")


# --- relaxed ------------------------------------------------------------------------------------


class Relaxed(Plain):
    """The same on single rows: in a column with an order, each half takes half of them."""

    def __init__(self, given):
        super().__init__(given, "median", True)

    def size(self, part):
        return len(part)

    def answer(self):
        """How many rows show what levels; None if nothing can be released."""
        found, gone = Counter(), 0
        for part in self.lots(sorted(self.given.rows), range(len(self.trees)), self.given.high):
            if len(part) < self.given.k:
                found.update((row, None) for row in part)
                gone += len(part)
            else:
                found.update(self.released(part))
        return found if gone <= min(self.given.allowance, len(self.given.rows) - 1) else None

    def released(self, part):
        levels = tuple(self.levels(part))
        spreads = [self.spread(part, a, top) for a, top in enumerate(levels)]
        if len(part) < 2 * self.given.k or max(spreads) < 0:
            return [(row, levels) for row in part]
        a = spreads.index(max(spreads))
        in_order = together(self.lots(part, [a], [self.given.low[a]]))
        half = len(part) // 2
        return [*self.released(in_order[:half]), *self.released(in_order[half:])]

    def spread(self, part, a, top):
        if top == self.given.low[a]:
            return -1
        label = self.trees[a][part[0][a]][top]
        under = sum(self.trees[a][value][top] == label for value in self.values[a])
        return self.weight(a) * Fraction(under - 1, max(1, len(self.values[a]) - 1))


def test_relaxed_it_halves_the_rows():
    split = 0
    some = [*tiny.tiny_problems(100, seed=63), *map(larger, range(4))]
    for given in some:
        problem = problem_of(given)
        recoding = la.solve(problem, Mondrian("median", relaxed=True)).recoding
        expected = Relaxed(given).answer()
        if expected is None:
            assert recoding is None
            continue
        found = Counter()
        codes = problem.counts.codes[problem.canonical][recoding.group].tolist()
        levels = [None if GONE in row else tuple(row) for row in recoding.levels.tolist()]
        for code, shown, rows in zip(codes, levels, recoding.rows.tolist(), strict=True):
            row = tuple(problem.counts.values[a][one] for a, one in enumerate(code))
            found[row, shown] += rows
        assert found == expected
        split += len(found) > problem.counts.groups
    assert split > 5  # equal rows went to both sides


def test_relaxed_needs_an_order_and_the_median():
    given = larger(2)
    strict = la.solve(problem_of(given, ordered=False), Mondrian("median")).recoding
    relaxed = la.solve(problem_of(given, ordered=False), Mondrian("median", relaxed=True)).recoding
    assert relaxed == strict
    with pytest.raises(la.PolicyError, match='use it with cut="median"'):
        Mondrian(relaxed=True)
    with pytest.raises(la.PolicyError, match="use True or False"):
        Mondrian("median", relaxed="yes")


def test_relaxed_the_order_in_which_groups_were_counted_makes_no_difference():
    check_order_of_counts("mondrian:cut=median:relaxed")


def test_relaxed_it_refuses_a_metric_that_cannot_be_computed_once_groups_are_split():
    check_split_groups_refused("mondrian:cut=median:relaxed")
