"""Labels of intervals: unique, true of their values and of no others, never taken for another."""

import datetime as dt
from decimal import Decimal

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given, settings

import lookalike as la
from lookalike.counts.level_table import TOP
from lookalike.errors import PolicyError
from lookalike.policy.cell_text import text
from lookalike.solution.interval_labels import intervals_in_words, shown_column
from lookalike.verifier.labels.interval_truth import Reader

AGES = (17, 18, 19, 24, 25, 30, 34, 36, 60, 65, 70)
MARITAL = {
    "wed": ["Married", "Armed forces"],
    "single": ["Never", "Divorced", "Widowed", "Separated"],
}
STATES = [value for group in MARITAL.values() for value in group]
GRADES = [f"grade {i}" for i in range(30)]
DAYS = [dt.date(1965, 3, 14), dt.date(1965, 3, 20), dt.date(1967, 1, 1), dt.date(1970, 5, 5)]
NOON = [dt.datetime(2020, 1, 1, h) for h in (0, 10, 12)] + [dt.datetime(2020, 1, 2)]


def labels(hierarchy, values, cuts, low=0, high=None):
    table = hierarchy.tabulate("q", values)
    bounds = (low, table.height if high is None else high)
    return shown_column(table, values, hierarchy, cuts, bounds).labels


@pytest.mark.parametrize(
    ("hierarchy", "values", "cuts", "expected"),
    [
        (la.bands(5, 20), AGES, (4, 7, 9), ("≤24", "25–34", "36–60", "≥65")),
        (la.bands(5, 20), (*AGES, None), (4, 9), ("≤24", "25–60", "≥65 or missing")),
        (la.bands(5, 20), (*AGES, None), (4, 11), ("≤24", "≥25", None)),
        (la.bands(5, 20), (*AGES, None), (11,), ("not missing", None)),
        (la.bands(5, 20), (7, None, 9), (1,), ("7", "9 or missing")),
        (la.bands(5, 20), AGES, (), ("*",)),
        (la.bands(5, 20), (7, None), (), ("*",)),
        (la.bands(5, 20), AGES, tuple(range(1, 11)), None),
        (la.bands(5, 20), (20, 21, 25, 26, 45, 51), (2, 4), ("[20, 25)", "[25, 30)", "[40, 60)")),
        (la.bands(5), (-5, -3, -1, 0, 2), (2, 4), ("≤-3", "-1 to 0", "2")),
        (la.bands(5), (0.1, 0.25, 7.0, 8.0), (1,), ("0.1", "≥0.25")),
        (la.bands(5), ("38", "39", "39.0", "40", "41"), (1, 3), ("38", "{39, 39.0}", "≥40")),
        (la.bands(5), ("39", "39.0", "40"), (1,), ("39", "{39.0, 40}")),
        (la.dates(), DAYS, (2,), ("≤1965-03-20", "≥1967-01-01")),
        (la.dates(), DAYS, (1, 3), ("1965-03-14", "1965-03-20 … 1967-01-01", "1970-05-05")),
        (la.dates(), NOON, (2,), ("≤2020-01-01 10:00:00", "≥2020-01-01 12:00:00")),
        (la.dates(), NOON, (3,), ("≤2020-01-01", "2020-01-02")),
        (la.tree(MARITAL), STATES, (2,), ("wed", "single")),
        (la.tree(MARITAL), STATES, (2, 3), ("wed", "Never", "{Divorced, Widowed, Separated}")),
        (la.tree(MARITAL), (*STATES, None), (2,), ("wed", "single or missing")),
        (la.tree(MARITAL), STATES[2:4], (), ("single",)),
        (la.tree(MARITAL), STATES, (), ("*",)),
        (la.ordered(GRADES, [2]), GRADES, (2, 28),
         ("grade 0–grade 1", "{grade 2 … grade 27, 26 values}", "grade 28–grade 29")),
        (la.flat(), ("f", "m"), (1,), None),
        (la.flat(), ("f", "m"), (), ("*",)),
        (la.flat(), ("f",), (), None),
    ],
)  # fmt: skip
def test_what_a_reader_sees(hierarchy, values, cuts, expected):
    assert labels(hierarchy, values, cuts) == expected


