"""The public edition names no value of few rows, and nothing of people who were suppressed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any, cast

import pyarrow as pa
import pytest
from report_cases import VARIANTS, K, page_of, policy, release, released, table, variant

import lookalike as la
from lookalike.releasing.release import Release
from lookalike.report.facts.public_edition import WITHHELD, pooled_bars, smallest_named
from lookalike.report.facts.suppressed_rows import Hit, Suppression
from lookalike.report.page import page
from lookalike.report.report_file import facts_of

DISTINCTIVE = re.compile(r"[a-z]+-[0-9a-f]{4}")


def public(made: Release) -> str:
    return page(facts_of(made.subject(), "public"))


def forbidden(made: Release) -> set[str]:
    """Texts like ``job-7f3a`` of table, policy and release that no label of k rows or more has."""
    known = set(DISTINCTIVE.findall(repr(made.original.native().to_pydict())))
    known |= set(DISTINCTIVE.findall(repr(made.policy)))
    k = max(2, made.problem.smallest)
    allowed: set[str] = set()
    for name in made.table.column_names:
        for value, rows in Counter(made.table[name].to_pylist()).items():
            if rows >= k and name not in made.policy.pseudonyms:
                allowed |= set(DISTINCTIVE.findall(str(value)))
    assert known - allowed, "the case tests nothing"
    return known - allowed


@pytest.mark.parametrize("name", [one for one in VARIANTS if one != "empty"])
def test_no_value_of_few_rows_is_named(name):
    made = variant(name)
    assert not forbidden(made) & set(DISTINCTIVE.findall(page_of(name, "public")))


@pytest.mark.parametrize("seed", range(40, 46))
def test_no_value_of_few_rows_is_named_on_random_tables(seed):
    rare = Counter(table(seed)["ill"].to_pylist()).most_common()[-1][0]
    require = [la.KAnonymity(K), la.AlphaK("ill", 0.9, K, rare)] if rare else [la.KAnonymity(K)]
    made = release(seed, require=require, suppress=0.6)
    text = public(made)
    assert not forbidden(made) & set(DISTINCTIVE.findall(text))
    if rare in forbidden(made):
        assert WITHHELD in text


def test_values_of_k_rows_are_named():
    made = release(41)
    text = public(made)
    frequent = Counter(made.table["ill"].to_pylist()).most_common(1)[0][0]
    assert frequent in text
    bars = pooled_bars({"five": 5, "four": 4, "three": 3, "nine": 9}, 4)
    assert [(bar.label, bar.after) for bar in bars] == [
        ("nine", 9), ("five", 5), ("four", 4), ("1 value in fewer than 4 rows", 3),
    ]  # fmt: skip
    assert smallest_named({"require": {"k_anonymity": 7}}) == 7
    assert smallest_named({"require": {"t_closeness": [{"column": "ill", "t": 0.3}]}}) == 2


class Poison:
    """Reading it fails."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"the public edition looked at {name} of what it must not see")


@pytest.mark.parametrize("name", VARIANTS)
def test_nothing_is_looked_at_but_the_release_and_its_certificate(name):
    subject, hidden = variant(name).subject(), cast(Any, Poison())
    blind = replace(subject, original=hidden, policy=hidden, problem=hidden, solution=hidden)
    assert facts_of(blind, "public") == facts_of(subject, "public")


def with_outliers(who: list[tuple[str, str, str, str]]) -> Release:
    """Sixty people who look like others, and some who look like nobody."""
    rows = [("cook", "north", "flu", "a")] * 20 + [("nurse", "south", "cold", "b")] * 40 + who
    columns = dict(zip(("job", "town", "ill", "note"), zip(*rows, strict=True), strict=True))
    made = pa.table({name: list(column) for name, column in columns.items()})
    asked = la.Policy(
        quasi_identifiers={"job": la.flat(), "town": la.flat()},
        sensitive=["ill"], insensitive=["note"], require=la.KAnonymity(5), suppress=3,
        accept={"ill": "a test", "note": "a test"},  # the outliers have values of their own
    )  # fmt: skip
    return released(made, asked)


def test_the_public_edition_does_not_depend_on_suppressed_rows():
    one = with_outliers([("judge", "east", "gout", "x"), ("clown", "west", "gout", "y"),
                         ("pilot", "north", "plague", "z")])  # fmt: skip
    other = with_outliers([("baker", "west", "mumps", "u"), ("judge", "south", "flu", "a"),
                           ("miner", "isle", "cold", "v")])  # fmt: skip
    assert one.solution.suppressed == other.solution.suppressed == 3
    assert one.table.equals(other.table)
    assert public(one) == public(other)
    assert page(facts_of(one.subject(), "internal")) != page(facts_of(other.subject(), "internal"))


def test_pseudonyms_are_not_listed():
    made = table(50)
    asked = policy(made, 50, identifiers=[], pseudonyms=["name"])
    release = la.anonymize(made, asked, key=b"0123456789abcdef0123456789abcdef")
    for edition in ("internal", "public"):
        text = page(facts_of(release.subject(), edition))
        shown = {one for one in release.table["name"].to_pylist() if one is not None}
        assert shown
        assert not any(one in text for one in shown)


def test_the_policy_and_its_tree_stay_inside():
    made = release(42)
    inside = page(facts_of(made.subject(), "internal"))
    outside = public(made)
    assert "[quasi_identifiers]" in inside
    assert "[quasi_identifiers]" not in outside
    assert "is in the internal edition" in outside


def test_a_group_that_lists_its_values_shows_their_number():
    rows = {"{Ceeham, Secretville}": 9, "{Ayton, Beeford}": 7, "Dee": 6, "{rare}": 2}
    bars = pooled_bars(rows, 5, listing=True)
    said = [bar.label for bar in bars]
    assert not any("ville" in one or "Ayton" in one for one in said)
    assert len(set(said)) == 4
    assert {"2 values together", "2 values together (2)", "Dee"} <= set(said)


def test_a_small_group_that_was_lost_whole_is_among_the_hardest_hit():
    hits = (Hit("age", "80", 12, 12), Hit("age", "30", 500, 15), Hit("job", "odd", 1, 1))
    found = Suppression(1000, 20, (*hits, Hit("age", "40", 488, 0)))
    assert [hit.value for hit in found.above_average] == ["80", "30", "odd"]
