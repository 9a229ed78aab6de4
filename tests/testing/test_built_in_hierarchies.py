"""Every built-in hierarchy keeps the contract that other packages inherit."""

import datetime

import pytest

import lookalike as la
from lookalike.registry import HIERARCHIES
from lookalike.testing import HierarchyContract

DAYS = [datetime.date(2020, month, day) for month in (1, 2, 7) for day in (1, 9)]
GROUPS = {"x": {"a": ["1", "2"], "b": ["3"]}, "y": {"c": ["4"]}}
BUILT_IN = {
    "bands": (la.bands(5, 10, start=1), [3, 5, 6, "7", 12.5, None, 100]),
    "prefix": (la.prefix(steps=(1, 3)), ["02139", "02138", "02200", "10001", None]),
    "prefix of a length": (la.prefix(length=5), ["02139", "021", "2", "10001", None]),
    "dates with a format": (la.dates(format="%d/%m/%Y"), ["01/02/2020", "03/02/2020", None]),
    "dates": (la.dates(quarters=True), DAYS),
    "tree": (la.tree(GROUPS), ["1", "2", "3", None]),
    "ordered": (la.ordered(["low", "mid", "high", "top"], [2]), ["top", "low", "mid", None]),
    "flat": (la.flat(), ["f", "m", None]),
}


def test_every_hierarchy_is_tried_here():
    assert {hierarchy.name for hierarchy, _ in BUILT_IN.values()} == set(HIERARCHIES.builtin)


def test_one_value_can_change_the_labels_of_others_unless_length_or_format_are_given():
    assert not la.prefix().by_value
    assert not la.dates().by_value
    assert all(hierarchy.by_value for hierarchy, _ in BUILT_IN.values()) is False
    short, long = (la.prefix().tabulate("zip", ["02", *more]) for more in ([], ["02139"]))
    assert short.height != long.height


def test_a_value_longer_than_the_length_is_a_fault():
    with pytest.raises(la.PolicyError, match="6 characters, and length is 5"):
        la.prefix(length=5).tabulate("zip", ["021391"])
    with pytest.raises(la.PolicyError, match="not a whole number from 1 up"):
        la.prefix(length=0)


@pytest.mark.parametrize("built_in", BUILT_IN.values(), ids=BUILT_IN)
class TestBuiltIn(HierarchyContract):
    @pytest.fixture
    def hierarchy(self, built_in):
        return built_in[0]

    @pytest.fixture
    def values(self, built_in):
        return built_in[1]
