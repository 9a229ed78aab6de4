"""What a label covers, read off its text or from the policy's hierarchy."""

from __future__ import annotations

import datetime

import pytest

import lookalike as la
from lookalike.attacking.labels.label_coverage import LabelReader
from lookalike.policy.hierarchy import Hierarchy

AGES = ["17", "20", "24", "25", "34.5", "65", "-4", None]
DAYS = ["1964-03-14", "1964-04-01", "1965-01-01", "1969-12-31", "1970-01-01", None]
ZIPS = ["13905", "13906", "1390", "23906", "02139", None]
TREE = la.tree([["a", "x"], ["b", "x"], ["c", "y"], ["d, e", "y"], ["f", "z"]])
LETTERS = ["a", "b", "c", "d, e", "f", "q", None]
GRADES = la.ordered(["low", "mid", "high", "top"], widths=[2])


def covered(label, values, hierarchy=None):
    found, known = LabelReader("c", values, [label], hierarchy).read(label)
    return [values[at] for at in sorted(found.tolist())] if known else "not understood"


@pytest.mark.parametrize("hierarchy", [None, la.bands(5)])
@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("*", AGES),
        (None, [None]),
        ("25", ["25"]),
        ("25.0", ["25"]),
        ("26", []),
        ("≤24", ["17", "20", "24", "-4"]),
        ("<24", ["17", "20", "-4"]),
        ("≥34.5", ["34.5", "65"]),
        ("20–25", ["20", "24", "25"]),
        ("[20, 25)", ["20", "24"]),
        ("[20–25]", ["20", "24", "25"]),
        ("-5 to 17", ["17", "-4"]),
        ("[-5 to 17]", ["17", "-4"]),
        ("20-25", ["20", "24", "25"]),
        ("[20, 25[", ["20", "24"]),
        (">=65", ["65"]),
        ("20–25 or missing", ["20", "24", "25", None]),
        ("(20–25)", ["20", "24", "25"]),
        ("not missing", AGES[:-1]),
        ("{17, 65}", ["17", "65"]),
        ("old", "not understood"),
    ],
)
def test_numbers(label, expected, hierarchy):
    assert covered(label, AGES, hierarchy) == expected


@pytest.mark.parametrize("hierarchy", [None, la.dates()])
@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("1964-03", DAYS[:1]),
        ("1964-Q2", DAYS[1:2]),
        ("1964", DAYS[:2]),
        ("1965–1969", DAYS[2:4]),
        ("1960–1969", DAYS[:4]),
        ("≤1964-03", DAYS[:1]),
        ("≥1969", DAYS[3:5]),
        ("1964-04 … 1965-01", DAYS[1:3]),
        ("[1964-04-01 … 1969-12-31]", DAYS[1:4]),
        ("[1965 … 1969]", DAYS[2:4]),
        ("1964 or missing", [*DAYS[:2], None]),
        ("14.03.1964", DAYS[:1]),
        ("1964-02-30", "not understood"),
    ],
)
def test_days(label, expected, hierarchy):
    assert covered(label, DAYS, hierarchy) == expected


def test_days_that_are_dates_and_moments_of_a_day():
    values = [datetime.date(1964, 3, 14), datetime.datetime(1964, 3, 15, 12, 30)]
    assert covered("1964-03", values) == values
    assert covered("1964-03-15", values) == values[1:]


@pytest.mark.parametrize("hierarchy", [None, la.prefix()])
@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("1390*", ["13905", "13906", "1390"]),
        ("139**", ["13905", "13906", "1390"]),
        ("*3906", ["13906", "23906"]),
        ("1***", ["1390"]),
        ("13*06", ["13906"]),
        ("2139", ["02139"]),  # zeros that some program has dropped
        ("*****", ZIPS[:-1]),
    ],
)
def test_masks(label, expected, hierarchy):
    assert covered(label, ZIPS, hierarchy) == expected


def test_codes_with_zeros_are_no_numbers_while_equal_texts_are_there():
    assert covered("2139", ["02139", "2139"]) == ["2139"]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("x", ["a", "b"]),
        ("a", ["a"]),
        ('{c, "d, e"}', ["c", "d, e"]),
        ("{x, f}", ["a", "b", "f"]),
        ("{b … f, 4 values}", ["b", "c", "d, e", "f"]),
        ("{x … y, 2 groups}", ["a", "b", "c", "d, e"]),
        ("y or missing", ["c", "d, e", None]),
        ("q", ["q"]),
        ("w", "not understood"),
    ],
)
def test_names_of_a_tree(label, expected):
    assert covered(label, LETTERS, TREE) == expected


def test_names_of_groups_mean_nothing_without_the_policy():
    assert covered("x", LETTERS) == "not understood"
    assert covered("{b … f, 4 values}", LETTERS) == "not understood"
    assert covered("{a, b}", LETTERS) == ["a", "b"]


def test_neighbors_in_a_declared_order():
    values = ["mid", "top", "high", None]
    assert covered("low–mid", values, GRADES) == ["mid"]
    assert covered("{mid … top, 3 values}", values, GRADES) == ["mid", "top", "high"]
    assert covered("low", values, GRADES) == []


def test_dates_are_read_in_the_policys_way_or_in_the_outsiders():
    american = la.dates(format="%m/%d/%y")
    assert covered("1976-01", ["1/21/76", "2/1/76"], american) == ["1/21/76"]
    assert covered("1976-01", ["1976-01-21", "1976-02-01"], american) == ["1976-01-21"]
    assert covered("1/21/76", ["1976-01-21", "1976-02-01"], american) == ["1976-01-21"]


def test_values_that_a_policy_cannot_place_are_counted():
    assert LabelReader("c", LETTERS, [], TREE).unread() == 1
    assert LabelReader("c", ["1", "x", None], [], la.bands(5)).unread() == 1


def test_a_hierarchy_of_somebody_elses_is_tabulated_over_the_outsiders():
    class Initial(Hierarchy):
        from_dict = None

        def tabulate(self, name, values):
            return la.tree([[str(v), str(v)[0]] for v in values]).tabulate(name, values)

        def describe(self, level):
            return ""

        def to_dict(self):
            return {}

    assert covered("n", ["nurse", "notary", "cook"], Initial()) == ["nurse", "notary"]
