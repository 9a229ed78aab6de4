"""Ordered puts neighbors into groups; flat puts nothing into groups."""

from __future__ import annotations

import math

import pytest
from hierarchy_laws import keeps_the_laws, refusal, shown
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import PolicyError
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.hierarchies.ordered import ordered

SIZES = ["xs", "s", "m", "l", "xl"]


@given(st.integers(1, 30), st.lists(st.integers(2, 4), max_size=3), st.data())
def test_a_group_holds_the_values_from_its_first_to_its_last(count, factors, data):
    widths = [math.prod(factors[: place + 1]) for place in range(len(factors))]
    column = data.draw(st.lists(st.integers(0, count - 1), unique=True))
    table = keeps_the_laws(ordered(range(count), widths), [*column, None])
    for leaf, value in enumerate(column):
        for level, label in enumerate(shown(table, leaf)[1:-1], 1):
            first, last = (label.split("–") * 2)[:2]
            assert int(first) <= value <= int(last)
            held = int(last) - int(first) + 1
            assert table.leaves_under[level][table.codes[leaf, level]] == held
            assert held == widths[level - 1] or int(last) == count - 1
    assert [*column, None][table.order[-1]] is None
    assert [column[leaf] for leaf in table.order[:-1]] == sorted(column)


def test_groups_are_named_by_their_ends_and_the_last_may_be_alone():
    table = keeps_the_laws(ordered(SIZES, widths=[2, 4]), ["m", "xl"])
    assert shown(table, 0) == ["m", "m–l", "xs–l", "*"]
    assert shown(table, 1) == ["xl", "xl", "xl", "*"]
    assert table.declared == 5


def test_without_widths_there_is_the_order_alone():
    table = keeps_the_laws(ordered(SIZES), ["xl", None, "xs"])
    assert table.height == 1
    assert table.order.tolist() == [2, 0, 1]


def test_values_not_in_the_order_are_counted_and_not_shown():
    error = refusal(ordered(SIZES), ["xs", "secret", ""])
    assert "2 distinct values are not in the hierarchy" in str(error)
    assert "secret" not in str(error)


def test_faults_of_an_order_come_together():
    with pytest.raises(PolicyError) as caught:
        ordered(["secret", "b", "secret"], widths=[2, 3])
    assert len(caught.value.faults) == 2
    assert "secret" not in str(caught.value)


def test_groups_that_would_share_a_label_are_refused():
    with pytest.raises(PolicyError, match="share 1 label"):
        ordered(["a", "b–c", "a–b", "c"], widths=[2])


@pytest.mark.parametrize("widths", [[1], [0], [2, 2], [4, 2], [True], [1.5]])
def test_widths_that_cannot_nest_are_refused(widths):
    with pytest.raises(PolicyError):
        ordered(SIZES, widths)


def test_an_order_of_nothing_and_an_order_of_letters_are_refused():
    for values in [[], "low"]:
        with pytest.raises(PolicyError):
            ordered(values)


anything = st.one_of(st.none(), st.text(max_size=3), st.integers(), st.floats(), st.booleans())


@given(st.lists(anything, max_size=20, unique_by=lambda value: (type(value), str(value))))
def test_flat_takes_anything(values):
    table = keeps_the_laws(flat(), values)
    assert table.height == 1
    assert table.declared == len(values)


def test_flat_has_no_order():
    assert not flat().tabulate("sex", ["M", "F"]).ordered
