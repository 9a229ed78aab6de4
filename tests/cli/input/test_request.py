"""A policy from flags, and flags on top of a policy file."""

from __future__ import annotations

import pytest

from lookalike.cli.input.column_list import split_assignment, split_columns
from lookalike.cli.input.hierarchy_flag import read_hierarchy
from lookalike.errors import PolicyError
from lookalike.policy.hierarchies.bands import bands
from lookalike.policy.hierarchies.dates import dates
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.hierarchies.ordered import ordered
from lookalike.policy.hierarchies.prefix import prefix
from lookalike.policy.hierarchies.tree import tree
from lookalike.policy.policy_file import load

ALL = ("--qi", "birth_date,sex", "--qi", "zip", "--drop", "name,patient_id", "--keep", "diagnosis")
REST = ("--insensitive", "ward,ethnicity", "--suppress", "2%", "-o", "o.csv")


def test_commas_part_columns_unless_a_column_has_one():
    assert split_columns(["a, b", "c"], ["a", "b", "c"]) == ("a", "b", "c")
    assert split_columns(["a,b"], ["a,b", "a", "b"]) == ("a,b",)
    assert split_columns(["nope,a"], ["a"]) == ("nope", "a")


def test_an_assignment_is_parted_after_the_column():
    assert split_assignment("a=b=flat", ["a=b", "a"]) == ("a=b", "flat")
    assert split_assignment("d=dates:%Y=%m", ["d"]) == ("d", "dates:%Y=%m")
    assert split_assignment("flat", ["a"]) is None


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("bands:5,10,20", bands(5, 10, 20)),
        ("bands:0.1,0.5", bands("0.1", "0.5")),
        ("{ bands = [5, 10], start = 2 }", bands(5, 10, start=2)),
        ("prefix", prefix()),
        ("prefix:1,3", prefix(steps=(1, 3))),
        ("prefix:left", prefix(hide="left")),
        ("dates", dates()),
        ("dates:quarters", dates(quarters=True)),
        ("dates:days,quarters", dates(days=True, quarters=True)),
        ("dates:%d.%m.%Y", dates(format="%d.%m.%Y")),
        ("ordered:low,mid,high", ordered(["low", "mid", "high"])),
        ("flat", flat()),
        ('{ tree = { A = ["x", "y"] } }', tree({"A": ["x", "y"]})),
    ],
)
def test_hierarchies_as_typed(typed, expected):
    assert read_hierarchy("c", typed) == expected


@pytest.mark.parametrize(
    "typed",
    ["", "band:5", "bands:", "bands:x", "prefix:x", "dates:months", "flat:1", "{", "tree:no.csv"],
)
def test_a_hierarchy_that_is_none_is_a_fault(typed):
    with pytest.raises(PolicyError, match="--hierarchy c"):
        read_hierarchy("c", typed)


def test_what_is_guessed_is_said(lookalike, hospital):
    ended = lookalike("run", "patients.csv", *ALL, *REST, "--hierarchy", "sex=flat")
    assert ended.code == 0, ended.err
    assert "--hierarchy birth_date=dates (guessed: its values are dates)" in ended.err
    assert "--hierarchy zip=prefix" in ended.err
    assert "sex=" not in ended.err


def test_the_policy_used_can_be_saved_and_used_again(lookalike, hospital):
    lookalike("run", "patients.csv", *ALL, *REST, "--save-policy", "used.toml", "--k", 4)
    policy = load(hospital / "used.toml").policy
    assert policy.smallest == 4
    assert policy.suppress == 0.02
    assert lookalike("run", "patients.csv", "used.toml", "-o", "again.csv").code == 0
    same = [(hospital / name).read_bytes() for name in ("o.csv", "again.csv")]
    assert same[0] == same[1]


def test_a_column_that_may_name_people_is_flat_with_a_warning(lookalike, hospital):
    typed = ("--qi", "patient_id,sex", "--drop", "name,birth_date,zip", "--keep", "diagnosis")
    ended = lookalike("run", "patients.csv", *typed, *REST)
    assert "--hierarchy patient_id=flat" in ended.err
    assert "consider --drop" in ended.err


def test_every_fault_of_the_flags_at_once(lookalike, hospital):
    ended = lookalike(
        "run", "patients.csv", "--qi", "zip,nope", "--drop", "zip", "--keep", "diagnosis",
        "--hierarchy", "sex=flat", "--hierarchy", "zip=band", "--hierarchy", "x", "-o", "o.csv",
    )  # fmt: skip
    assert ended.code == 1
    assert "--qi nope: the table has no such column" in ended.err
    assert "zip: the column is in --qi and --drop" in ended.err
    assert "ward: this column of the table has no role" in ended.err
    assert "--hierarchy sex: the column is not in --qi" in ended.err
    assert "--hierarchy zip: this is not a hierarchy" in ended.err
    assert "--hierarchy: no column is named" in ended.err


def test_flags_go_on_top_of_the_file(lookalike, hospital):
    document = lookalike(
        "run", "patients.csv", "policy.toml", "-o", "o.csv", "--k", 8, "--suppress", 20,
        "--metric", "precision", "--by", "datafly", "--want", "feasible", "--json",
    ).document  # fmt: skip
    assert document["certificate"]["require"] == {"k_anonymity": 8}
    assert document["solution"]["metric"] == "precision"
    assert document["solution"]["algorithm"] == "datafly"
    assert document["solution"]["suppressed"] <= 20


@pytest.mark.parametrize(
    "wrong",
    [("--suppress", "many"), ("--suppress", "1.5"), ("--metric", "beauty"), ("--want", "best"),
     ("--metric", "classification:nope")],
)  # fmt: skip
def test_a_wrong_word_is_bad_input(lookalike, hospital, wrong):
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "o.csv", *wrong)
    assert ended.code == 1
    assert "fix: " in ended.err


def test_a_metric_with_a_column(lookalike, hospital):
    typed = ("run", "patients.csv", "policy.toml", "-o", "o.csv", "--metric")
    assert lookalike(*typed, "classification:diagnosis").code == 0
