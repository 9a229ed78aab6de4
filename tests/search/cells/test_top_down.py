"""Top-down specialization: against its rule in plain Python, laws, and examples."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import tiny
from class_laws import ClassLaws, larger
from plain_classes import Plain, least

import lookalike as la


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


class TestTopDown(ClassLaws):
    by = "top-down"
    plain = PlainTopDown
    broken = ("whatever is lost",)
    suppresses = False


def test_at_a_limit_it_offers_what_it_has_so_far():
    problem = tiny.problem(larger(1), la.Precision())
    looks = iter([False] * (len(problem.names) + 2))  # enough for one label
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
