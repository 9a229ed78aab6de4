"""Prefix: what a label shows is what the value has, and hidden characters nest."""

from __future__ import annotations

import re

import pytest
from hierarchy_laws import climbs, keeps_the_laws, refusal, shown
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import PolicyError
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.prefix import prefix

texts = st.text(alphabet="ab*0é漢\n", max_size=7)
columns = st.lists(st.one_of(texts, st.none(), st.integers(0, 999)), max_size=20, unique=True)
steps = st.lists(st.integers(1, 9), max_size=3, unique=True).map(sorted)


@given(columns, steps, st.sampled_from(["right", "left"]))
def test_every_label_matches_its_value_with_stars_for_any_character_or_none(values, hidden, side):
    table = keeps_the_laws(prefix(steps=hidden, hide=side), values)
    for leaf, value in enumerate(values):
        if value is None:
            continue
        for label in shown(table, leaf)[1:-1]:
            pattern = re.escape(label).replace(r"\*", ".?")
            assert re.fullmatch(pattern, text(value), re.DOTALL)


@given(columns)
def test_values_never_collide_at_level_zero_unless_they_read_the_same(values):
    table = prefix().tabulate("zip", values)
    known = [text(value) for value in values if value is not None]
    assert len(set(table.labels[0]) - {None}) == len(set(known))


@given(st.lists(st.text(min_size=4, max_size=4, alphabet="0123"), min_size=1, unique=True))
def test_of_equal_lengths_values_meet_exactly_when_what_is_shown_is_equal(values):
    table = prefix().tabulate("zip", values)
    for level in range(1, 4):
        for one, left in enumerate(values):
            for two, right in enumerate(values):
                meet = table.codes[one, level] == table.codes[two, level]
                assert meet == (left[: 4 - level] == right[: 4 - level])


def test_a_zip_code_loses_one_digit_a_level():
    expected = ["02139", "0213*", "021**", "02***", "0****", "*"]
    assert climbs(prefix(), "02139") == expected


def test_each_step_hides_its_number_of_characters_and_hiding_all_is_the_top():
    assert climbs(prefix(steps=(1, 3)), "02139") == ["02139", "0213*", "02***", "*"]
    assert climbs(prefix(steps=(1, 2, 5)), "02139") == ["02139", "0213*", "021**", "*"]


def test_the_left_end_can_be_hidden_instead():
    assert climbs(prefix(hide="left"), "abc") == ["abc", "*bc", "**c", "*"]


def test_short_values_are_padded_on_the_hidden_side():
    table = keeps_the_laws(prefix(), ["02139", "02", ""])
    assert shown(table, 1) == ["02", "02***", "02***", "02***", "0****", "*"]
    assert shown(table, 2) == ["", "*****", "*****", "*****", "*****", "*"]
    left = keeps_the_laws(prefix(hide="left"), ["1234", "34"])
    assert shown(left, 1) == ["34", "**34", "**34", "***4", "*"]


def test_a_numeric_zip_is_read_as_text():
    assert climbs(prefix(), 2139) == climbs(prefix(), "2139")
    assert climbs(prefix(), 2139.0)[1] == "213*"


def test_characters_are_unicode_code_points():
    assert climbs(prefix(), "漢字é")[1:] == ["漢字*", "漢**", "*"]


@pytest.mark.parametrize("values", [[], [None], [""], ["x"], [None, ""]])
def test_columns_with_next_to_nothing_to_hide_have_two_levels(values):
    assert keeps_the_laws(prefix(), values).height == 1


def test_a_long_text_needs_steps():
    error = refusal(prefix(), ["secret" * 30])
    assert "180 characters" in str(error)
    assert "secret" not in str(error)
    assert keeps_the_laws(prefix(steps=[10, 100]), ["secret" * 30]).height == 3


def test_options_that_make_no_sense_are_refused_together():
    with pytest.raises(PolicyError, match="2 faults"):
        prefix(steps=(2, 2), hide="middle")
    for hidden in [(0,), (3, 1), (True,), (1.5,)]:
        with pytest.raises(PolicyError):
            prefix(steps=hidden)


def test_levels_are_described_by_what_they_hide():
    assert prefix().describe(1) == "last character hidden"
    assert prefix(steps=(2, 4), hide="left").describe(2) == "first 4 characters hidden"
    assert prefix(steps=(2, 4)).describe(3) == "suppressed (*)"


def test_more_labels_than_can_be_held_are_refused_with_the_sizes(monkeypatch):
    monkeypatch.setattr("lookalike.policy.hierarchies.level_builder.MAX_LABELS", 1_000)
    values = [f"{i:08d}" for i in range(200)]
    with pytest.raises(PolicyError) as refused:
        prefix().tabulate("code", values)
    [fault] = refused.value.faults
    assert "200 distinct values on 7 levels need 1,400 labels" in fault.problem
    assert "at most 5 levels" in fault.fix
    assert prefix(steps=(2, 4, 6)).tabulate("code", values).height == 4
