"""Lines, monotone sequences, dates and texts: each part agrees with a plain twin."""

import datetime
import itertools
import random

import numpy as np
import pytest
from effort import effort

from lookalike.risks.kept_columns.coded_table import CodedTable
from lookalike.risks.kept_columns.contained_texts import initials, plain_text
from lookalike.risks.kept_columns.dates_and_ages import _ages_on, _calendar
from lookalike.risks.kept_columns.findings import Kind
from lookalike.risks.kept_columns.monotone_relations import longest_in_order
from lookalike.risks.kept_columns.relation import fitted_relation
from lookalike.risks.kept_columns.robust_line import fit_plane


def test_the_longest_subsequence_is_as_long_as_that_of_all_subsets():
    rng = random.Random(3)
    for _ in range(effort(200)):
        values = [rng.randrange(5) for _ in range(rng.randint(1, 9))]
        chosen = longest_in_order(np.array(values, dtype=float))
        kept = [values[i] for i in chosen]
        assert kept == sorted(kept)
        assert chosen.tolist() == sorted(chosen.tolist())
        best = max(
            len(some)
            for size in range(len(values) + 1)
            for some in itertools.combinations(values, size)
            if list(some) == sorted(some)
        )
        assert len(kept) == best


@pytest.mark.parametrize("wrong", [0.0, 0.1, 0.3])
def test_a_plane_is_found_whatever_some_points_do(wrong):
    rng = np.random.default_rng(4)
    inputs = rng.normal(50, 10, (300, 2))
    output = 3 * inputs[:, 0] - 0.5 * inputs[:, 1] + 7
    others = rng.random(300) < wrong
    output[others] = rng.permutation(output)[others]
    plane = fit_plane(inputs, output)
    assert plane == pytest.approx([3, -0.5, 7], rel=1e-6)


def test_points_without_a_line_have_none_that_is_near():
    rng = np.random.default_rng(5)
    assert fit_plane(rng.normal(size=(300, 1)), rng.normal(size=300)) is None


def test_ages_are_those_of_the_calendar():
    rng = random.Random(6)
    start = datetime.date(1900, 1, 1)
    births = [start + datetime.timedelta(rng.randrange(40_000)) for _ in range(300)]
    births += [datetime.date(2000, 2, 29), datetime.date(2000, 3, 1)]
    day = datetime.date(2023, 2, 28)
    column = coded({"born": births}).columns["born"]
    wanted = [day.year - b.year - ((day.month, day.day) < (b.month, b.day)) for b in births]
    assert _ages_on(column, day.toordinal())[column.codes].tolist() == wanted
    years, months, days = _calendar(column.days[column.codes])
    parts = list(zip(years, months, days, strict=True))
    assert parts == [(b.year, b.month, b.day) for b in births]


def test_candidates_are_the_rows_within_the_tolerance():
    rng = random.Random(7)
    for _ in range(effort(100)):
        n = rng.randint(1, 25)
        shown = np.array([rng.choice([rng.uniform(0, 9), np.nan]) for _ in range(n)])
        wanted = np.array([rng.choice([rng.uniform(0, 9), np.nan, 3.0]) for _ in range(n)])
        counts = np.array([rng.randint(1, 3) for _ in range(n)])
        tolerance = rng.choice([0.0, 1.0, 5.0])
        wanted = np.where(rng.random() < 0.7, shown, wanted)
        relation = fitted_relation(
            CodedTable({}, counts), Kind.AFFINE, ("x",), "t", shown, wanted, tolerance, 0.0
        )
        known = np.isfinite(shown) & np.isfinite(wanted)
        if not known.any() or relation.share < 0.7:
            continue
        for i in np.flatnonzero(known):
            fit = known & (np.abs(shown - wanted[i]) <= tolerance)
            assert relation.candidates[i] == counts[fit].sum()


def coded(columns):
    import pyarrow as pa

    from lookalike.tables.open import open_table

    number = list(range(len(next(iter(columns.values())))))
    counts = open_table(pa.table({"n": number, **columns})).count_groups(("n", *columns))
    return CodedTable.of(counts)


def test_numbers_that_are_stored_as_texts_are_numbers():
    table = coded({"a": ["1.5", " 2", "-3e1"], "b": ["1", "x", "y"], "c": [1, None, 3]})
    a = table.columns["a"]
    assert a.numbers[a.codes].tolist() == [1.5, 2, -30]
    assert table.columns["b"].numbers is None
    assert table.columns["c"].numbers is not None
    assert not table.columns["c"].known[1]


def test_dates_are_read_from_texts_and_date_objects():
    day = datetime.date(1980, 5, 3)
    table = coded({"a": ["1980-05-03"] * 3, "b": [day] * 3, "c": ["03.05.1980"] * 3})
    assert {float(table.columns[name].days[0]) for name in "abc"} == {float(day.toordinal())}


def test_plain_texts_and_initials():
    assert plain_text("  Ångström ") == "angstrom"
    assert initials("anna-maria o'neill 3rd") == "amon3"