@pytest.mark.parametrize(
    ("hierarchy", "values", "cuts", "low", "expected"),
    [
        (la.bands(5, 20), (17, 23, 37, 39), (2,), 1, ("<25", "[35, 40)")),
        (la.bands(5, 20), (17, 23, 28, 37, 41), (1, 3), 1, ("[15, 20)", "[20, 30)", "≥35")),
        (la.bands(5, 20), (17,), (), 1, ("[15, 20)",)),
        (la.bands(5), (17, 18), (), 2, ("*",)),
        (la.dates(), DAYS, (2,), 1, ("1965-03", "≥1967-01")),
        (la.dates(), DAYS, (2,), 2, ("1965", "≥1967")),
        (la.dates(), DAYS, (3,), 2, ("1965–1969", "1970")),
        (la.tree(MARITAL), STATES, (2,), 1, ("wed", "single")),
        (la.tree(MARITAL), STATES[1:3], (1,), 1, ("wed", "single")),
    ],
)
def test_nothing_finer_shows_than_the_policy_allows(hierarchy, values, cuts, low, expected):
    """Not even a value that is alone in its band, nor the ends of an interval."""
    assert labels(hierarchy, values, cuts, low) == expected


def test_where_stars_are_not_allowed_the_group_is_named():
    assert labels(la.tree(MARITAL), STATES[2:], (), high=1) == ("single",)


def test_a_name_that_something_else_has_is_not_used():
    jobs = la.tree([["nurse", "care"], ["Other", "Other"], ["Misc", "Other"], ["cook", "craft"]])
    values = ("nurse", "Other", "Misc", "cook")
    assert labels(jobs, values, (1, 3)) == ("nurse", "{Other, Misc}", "cook")


def test_values_that_look_like_labels():
    nasty = ("*", "(*)", "{x, y}", "x", "y", "not missing", "z, …", "a or missing", "a", "b", None)
    rows = [[value, "all"] for value in nasty[:-1]]
    found = labels(la.tree(rows), nasty, (1, 2, 3, 5, 8))
    expected = ("((*))", "(*)", "{x, y}", "({x, y})")
    assert found[:4] == expected
    assert found[4] == '{not missing, "z, …", a or missing}'
    assert labels(la.tree(rows), nasty, (1, 2, 3, 5, 6, 7, 8, 9))[-1] == "b or missing"
    assert labels(la.tree(rows), (*nasty[7:9], None), (1,)) == ("a or missing", "(a or missing)")


def test_a_sentence_names_a_few():
    assert intervals_in_words(["≤24", None]) == "2 intervals: ≤24, missing"
    assert intervals_in_words(["[20, 30)"]) == "1 interval: [20, 30)"
    assert (
        intervals_in_words([str(i) for i in range(2000)]) == "2,000 intervals: 0, 1, 2, 3, 4, 5, …"
    )
    assert len(intervals_in_words(["x" * 40] * 9)) < 150


NASTY = st.text(st.sampled_from('ab*(){},…–-" 1\n'), min_size=1, max_size=4) | st.sampled_from(
    ["a or missing", "not missing", "{a, b}", "(*)", "2 values", "a … b", "≥1", "–"]
)


@st.composite
def trees(draw):
    names = draw(st.lists(NASTY, min_size=2, max_size=7, unique=True))
    depth = draw(st.integers(1, 2))
    try:
        tree = la.tree([[name, *draw(st.tuples(*[NASTY] * depth))] for name in names])
    except PolicyError:
        groups = draw(st.lists(st.integers(0, 2), min_size=len(names), max_size=len(names)))
        named = draw(st.lists(NASTY, min_size=3, max_size=3, unique=True))
        assume(TOP not in named)
        tree = la.tree([[name, named[g]] for name, g in zip(names, groups, strict=True)])
    return tree, draw(st.lists(st.sampled_from(names), min_size=1, unique=True))


@st.composite
def orders(draw):
    names = draw(st.lists(NASTY, min_size=2, max_size=8, unique=True))
    widths = draw(st.sampled_from([(), (2,), (2, 4), (3,)]))
    try:
        hierarchy = la.ordered(names, widths)
    except PolicyError:
        hierarchy = la.ordered(names)
    return hierarchy, draw(st.lists(st.sampled_from(names), min_size=1, unique=True))


