"""Laws of cell-level algorithms that put rows into classes; test files inherit them.

``by`` is the algorithm's name, ``plain`` its rule in plain Python, ``broken`` names rules that the
tables must be able to tell from it.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
import tiny
from cell_oracle import cheapest
from effort import effort
from plain_classes import Plain
from verified_claims import refused_claims

import lookalike as la
from lookalike.counts.frequency_set import FrequencySet
from lookalike.search.cells import components
from lookalike.solution.recoding import GONE

METRIC = {"precision": la.Precision(), "loss": la.Loss()}


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


def answer(problem, by):
    """How many rows show what levels, as the rules in plain Python say it."""
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


def problem_of(columns, **policy):
    asked = la.Policy(
        quasi_identifiers={name: la.flat() for name in columns},
        require=la.KAnonymity(2),
        **policy,
    )
    return la.prepare(pa.table(columns), asked)


def all_have_lookalikes(given):
    """At the coarsest levels."""
    shown = Plain(given).lots(given.rows, given.high)
    return all(len(lot) >= given.k for lot in shown)


def check_order_of_counts(by, every=2):
    """The order in which groups and values were counted makes no difference."""
    rng = np.random.default_rng(5)
    for given, metric in tables(703)[::every]:
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


def check_split_groups_refused(by):
    """A metric that cannot be computed once groups are split is refused."""
    problem = tiny.problem(larger(1), la.Classification("label"))
    with pytest.raises(la.NotSuited, match="CM cannot be computed"):
        la.solve(problem, by)


class ClassLaws:
    """Of every such algorithm."""

    by: ClassVar[str]
    plain: ClassVar[Any]
    broken: ClassVar[tuple[str, ...]]
    suppresses: ClassVar[bool] = True
    every: ClassVar[int] = 2  # table whose order of counts is changed

    def test_it_follows_its_rule(self):
        for given, metric in tables(701, self.by):
            problem = tiny.problem(given, METRIC[metric])
            assert answer(problem, self.by) == self.plain(given, metric).answer()

    def test_a_broken_rule_is_seen(self):
        for broken in self.broken:
            assert any(
                self.plain(given, metric, broken).answer() != self.plain(given, metric).answer()
                for given, metric in reversed(tables(701, self.by))
            )

    def test_it_releases_what_can_be_released_and_never_below_the_optimum(self):
        """The verifier accepts cost and bound."""
        metrics = {**METRIC, "geometric": la.Loss(aggregate="geometric")}
        released = compared = 0
        for i, one in enumerate(tiny.tiny_problems(effort(400), 702)):
            name = list(metrics)[i % 3]
            problem = tiny.problem(one, metrics[name])
            optimum = cheapest(one, name if name in METRIC else "precision")
            solution = la.solve(problem, self.by)
            if optimum is None or not (self.suppresses or all_have_lookalikes(one)):
                assert solution.cost is None
                continue
            assert solution.cost is not None
            released += 1
            assert not refused_claims(problem, solution)
            if name in METRIC:
                assert solution.cost >= optimum - 1e-9
                compared += solution.cost > optimum + 1e-9
        assert released > 40
        assert compared > 2

    def test_the_order_in_which_groups_and_values_were_counted_makes_no_difference(self):
        check_order_of_counts(self.by, self.every)

    @pytest.mark.parametrize("model", ["CG_", "CG_CS", None])
    def test_it_follows_the_models_by_cell(self, model):
        problem = problem_of({"a": [*"aabbc"], "b": [*"xxyyy"]}, model=model)
        solution = la.solve(problem, self.by)
        assert solution.status in (la.FEASIBLE, la.OPTIMAL)
        assert solution.classes == 2

    def test_an_empty_table_is_released_as_it_is(self):
        none = pa.array([], pa.string())
        solution = la.solve(problem_of({"a": none, "b": none}), self.by)
        assert solution.status in (la.FEASIBLE, la.OPTIMAL)

    def test_rows_without_lookalikes_at_the_coarsest_labels_are_suppressed_if_they_may_be(self):
        columns, bounds = {"a": [*"aaabbc"], "b": [*"xyyzzx"]}, {"a": (0, 0)}
        assert la.solve(problem_of(columns, levels=bounds), self.by).status is la.INFEASIBLE
        solution = la.solve(problem_of(columns, levels=bounds, suppress=1), self.by)
        if self.suppresses:
            assert solution.suppressed == 1
        else:
            assert solution.status is la.UNKNOWN


class ClusteringLaws(ClassLaws):
    """Of those that compare all pairs of tuples."""

    def test_rows_equal_to_the_first_row_cost_nothing_even_beyond_k(self):
        columns = {"a": [*"aaaaabbbbb"], "b": [*"xxxxxyyyyy"]}
        assert la.solve(problem_of(columns), self.by).cost == 0

    def test_it_refuses_a_metric_that_cannot_be_computed_once_groups_are_split(self):
        check_split_groups_refused(self.by)

    def test_it_refuses_what_would_take_too_long(self, monkeypatch):
        monkeypatch.setattr(components, "MAX_TUPLES", 2)
        with pytest.raises(la.NotSuited, match="at most 2 of them, and there are 3"):
            la.solve(problem_of({"a": [*"abc"]}), self.by)
        assert la.solve(problem_of({"a": [*"aabb"]}), self.by).cost == 0

    def test_a_limit_ends_it_without_a_result(self):
        problem = tiny.problem(larger(1), la.Precision())
        assert la.solve(problem, self.by, la.Limits(seconds=0)).status is la.UNKNOWN
