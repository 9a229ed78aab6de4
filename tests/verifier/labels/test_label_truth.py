"""Is a label true of a value? The verifier reads the label's own text, for every hierarchy."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.policy.hierarchy import Hierarchy
from lookalike.verifier.labels.label_truth import covers

repeatable = settings(derandomize=True, database=None, deadline=None, max_examples=60)

TREE = {"Europe": {"West": ["France", "Spain"], "East": ["Poland"]}, "Asia": {"Far": ["Japan"]}}
SIZES = ["xs", "s", "m", "l", "xl", "a–b", "–", "m–l"]


def pairs(hierarchy: Hierarchy, values: Sequence[Any]) -> Iterator[tuple[int, Any, str]]:
    """Every (level, value, label) between value and ``*``."""
    table = hierarchy.tabulate("column", values)
    for level in range(1, table.height):
        for value, code in zip(values, table.codes[:, level].tolist(), strict=True):
            label = table.labels[level][code]
            assert label is not None
            yield level, value, label


def all_true(hierarchy: Hierarchy, values: Sequence[Any]) -> None:
    tell = covers(hierarchy)
    for level, value, label in pairs(hierarchy, values):
        assert tell(label, value), (level, value, label)


def each_in_its_own(hierarchy: Hierarchy, values: Sequence[Any]) -> None:
    """At a level, a value's label is true of it, and another's is only if it is the same."""
    tell = covers(hierarchy)
    by_level: dict[int, list[tuple[Any, str]]] = {}
    for level, value, label in pairs(hierarchy, values):
        by_level.setdefault(level, []).append((value, label))
    for found in by_level.values():
        for value, own in found:
            for _, label in found:
                assert tell(label, value) == (label == own), (value, own, label)


NUMBERS = (
    st.integers(-10_000, 10_000)
    | st.floats(-1e6, 1e6, allow_nan=False)
    | st.decimals(-1000, 1000, places=3)
    | st.integers(-999, 999).map(lambda n: f" {n} ")
    | st.integers(-999, 999).map(lambda n: f"{n / 8}")
)
BANDS = st.sampled_from(
    [
        la.bands(5, 10, 20),
        la.bands("0.1", "0.5", 5),
        la.bands(7, start=3),
        la.bands(10, 100, start="-2.5"),
    ]
)


@repeatable
@given(BANDS, st.lists(NUMBERS, min_size=1, max_size=8, unique=True))
def test_every_band_is_true_of_its_numbers_and_no_other_band_is(
    hierarchy: Hierarchy, values: list[Any]
) -> None:
    each_in_its_own(hierarchy, values)


@pytest.mark.parametrize(
    ("label", "value", "true"),
    [
        ("[20, 25)", 20, True),
        ("[20, 25)", 25, False),
        ("[20, 25)", "24.999999999999999999999", True),
        ("[20, 25)", 19.999999, False),
        ("[0.3, 0.4)", 0.3, True),
        ("[0.2, 0.3)", 0.3, False),
        ("[-5, 0)", -0.0, False),
        ("[0, 5)", -0.0, True),
        ("[-5, 0)", -5, True),
        ("[0, 5)", Decimal("4.99"), True),
        ("[20, 25]", 22, False),
        ("20-25", 22, False),
        ("22", 22, False),
        ("*", 22, False),
        ("[20, 25)", "young", False),
        ("[20, 25)", None, False),
        ("[a, b)", 22, False),
        ("", 22, False),
    ],
)
def test_a_band_holds_its_lower_edge_and_not_its_upper(label: str, value: Any, true: bool) -> None:
    assert covers(la.bands(5))(label, value) is true


def test_bands_of_huge_numbers_are_read_exactly() -> None:
    each_in_its_own(la.bands(5, 10), [2**63 - 1, -(2**63), 1e300, 5e-324, "9" * 40])


WORDS = st.text(st.sampled_from("0123ab*é日.\n"), max_size=7)
PREFIXES = st.sampled_from(
    [
        la.prefix(),
        la.prefix(hide="left"),
        la.prefix(steps=(1, 3)),
        la.prefix(steps=(2, 4), hide="left"),
    ]
)


@repeatable
@given(PREFIXES, st.lists(WORDS, min_size=1, max_size=8, unique=True))
def test_every_mask_is_true_of_its_text(hierarchy: Hierarchy, values: list[str]) -> None:
    all_true(hierarchy, values)


@repeatable
@given(st.lists(st.text("0123456789", min_size=5, max_size=5), min_size=1, unique=True))
def test_among_texts_of_one_length_no_other_mask_is_true(values: list[str]) -> None:
    each_in_its_own(la.prefix(), values)
    each_in_its_own(la.prefix(hide="left"), values)


@pytest.mark.parametrize(
    ("label", "value", "true"),
    [
        ("0213*", "02139", True),
        ("0213*", "0213", True),  # a star is a character or none: short values are padded
        ("0213*", "02141", False),
        ("0213*", "021399", False),
        ("**139", "02139", True),
        ("**139", "139", True),
        ("**139", "02138", False),
        ("0.1**", "0x139", False),
        ("****", "", True),
        ("02***", None, False),
        ("02***", 2139, False),
        ("213*", 2139.0, True),
        ("a**", "a\nb", True),
    ],
)
def test_a_mask_shows_only_what_is_there(label: str, value: Any, true: bool) -> None:
    assert covers(la.prefix())(label, value) is true


def test_long_masks_on_the_left_are_read_without_trying_every_split() -> None:
    """``.?`` once a star took longer than anybody waits: 48 stars before 22 characters."""
    began = time.process_time()
    all_true(la.prefix(steps=(1, 48), hide="left"), ["x" * 22 + "1", "y" * 70, "x" * 35])
    tell = covers(la.prefix())
    assert not tell("*" * 90 + "b", "a" * 60)
    assert not tell("a" + "*" * 90, "b" * 60)
    assert time.process_time() - began < 2


DAYS = st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31))
WAYS = st.sampled_from(
    [
        (la.dates(), str),
        (la.dates(), lambda day: day),
        (la.dates(quarters=True, days=True), lambda day: f"{day}T23:59:59"),
        (la.dates(quarters=True), lambda day: f"{day.year:04}/{day.month}/{day.day}"),
        (la.dates(days=True), lambda day: f"{day.day}.{day.month}.{day.year:04}"),
        (la.dates(), lambda day: day.strftime("%Y").rjust(4, "0") + f"{day.month:02}{day.day:02}"),
        (la.dates(format="%d/%m/%Y"), lambda day: f"{day.day:02}/{day.month:02}/{day.year:04}"),
        (
            la.dates(quarters=True),
            lambda day: datetime.datetime.combine(day, datetime.time(23, 59, 59)),
        ),
    ]
)


@repeatable
@given(WAYS, st.lists(DAYS, min_size=1, max_size=6, unique=True))
def test_every_stretch_of_the_calendar_is_true_of_its_days_and_no_other_is(
    way: tuple[Hierarchy, Any], days: list[datetime.date]
) -> None:
    hierarchy, write = way
    each_in_its_own(hierarchy, [write(day) for day in days])


@pytest.mark.parametrize(
    ("label", "value", "true"),
    [
        ("2020-02", "2020-02-29", True),
        ("2020-02", "2020-03-01", False),
        ("2020-12", "2020-12-31", True),
        ("2020-Q1", "2020-03-31", True),
        ("2020-Q1", "2020-04-01", False),
        ("2020-Q4", "2020-12-31", True),
        ("2020", "2020-01-01", True),
        ("2020", "2021-01-01", False),
        ("2020–2024", "2024-12-31", True),
        ("2020–2024", "2025-01-01", False),
        ("2020-02-29", "2020-02-29", True),
        ("2020-02-28", "2020-02-29", False),
        ("2020-13", "2020-12-31", False),
        ("2020-Q5", "2020-12-31", False),
        ("soon", "2020-12-31", False),
        ("2020-2024", "2020-12-31", False),
        ("2020-02", datetime.date(2020, 2, 29), True),
        ("2020-02", datetime.datetime(2020, 3, 1, 0, 0), False),
    ],
)
def test_a_stretch_begins_and_ends_on_its_days(label: str, value: Any, true: bool) -> None:
    assert covers(la.dates(quarters=True))(label, value) is true


def test_a_tree_covers_its_own_branch_only() -> None:
    hierarchy = la.tree(TREE)
    each_in_its_own(hierarchy, ["France", "Spain", "Poland", "Japan"])
    tell = covers(hierarchy)
    assert tell("West", "France")
    assert tell("Europe", "France")
    assert not tell("East", "France")
    assert not tell("France", "Spain")
    assert not tell("Europe", "Atlantis")
    assert not tell("Europe", None)


@repeatable
@given(st.permutations(SIZES), st.sampled_from([(2,), (2, 4), (3,), (3, 6)]))
def test_every_run_of_ordered_values_is_true_of_its_members(
    values: list[str], widths: tuple[int, ...]
) -> None:
    try:
        hierarchy = la.ordered(values, widths=widths)
    except la.PolicyError:  # two groups would read the same: refused where it is declared
        return
    all_true(hierarchy, values)


def test_a_run_ends_with_its_last_value() -> None:
    hierarchy = la.ordered(["low", "mid", "high", "top", "peak"], widths=[2, 4])
    each_in_its_own(hierarchy, ["low", "mid", "high", "top", "peak"])
    tell = covers(hierarchy)
    assert tell("low–mid", "mid")
    assert not tell("low–mid", "high")
    assert not tell("mid–low", "low")
    assert not tell("mid", "low")
    assert not tell("low–mid", "other")


def test_only_a_star_covers_a_flat_value() -> None:
    tell = covers(la.flat())
    assert tell("*", "f")
    assert not tell("f", "f")
    assert not tell("m", "f")
