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
    "dates": (la.dates(quarters=True), DAYS),
    "tree": (la.tree(GROUPS), ["1", "2", "3", None]),
    "ordered": (la.ordered(["low", "mid", "high", "top"], [2]), ["top", "low", "mid", None]),
    "flat": (la.flat(), ["f", "m", None]),
}


def test_every_hierarchy_is_tried_here():
    assert BUILT_IN.keys() == set(HIERARCHIES.builtin)


@pytest.mark.parametrize("built_in", BUILT_IN.values(), ids=BUILT_IN)
class TestBuiltIn(HierarchyContract):
    @pytest.fixture
    def hierarchy(self, built_in):
        return built_in[0]

    @pytest.fixture
    def values(self, built_in):
        return built_in[1]
