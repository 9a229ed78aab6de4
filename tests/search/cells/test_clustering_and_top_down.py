"""k-member, MDAV and top-down specialization: against their rules in plain Python, and laws.

The twins work on single rows and lists, by the definitions; they share no code with the searches.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
import tiny
from cell_oracle import _prices, cheapest
from effort import effort

import lookalike as la
from lookalike.counts.frequency_set import FrequencySet
from lookalike.search.cells import components
from lookalike.solution.recoding import GONE
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal

BY_ROWS = ("k-member", "mdav")
RIVALS = (*BY_ROWS, "top-down")
TIE = 1e-9


# --- the rules, on rows and labels --------------------------------------------------------------


def least(some, of):
    """The first of those for which it is least."""
    some = list(some)
    found = [of(one) for one in some]
    return some[next(i for i, cost in enumerate(found) if cost <= min(found) + TIE)]


class Plain:
    """What rows show and pay; ``broken`` names a rule that is not kept."""

    def __init__(self, given, metric="precision", broken=""):
        self.given, self.broken = given, broken
        self.k, self.columns = given.k, range(len(given.hierarchies))
        self.prices = cache(lambda a, value: _prices(given, a, value, metric))

    def answer(self):
        """How many rows show what levels, None if left out; None if nothing is released."""
        found = Counter()
        for end in self.lots(sorted(self.given.rows), self.given.high):
            if len(end) < self.k:
                found.update((row, None) for row in end)
            else:
                for lot in self.classes(end):
                    assert len(lot) >= self.k
                    found.update((row, self.levels(lot, row)) for row in lot)
        gone = sum(count for (_, levels), count in found.items() if levels is None)
        return found if gone <= min(self.given.allowance, len(self.given.rows) - 1) else None

    def lots(self, rows, levels):
        found = {}
        for row in rows:
            found.setdefault(tuple(self.path(a, row)[levels[a]] for a in self.columns), []).append(
                row
            )
        return found.values()

    def path(self, a, row):
        return self.given.hierarchies[a][row[a]]

    def label(self, a, lot):
        """The lowest that all share."""
        level = self.given.low[a]
        while len({self.path(a, row)[level] for row in lot}) > 1:
            level += 1
        return self.path(a, lot[0])[level]

    def levels(self, lot, row):
        """The lowest on which a row shows the labels of its lot."""
        labels = [self.label(a, lot) for a in self.columns]
        low = self.given.low
        return tuple(self.path(a, row).index(labels[a], low[a]) for a in self.columns)

    def paid(self, a, lot):
        label = self.label(a, lot)
        each = (self.prices(a, row[a])[label] for row in lot)
        return self.given.weights[a] * sum(each) / sum(self.given.weights)

    def cost(self, lot):
        return sum(self.paid(a, lot) for a in self.columns)


class PlainMember(Plain):
    def classes(self, left):
        found, last = [], [left[0]]
        while len(left) >= self.k:
            sign = 1 if self.broken == "nearest first" else -1
            seed = least(left, lambda row: sign * self.cost([*last, row]))  # noqa: B023
            last = [row for row in left if row == seed]
            left = [row for row in left if row != seed]
            while len(last) < self.k:
                equals = [row for row in left if row == last[-1]]
                row = least([*equals, *left], lambda row: self.added(row, last))  # noqa: B023
                last.append(row)
                left.remove(row)
            found.append(last)
        for row in left:
            lot = least(found, lambda lot: self.added(row, lot))  # noqa: B023
            (found[0] if self.broken == "left over" else lot).append(row)
        return found

    def added(self, row, lot):
        return self.cost([*lot, row]) - self.cost(lot)


class PlainMdav(Plain):
    def classes(self, left):
        found = []
        while len(left) >= 2 * self.k:
            if len(found) % 2 == 0 or self.broken == "always the centre":
                start = self.centre(left)
            start = least(left, lambda row: -self.cost([start, row]))  # noqa: B023
            equals = [row for row in left if row == start]
            lot = equals[: len(left) - self.k]
            for row in lot:
                left.remove(row)
            while len(lot) < self.k:
                row = least(left, lambda row: self.cost([start, row]))  # noqa: B023
                lot.append(row)
                left.remove(row)
            found.append(lot)
        return [*found, left]

    def centre(self, left):
        if self.broken == "most frequent":
            return tuple(Counter(row[a] for row in left).most_common()[0][0] for a in self.columns)

        def mean(a):
            return lambda row: sum(self.paid(a, [row, other]) for other in left) / len(left)

        return tuple(least(left, mean(a))[a] for a in self.columns)


class PlainTopDown(Plain):
    """The cut as the level of each value; labels that only repeat are passed over."""

    def answer(self):
        given = self.given
        self.rows = sorted(given.rows)
        cut = [{row[a]: given.high[a] for row in self.rows} for a in self.columns]
        if self.smallest(cut) < self.k:
            return None
        while options := [self.option(cut, *node) for node in self.nodes(cut)]:
            options = [(score, after) for score, after in options if self.smallest(after) >= self.k]
            if not options:
                break
            cut = least(options, lambda option: -option[0])[1]
        return Counter(
            (row, tuple(self.cheapest(a, row, cut[a][row[a]]) for a in self.columns))
            for row in self.rows
        )

    def cheapest(self, a, row, level):
        return self.path(a, row).index(self.path(a, row)[level], self.given.low[a])

    def shown(self, cut, a, row):
        return cut[a][row[a]], self.path(a, row)[cut[a][row[a]]]

    def nodes(self, cut):
        """Column, and what is shown, in canonical order."""
        for a in self.columns:
            nodes = dict.fromkeys(self.shown(cut, a, row) for row in self.rows)
            yield from ((a, level, label) for level, label in nodes if level > self.given.low[a])

    def smallest(self, cut):
        shown = (tuple(self.shown(cut, a, row) for a in self.columns) for row in self.rows)
        return min(Counter(shown).values())

    def option(self, cut, a, level, label):
        under = [row for row in self.rows if self.shown(cut, a, row) == (level, label)]
        below = level - 1
        while below > self.given.low[a] and {self.path(a, row)[below] for row in under} == {label}:
            below -= 1
        after = [*cut[:a], {**cut[a], **{row[a]: below for row in under}}, *cut[a + 1 :]]

        def price(row, level):
            return self.prices(a, row[a])[self.path(a, row)[level]]

        gain = self.given.weights[a] * sum(price(row, level) - price(row, below) for row in under)
        lost = self.smallest(cut) - self.smallest(after)
        return gain if self.broken == "whatever is lost" else gain / (1 + lost), after


PLAIN = {"k-member": PlainMember, "mdav": PlainMdav, "top-down": PlainTopDown}


def larger(seed, rows=30, values=(2, 5, 12), rare=(0, 1, 2)):
    """Some rows over trees of three levels, some values rare, no bounds."""
    rng = random.Random(seed)
    trees, columns = [], []
    for a in range(3):
        leaves = [f"{a}.{i}" for i in range(rng.choice(values))]
        wide = rng.choice([2, 3])
        trees.append({v: [v, f"g{a}.{i // wide}", "*"] for i, v in enumerate(leaves)})
        rarity = [1 / (1 + i) ** rng.choice(rare) for i in range(len(leaves))]
        columns.append(rng.choices(leaves, rarity, k=rows))
    made = next(tiny.tiny_problems(1, seed))
    return replace(
        made, rows=list(zip(*columns, strict=True)), hierarchies=trees, weights=[1, 2, 0.5],
        k=rng.choice([2, 3, 5]), allowance=0, classes=["x"] * rows, low=(0,) * 3, high=(2,) * 3,
    )  # fmt: skip


def tables(seed, by=""):
    """A fifth of them larger, since there is more to choose; each with a metric."""
    some = list(tiny.tiny_problems(effort(150), seed))
    dense = (100, (4, 6, 9), (1,)) if by == "top-down" else ()
    some += [larger(seed + i, *dense) for i in range(effort(56))]
    return [(one, ("precision", "loss")[i % 2]) for i, one in enumerate(some)]


METRIC = {"precision": la.Precision(), "loss": la.Loss()}


def answer(problem, by):
    """As the twins tell it."""
    recoding = la.solve(problem, by).recoding
    if recoding is None:
        return None
    codes = problem.counts.codes[problem.canonical][recoding.group]
    rows = [tuple(problem.counts.values[a][c] for a, c in enumerate(row)) for row in codes]
    levels = [None if GONE in row else tuple(row) for row in recoding.levels.tolist()]
    found = Counter()
    for row, shown, count in zip(rows, levels, recoding.rows.tolist(), strict=True):
        found[row, shown] += count
    return found


@pytest.mark.parametrize("by", RIVALS)
def test_they_follow_their_rules(by):
    for given, metric in tables(701, by):
        assert answer(tiny.problem(given, METRIC[metric]), by) == PLAIN[by](given, metric).answer()


@pytest.mark.parametrize(
    ("by", "broken"),
    [
        ("k-member", "nearest first"),
        ("k-member", "left over"),
        ("mdav", "always the centre"),
        ("mdav", "most frequent"),
        ("top-down", "whatever is lost"),
    ],
)
def test_a_broken_rule_is_seen(by, broken):
    assert any(
        PLAIN[by](given, metric, broken).answer() != PLAIN[by](given, metric).answer()
        for given, metric in reversed(tables(701, by))
    )


# --- laws ---------------------------------------------------------------------------------------


def test_they_release_what_can_be_released_and_never_below_the_optimum():
    """Top-down only if no row need be left out. The verifier accepts cost and bound."""
    metrics = {**METRIC, "geometric": la.Loss(aggregate="geometric")}
    released, compared = Counter(), 0
    for i, one in enumerate(tiny.tiny_problems(effort(400), 702)):
        name = list(metrics)[i % 3]
        problem = tiny.problem(one, metrics[name])
        optimum = cheapest(one, name if name in METRIC else "precision")
        for by in RIVALS:
            solution = la.solve(problem, by)
            short = by == "top-down" and not all_have_lookalikes(one)
            if optimum is None or short:
                assert solution.cost is None
                continue
            assert solution.cost is not None
            released[by] += 1
            findings = check_claim(
                CountedOriginal(problem.counts, problem.tables, problem.policy), solution
            )
            assert all(finding.holds for finding in findings), findings
            if name in METRIC:
                assert solution.cost >= optimum - 1e-9
                compared += solution.cost > optimum + 1e-9
    assert min(released[by] for by in RIVALS) > 40
    assert compared > 15


def all_have_lookalikes(given):
    """At the coarsest levels."""
    shown = Plain(given).lots(given.rows, given.high)
    return all(len(lot) >= given.k for lot in shown)


@pytest.mark.parametrize("by", [*RIVALS, "mondrian:cut=median:relaxed"])
def test_the_order_in_which_groups_and_values_were_counted_makes_no_difference(by):
    rng = np.random.default_rng(5)
    for given, metric in tables(703)[:: 1 if by == "mdav" else 2]:
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
        found = [
            la.solve(tiny.problem(given, METRIC[metric], given=counted), by).recoding
            for counted in (counts, shuffled)
        ]
        assert found[0] == found[1]


# --- examples -----------------------------------------------------------------------------------


def problem_of(columns, **policy):
    asked = la.Policy(
        quasi_identifiers={name: la.flat() for name in columns},
        require=la.KAnonymity(2),
        **policy,
    )
    return la.prepare(pa.table(columns), asked)


@pytest.mark.parametrize("by", RIVALS)
@pytest.mark.parametrize("model", ["CG_", "CG_CS", None])
def test_they_follow_the_models_by_cell(by, model):
    solution = la.solve(problem_of({"a": [*"aabbc"], "b": [*"xxyyy"]}, model=model), by)
    assert solution.status in (la.FEASIBLE, la.OPTIMAL)
    assert solution.classes == 2


@pytest.mark.parametrize("by", RIVALS)
def test_an_empty_table_is_released_as_it_is(by):
    none = pa.array([], pa.string())
    solution = la.solve(problem_of({"a": none, "b": none}), by)
    assert solution.status in (la.FEASIBLE, la.OPTIMAL)


def test_equals_of_the_first_row_cost_nothing_even_beyond_k():
    columns = {"a": [*"aaaaabbbbb"], "b": [*"xxxxxyyyyy"]}
    for by in BY_ROWS:
        assert la.solve(problem_of(columns), by).cost == 0


def test_rows_without_lookalikes_at_the_coarsest_labels_are_left_out_if_they_may_be():
    columns, bounds = {"a": [*"aaabbc"], "b": [*"xyyzzx"]}, {"a": (0, 0)}
    for by in RIVALS:
        assert la.solve(problem_of(columns, levels=bounds), by).status is la.INFEASIBLE
    for by in BY_ROWS:
        solution = la.solve(problem_of(columns, levels=bounds, suppress=1), by)
        assert solution.suppressed == 1
    top_down = la.solve(problem_of(columns, levels=bounds, suppress=1), "top-down")
    assert top_down.status is la.UNKNOWN  # it leaves no row out


@pytest.mark.parametrize("by", [*BY_ROWS, "mondrian:cut=median:relaxed"])
def test_they_refuse_a_metric_that_cannot_be_told_once_groups_are_split(by):
    problem = tiny.problem(larger(1), la.Classification("label"))
    with pytest.raises(la.NotSuited, match="CM cannot be computed"):
        la.solve(problem, by)


@pytest.mark.parametrize("by", BY_ROWS)
def test_they_refuse_what_would_take_too_long(by, monkeypatch):
    monkeypatch.setattr(components, "MAX_TUPLES", 2)
    with pytest.raises(la.NotSuited, match="at most 2 of them, and there are 3"):
        la.solve(problem_of({"a": [*"abc"]}), by)
    assert la.solve(problem_of({"a": [*"aabb"]}), by).cost == 0


def test_a_limit_ends_rows_without_an_answer_and_top_down_where_it_stands():
    problem = tiny.problem(larger(1), la.Precision())
    for by in BY_ROWS:
        assert la.solve(problem, by, la.Limits(seconds=0)).status is la.UNKNOWN
    looks = iter([False, False, True])
    stopped = la.solve(problem, "top-down", la.Limits(cancelled=lambda: next(looks, True)))
    assert stopped.stop is la.Stop.INTERRUPTED
    assert la.solve(problem, "top-down").cost < stopped.cost < 1


def test_what_top_down_releases_is_one_label_a_value():
    problem = tiny.problem(larger(3), la.Loss())
    recoding = la.solve(problem, "top-down").recoding
    codes = problem.counts.codes[problem.canonical][recoding.group]
    for leaf, level in zip(codes.T, recoding.levels.T, strict=True):
        assert len({*zip(leaf.tolist(), level.tolist(), strict=True)}) == len({*leaf.tolist()})


def test_top_down_passes_over_a_label_that_only_repeats():
    """To split g gains most for its weight, once it is seen that g on level 1 is g again."""
    trees = {"a": la.tree([[v, "g", "g", "*"] for v in "xy"]), "b": la.flat()}
    policy = la.Policy(
        quasi_identifiers=trees, require=la.KAnonymity(2), weights={"a": 4.0, "b": 1.0}
    )
    problem = la.prepare(pa.table({"a": [*"xxyy"], "b": [*"uvuv"]}), policy)
    assert la.solve(problem, "top-down").recoding.levels.tolist() == [[0, 1]] * 4
