"""The numbers of a report are those of a plain recount, whatever the kind of recoding."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pandas as pd
import pytest
from report_cases import KINDS, K, far_release, release, table

from lookalike.counts.level_table import TOP
from lookalike.policy.conventions import Conventions
from lookalike.releasing.release import Release
from lookalike.report.facts.association import cramers_v
from lookalike.report.facts.public_edition import public_facts
from lookalike.report.facts.report_facts import Facts, internal_facts
from lookalike.report.facts.value_distributions import COARSER, in_bins, top_bars
from lookalike.report.facts.value_groups import grouping
from lookalike.report.number_format import MISSING
from lookalike.solution.recoding import CellMap

CASES = [(kind, seed) for kind in KINDS for seed in (21, 22, 23)]


@cache
def of(kind: str, seed: int) -> tuple[Release, Facts]:
    """Made once for several tests."""
    made = release(seed, kind)
    return made, internal_facts(made.subject())


def counted(column) -> Counter:
    return Counter(MISSING if one is None else str(one) for one in column)


def shown(made, name: str) -> Counter:
    return counted(made.table[name].to_pylist())


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_rows_and_kept_columns_are_those_of_a_recount(kind, seed):
    made, facts, original = *of(kind, seed), table(seed)
    assert facts.certificate.content["rows"]["released"] == made.table.num_rows
    assert (
        facts.certificate.content["rows"]["suppressed"] == original.num_rows - made.table.num_rows
    )
    for name in ("ill", "note"):
        before, after = counted(original[name].to_pylist()), shown(made, name)
        found = next(one for one in facts.distributions if one.column == name)
        told = [bar for bar in found.bars if not bar.pooled]
        assert all((bar.before, bar.after) == (before[bar.label], after[bar.label]) for bar in told)
        assert sum(bar.before for bar in found.bars) == original.num_rows
        assert sum(bar.after for bar in found.bars) == made.table.num_rows
        values = next(one for one in facts.columns if one.name == name)
        assert (values.values_before, values.values_after) == (len(before), len(after))


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_quasi_identifiers_are_counted_as_the_release_shows_them(kind, seed):
    made, facts, original = *of(kind, seed), table(seed)
    subject = made.subject()
    for a, name in enumerate(made.problem.names):
        found = next(one for one in facts.distributions if one.column == name)
        groups = grouping(subject, a)
        leaf = {v: i for i, v in enumerate(made.problem.counts.values[a])}
        group = [groups.labels[groups.of[leaf[one]]] for one in original[name].to_pylist()]
        before, after = Counter(group), shown(made, name)
        for bar in found.bars:
            if bar.pooled:
                continue
            assert bar.before == before[bar.label]
            if kind != "cells" and groups.level != 0:
                assert bar.after == after[bar.label]
        assert sum(bar.after for bar in found.bars) == made.table.num_rows


@pytest.mark.parametrize("seed", [31, 32, 33])
def test_cells_are_lifted_to_the_level_that_half_of_them_reach(seed):
    made = release(seed, "cells")
    subject = made.subject()
    facts = internal_facts(subject)
    assert isinstance(made.solution.recoding, CellMap)
    for a, name in enumerate(made.problem.names):
        tables, groups = made.problem.tables[a], grouping(subject, a)
        lifts = {}  # from any label that is shown to the group at that level
        for level in range(groups.level + 1):
            for leaf in range(tables.leaves):
                label = tables.labels[level][tables.codes[leaf, level]]
                lifts[MISSING if label is None else label] = groups.labels[groups.of[leaf]]
        after = Counter(lifts.get(one, COARSER) for one in shown(made, name).elements())
        found = next(one for one in facts.distributions if one.column == name)
        assert {bar.label: bar.after for bar in found.bars if bar.after} == after


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_risk_is_that_of_a_recount(kind, seed):
    made, facts, original = *of(kind, seed), table(seed).to_pandas()
    names, risk = list(made.problem.names), facts.risk.main
    for told, rows in ((risk.before, original), (risk.after, made.table.to_pandas())):
        sizes = rows.groupby(names, dropna=False).size().to_numpy()
        assert told.prosecutor.highest == pytest.approx(1 / sizes.min())
        assert told.prosecutor.above == pytest.approx(sizes[1 / sizes > 0.09].sum() / sizes.sum())
        assert told.marketer == pytest.approx(len(sizes) / sizes.sum())
        assert told.unique == int((sizes == 1).sum())
        assert sum(bar.rows for bar in told.histogram) == len(rows)
    assert risk.after.smallest >= K


@pytest.mark.parametrize(("kind", "seed"), [c for c in CASES if c[0] != "cells"])
def test_whom_suppression_hit_is_the_difference_of_both_tables(kind, seed):
    made, facts, original = *of(kind, seed), table(seed)
    found = facts.suppression
    assert found.suppressed == original.num_rows - made.table.num_rows
    for name in ("ill", "note"):
        lost = counted(original[name].to_pylist()) - shown(made, name)
        told = {hit.value: hit.suppressed for hit in found.hits if hit.column == name}
        assert {value: rows for value, rows in told.items() if rows} == lost
    for name in made.problem.names:
        told = [hit for hit in found.hits if hit.column == name]
        assert not told or sum(hit.suppressed for hit in told) == found.suppressed
        assert not told or sum(hit.rows for hit in told) == original.num_rows
    shares = [hit.share for hit in found.hits]
    assert shares == sorted(shares, reverse=True)


def test_starred_rows_are_distinguished_too():
    made = release(6, conventions=Conventions(suppressed="star"), suppress=0.3)
    assert made.solution.suppressed
    found = internal_facts(made.subject()).suppression
    rows = made.table.to_pandas()
    starred = rows[(rows[list(made.problem.names)] == TOP).all(axis=1)]
    told = {hit.value: hit.suppressed for hit in found.hits if hit.column == "ill"}
    assert {value: n for value, n in told.items() if n} == counted(
        None if pd.isna(one) else one for one in starred["ill"]
    )


def test_a_far_problem_has_the_same_numbers_where_it_has_any():
    far, near = far_release(11), release(11)
    told, known = internal_facts(far.subject()), internal_facts(near.subject())
    assert told.risk.main.before is None
    assert told.not_measured
    assert told.associations is None
    assert told.risk.main.after.histogram == known.risk.main.after.histogram
    assert told.risk.main.after.prosecutor == known.risk.main.after.prosecutor
    assert told.changes == known.changes
    assert told.distributions == known.distributions
    hits = {(one.column, one.value): one for one in known.suppression.hits}
    shared = [one for one in told.suppression.hits if (one.column, one.value) in hits]
    assert shared
    assert all(one == hits[one.column, one.value] for one in shared)


def test_associations_are_cramers_v():
    rng = np.random.default_rng(1)
    one = rng.integers(0, 3, 500)
    alike = np.zeros((3, 3))
    np.add.at(alike, (one, one), 1)
    assert cramers_v(alike) == pytest.approx(1.0)
    apart = np.zeros((3, 4))
    np.add.at(apart, (one, rng.integers(0, 4, 500)), 1)
    assert cramers_v(apart) < 0.12
    assert cramers_v(np.array([[5.0, 4.0]])) is None
    # by hand: 2x2 with phi = 0.5, corrected for chance
    table = np.array([[75.0, 25.0], [25.0, 75.0]])
    phi2, n = 0.25, 200
    corrected = (phi2 - 1 / (n - 1)) / (1 - 1 / (n - 1))
    assert cramers_v(table) == pytest.approx(np.sqrt(corrected))


def test_bars_keep_every_row():
    before = {f"v{i}": 30 - i for i in range(30)}
    after = {f"v{i}": 29 - i for i in range(29)} | {"new": 2}
    bars = top_bars(before, after)
    assert [bar.label for bar in bars[:2]] == ["v0", "v1"]
    assert bars[-1].pooled
    assert bars[-1].label == "21 other values"
    assert sum(bar.before for bar in bars) == sum(before.values())
    assert sum(bar.after for bar in bars) == sum(after.values())


def test_many_numbers_fall_into_bins_that_hold_them():
    before = {str(number): 1 for number in range(-3, 98)} | {MISSING: 4}
    words, old, new, order = in_bins(before, {"-3": 1, "97": 1})
    assert words == "in bins of equal width"
    assert sum(old.values()) == 105
    assert sum(new.values()) == 2
    assert old["0 to under 20"] == 20
    assert order[0] == "-20 to under 0"
    assert order[-1] == MISSING


def test_numbers_beyond_any_float_are_no_bins():
    before = {f"1e{power}": 1 for power in range(380, 399)}
    assert in_bins(before, {}) == ("unchanged", before, {}, None)


def test_columns_of_very_many_values_are_named_and_not_counted(monkeypatch):
    made = release(21)
    monkeypatch.setattr("lookalike.report.subject.MAX_VALUES", 8)
    facts = internal_facts(made.subject())
    assert [one.column for one in facts.distributions] == [*made.problem.names, "ill"]
    assert facts.not_measured == ("note: too many different values to count them.",)
    assert public_facts(made.released, made.certificate).not_measured == facts.not_measured
