"""Bands: every number lies in the band that its label says."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hierarchy_laws import climbs, keeps_the_laws, refusal, shown
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import PolicyError
from lookalike.policy.hierarchies.bands import bands
from lookalike.policy.hierarchies.dates import dates
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.hierarchies.prefix import prefix

numbers = st.one_of(
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-1000, 1000, places=3),
    st.integers(-500, 500).map(lambda tenths: tenths / 10),
    st.integers(-500, 500).map(lambda tenths: f" {tenths / 10} "),
    st.none(),
)
columns = st.lists(numbers, max_size=30, unique_by=lambda value: (type(value), value))
grids = st.tuples(
    st.lists(st.integers(2, 5), max_size=3),
    st.sampled_from(["0.1", "0.25", "1", "5", "7", "1000"]),
    st.sampled_from(["0", "0.05", "-3", "18"]),
)


def exactly(value: object) -> Fraction:
    return Fraction(str(value).strip())


def edges(label: str) -> tuple[Fraction, Fraction]:
    assert label[0] == "["
    assert label[-1] == ")"
    low, high = label[1:-1].split(", ")
    return Fraction(low), Fraction(high)


@given(columns, grids)
def test_every_number_lies_in_its_band_and_every_band_has_its_width(values, grid):
    factors, narrowest, start = grid
    widths = [Fraction(narrowest)]
    for factor in factors:
        widths.append(widths[-1] * factor)
    hierarchy = bands(*(str(Decimal(w.numerator) / w.denominator) for w in widths), start=start)
    table = keeps_the_laws(hierarchy, values)
    for leaf, value in enumerate(values):
        if value is None:
            continue
        for width, label in zip(widths, shown(table, leaf)[1:-1], strict=True):
            low, high = edges(label)
            assert low <= exactly(value) < high
            assert high - low == width
            assert ((low - Fraction(start)) / width).denominator == 1


@given(columns)
def test_the_order_is_that_of_the_numbers_with_nulls_last(values):
    table = bands(5).tabulate("column", values)
    ranked = [values[leaf] for leaf in table.order]
    known = [exactly(value) for value in ranked if value is not None]
    assert known == sorted(known)
    assert ranked[len(known) :] == [None] * (len(values) - len(known))


def test_a_band_holds_its_lower_edge_and_not_its_upper():
    assert climbs(bands(5, 10, 20), 23) == ["23", "[20, 25)", "[20, 30)", "[20, 40)", "*"]
    assert climbs(bands(5), 20)[1] == "[20, 25)"
    assert climbs(bands(5), 25)[1] == "[25, 30)"
    assert climbs(bands(5), "24.999999999999999999999")[1] == "[20, 25)"


def test_tenths_are_tenths_and_not_the_floats_next_to_them():
    for tenth in range(-20, 20):
        low = Decimal(tenth) / 10
        assert edges(climbs(bands(0.1), tenth / 10)[1])[0] == Fraction(low)
    assert climbs(bands(0.1), 0.3)[1] == "[0.3, 0.4)"
    assert climbs(bands(0.1), 0.1 + 0.2)[1] == "[0.3, 0.4)"
    assert climbs(bands(0.1), np.float32(0.3))[1] == "[0.3, 0.4)"


def test_negative_numbers_and_a_start_are_floored_not_truncated():
    assert climbs(bands(5), -1)[1] == "[-5, 0)"
    assert climbs(bands(5), -5)[1] == "[-5, 0)"
    assert climbs(bands(10, start=18), 17)[1] == "[8, 18)"
    assert climbs(bands(10, start=18), 18)[1] == "[18, 28)"


def test_numbers_written_in_several_ways_meet_at_level_one():
    table = bands(5, 10).tabulate("age", [39, "39", " 39 ", "39.0", 39.0, Decimal("39.00")])
    assert set(table.codes[:, 1].tolist()) == {0}
    assert table.leaves_under[1].tolist() == [6]


def test_none_and_nan_are_one_null_above_the_value():
    table = keeps_the_laws(bands(5), [None, 3, math.nan])
    assert table.codes[0, 1] == table.codes[2, 1] != table.codes[1, 1]
    odd = bands(5).tabulate("age", [None, Decimal("NaN"), np.float32("nan")])
    assert odd.labels == ((None, None, None), (None,), ("*",))


def test_an_empty_column_has_the_same_levels():
    table = keeps_the_laws(bands(5, 10), [])
    assert (table.leaves, table.height, table.declared) == (0, 3, 0)


def test_all_that_is_not_a_number_is_reported_at_once_and_not_shown():
    values = [3, "secret", "", True, "1_000", "nan", math.inf, "1e999999999", -math.inf]
    error = refusal(bands(5), values)
    assert [fault.problem for fault in error.faults] == [
        "5 distinct values are not numeric",
        "3 distinct values are infinite or too large",
    ]
    assert "secret" not in str(error)
    assert "secret" in error.text(show_values=True)


@pytest.mark.parametrize(
    "widths", [(), (0,), (-5,), (5, 12), (5, 5), (10, 5), ("x",), (math.inf,), (True,)]
)
def test_widths_that_cannot_nest_are_refused(widths):
    with pytest.raises(PolicyError):
        bands(*widths)


def test_the_fault_says_which_width_is_no_multiple_of_which():
    with pytest.raises(PolicyError, match="12 is not a larger multiple of 5"):
        bands(5, 12)
    with pytest.raises(PolicyError, match="2 faults"):
        bands("wide", start="here")
    bands("0.1", "0.3")  # as floats these would be no multiples
    bands(0.1, 0.3)


def test_levels_are_described_by_their_width():
    levels = [bands(0.5, 10).describe(level) for level in range(4)]
    assert levels == ["unchanged", "bands of 0.5", "bands of 10", "suppressed (*)"]


def test_decimal_commas_are_known_for_what_they_are():
    point = "write decimals with a point"
    [fault] = refusal(bands(5), ["172,4", "-1,0", "1.234,5", "1 234,5", "170"]).faults
    assert fault.fix.startswith(point)
    assert "tree" not in fault.fix
    [fault] = refusal(bands(5), ["172,4", "tall"]).faults
    assert point in fault.fix
    assert "tree" in fault.fix
    for other in ("tall", ",", "a,4", "1,2,3", ""):
        assert point not in refusal(bands(5), [other]).faults[0].fix


def test_a_signalling_nan_is_a_null_like_any_other():
    for hierarchy in (bands(5), flat(), prefix(), dates()):
        table = hierarchy.tabulate("age", [Decimal("sNaN"), Decimal("-sNaN7")])
        assert table.labels[0] == (None, None)