@st.composite
def numbers(draw):
    hierarchy = la.bands(*draw(st.sampled_from([(5,), (2, 10), (1, 3), ("0.5", 1)])))
    kinds = [
        st.integers(-20, 40),
        st.decimals(-3, 9, places=1),
        st.floats(-5, 9, width=16),
        st.sampled_from(["1", "1.0", " 1", "2", "-2", "+2", "3e0", "3", "7.50", "7.5"]),
    ]
    kind = draw(st.sampled_from(kinds))
    return hierarchy, draw(st.lists(kind, min_size=1, max_size=9, unique=True))


@st.composite
def days(draw):
    near = st.datetimes(dt.datetime(1999, 11, 1), dt.datetime(2000, 3, 1))
    kinds = [
        near.map(dt.datetime.date),
        near.map(lambda m: m.replace(day=1 + m.day % 2, microsecond=0)),
        near.map(lambda m: m.date().isoformat()),
        near.map(lambda m: m.strftime("%Y-%m-%dT%H:%M:%S+02:00")),
        near.map(lambda m: m.strftime("%d.%m.%Y")),
        near.map(lambda m: m.strftime("%m/%d/%Y")),
    ]
    values = draw(st.lists(draw(st.sampled_from(kinds)), min_size=1, max_size=9, unique=True))
    return la.dates(days=draw(st.booleans()), quarters=draw(st.booleans())), values


@st.composite
def columns(draw):
    """A column, the finest level that it may show, and cuts between whole groups of that."""
    hierarchy, values = draw(st.one_of(trees(), orders(), numbers(), days()))
    values = [*values, None] if draw(st.booleans()) else values
    try:
        table = hierarchy.tabulate("q", values)
    except PolicyError:
        assume(False)  # 01/02/2000: which is the month?
    low = draw(st.integers(0, table.height)) if draw(st.booleans()) else 0
    high = draw(st.integers(low, table.height)) if draw(st.booleans()) else table.height
    fine, coarse = table.codes[table.order, low], table.codes[table.order, high]
    cuts = tuple(
        p
        for p in range(1, table.leaves)
        if coarse[p] != coarse[p - 1] or (fine[p] != fine[p - 1] and draw(st.booleans()))
    )
    return hierarchy, table, values, cuts, (low, high)


@given(columns())
@settings(max_examples=1500, deadline=None)
def test_labels_are_unique_and_true_of_their_values_alone(column):
    hierarchy, table, values, cuts, bounds = column
    shown = shown_column(table, values, hierarchy, cuts, bounds)
    if shown.labels is None:
        assert bounds[0] == 0
        assert len(set(shown.codes.tolist())) == table.leaves
        return
    assert len(shown.labels) == len(set(shown.labels)) == len(cuts) + 1
    reader = Reader(table, values, hierarchy, bounds[0])
    for interval, label in enumerate(shown.labels):
        inside = {leaf for leaf, of in enumerate(shown.codes.tolist()) if of == interval}
        assert reader.true_of(label) == inside
        if label == TOP:
            assert len(shown.labels) == 1
        if bounds[0] == 0 and label is not None and len(shown.labels) > 1:
            assert label not in {text(v) for i, v in enumerate(values) if i not in inside}
        if label is None:
            assert {values[leaf] for leaf in inside} == {None}


@given(columns())
@settings(max_examples=300, deadline=None)
def test_a_label_of_another_interval_is_not_true(column):
    hierarchy, table, values, cuts, bounds = column
    shown = shown_column(table, values, hierarchy, cuts, bounds)
    if shown.labels is None:
        return
    reader = Reader(table, values, hierarchy, bounds[0])
    found = [reader.true_of(label) for label in shown.labels]
    for a, one in enumerate(found):
        assert one
        assert all(one.isdisjoint(other) for other in found[a + 1 :])


def test_numbers_are_exact():
    values = (Decimal("0.1"), Decimal("0.2"), Decimal("0.3"), Decimal("0.4"))
    assert labels(la.bands("0.2"), values, (2, 3)) == ("≤0.2", "0.3", "0.4")
    assert labels(la.bands("0.3"), values, (1, 3)) == ("0.1", "0.2–0.3", "0.4")
