"""``lookalike risk``: every option, to read and as JSON, at every width."""

from __future__ import annotations

import csv
import json

import pytest

BY = ("--by", "birth_date,zip,sex")
EVERYTHING = (
    "--after", "out.csv", "--population", "people.csv", "--population-count", "people",
    "--population-size", 5000, "--safe-harbor",
)  # fmt: skip


@pytest.fixture
def people(hospital):
    """A population in which everybody of the table has ten lookalikes, and a coarser table."""
    with (hospital / "patients.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with (hospital / "people.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["sex", "zip", "birth_date", "people"])
        table.writerows([row["sex"], row["zip"], row["birth_date"], 10] for row in rows)
    with (hospital / "out.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["birth_date", "zip", "sex"])
        table.writerows([row["birth_date"][:2] + "**", "*", row["sex"]] for row in rows)
    return hospital


def test_everything_at_once(lookalike, people):
    ended = lookalike("risk", "patients.csv", *BY, *EVERYTHING)
    assert ended.code == 0, ended.err
    for said in (
        "unique", "Before and after", "How many rows look alike", "prosecutor", "journalist",
        "marketer", "above 9.0%", "In the population", "4,000 people", "Zayatz", "Pitman",
        "Which columns make rows unique", "How few columns single out a row", "most often",
        "Which columns tell rows apart", "HIPAA Safe Harbor", "not legal advice",
    ):  # fmt: skip
        assert said in ended.out, said


def test_everything_as_one_document(lookalike, people):
    document = lookalike("risk", "patients.csv", *BY, *EVERYTHING, "--json").document
    assert document["names"] == ["birth_date", "zip", "sex"]
    assert document["prosecutor"]["highest"] == document["highest"] == 1
    assert document["prosecutor"]["mean"] == pytest.approx(document["mean"])
    assert document["journalist"]["highest"] == pytest.approx(0.1)
    assert document["marketer"] == document["journalist"]["mean"]
    assert document["population"] == {"people": 4000, "unique": 0, "missing": 0}
    assert document["uniques"]["population"] == 5000
    assert document["after"]["table"] == "out.csv"
    assert document["after"]["smallest"] >= 3
    assert document["combinations"]["size"] == 3
    assert document["separation"][-1]["names"] == document["names"]
    assert {one["letter"] for one in document["safe_harbor"]["findings"]} == {"A", "B", "C", "H"}
    assert "proposal" not in document


def test_a_proposal_decides_nothing(lookalike, hospital):
    ended = lookalike("risk", "patients.csv")
    assert ended.code == 0
    flat = " ".join(ended.out.split())
    assert "This is only a proposal" in flat
    assert "lookalike risk patients.csv --by birth_date,zip," in flat
    assert "if an outsider knows these columns" in flat
    document = lookalike("risk", "patients.csv", "--json").document
    assert document["proposal"]["decided"] is False
    assert "unique" not in document  # what was not decided is not the answer
    assert document["if_known"]["names"] == document["proposal"]["by"]
    standing = {one["name"]: one["standing"] for one in document["proposal"]["columns"]}
    assert standing["name"] == standing["patient_id"] == "identifier"
    assert standing["diagnosis"] == "sensitive"


def test_the_command_proposed_can_be_typed(lookalike, tmp_path):
    (tmp_path / "odd.csv").write_text('"sex, of birth",age\n' + "f,1\nm,2\n" * 3)
    said = " ".join(lookalike("risk", "odd.csv").out.split())
    assert "--by age --by 'sex, of birth'" in said
    typed = ("risk", "odd.csv", "--by", "age", "--by", "sex, of birth", "--json")
    assert lookalike(*typed).document["names"] == ["age", "sex, of birth"]


def test_nothing_to_propose_measures_nothing(lookalike, tmp_path):
    (tmp_path / "t.csv").write_text("diagnosis\nflu\ncold\n")
    ended = lookalike("risk", "t.csv")
    assert ended.code == 0
    assert "--by COLUMNS" in ended.out
    assert "unique" not in ended.out


def test_columns_come_from_a_policy(lookalike, hospital):
    document = lookalike("risk", "patients.csv", "--policy", "policy.toml", "--json").document
    assert set(document["names"]) == {"birth_date", "zip", "sex", "ethnicity"}


def test_sizes_and_thresholds(lookalike, hospital):
    one = lookalike("risk", "patients.csv", *BY, "--max-size", 1, "--json").document
    assert one["combinations"]["size"] == 1
    none = lookalike("risk", "patients.csv", *BY, "--max-size", 0, "--json").document
    assert none["combinations"] is None
    low = lookalike("risk", "patients.csv", "--by", "sex", "--threshold", 0.001, "--json").document
    assert (low["threshold"], low["prosecutor"]["above"]) == (0.001, 1)
    drawn = lookalike("risk", "patients.csv", *BY, "--sampling-fraction", 0.1, "--json").document
    assert drawn["uniques"]["population"] == 4000


@pytest.mark.parametrize(
    "typed",
    [
        ("--policy", "policy.toml", "--by", "zip"),
        ("--by", "zip", "--population-count", "n"),
        ("--by", "zip", "--population-size", 9, "--sampling-fraction", 0.5),
        ("--by", "zip", "--max-size", -1),
    ],
)
def test_options_that_contradict_are_bad_usage(lookalike, hospital, typed):
    ended = lookalike("risk", "patients.csv", *typed)
    assert (ended.code, ended.out) == (2, "")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("--threshold", 2), "threshold"),
        (("--sampling-fraction", 0), "sampling_fraction"),
        (("--population-size", 3), "fewer than the 400 rows"),
        (("--population", "no.csv"), "no such file"),
        (("--population", "policy.csv"), "no column zip"),
        (("--after", "no.csv"), "no such file"),
    ],
)
def test_what_makes_no_sense_is_bad_input(lookalike, hospital, typed, said):
    (hospital / "policy.csv").write_text("a,b\n1,2\n")
    ended = lookalike("risk", "patients.csv", "--by", "zip", *typed)
    assert ended.code == 1
    assert said in " ".join(ended.err.split())


@pytest.mark.parametrize("width", [60, 80, 120])
def test_nothing_is_wider_than_the_terminal(lookalike, people, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for typed in ((*BY, *EVERYTHING), ("--safe-harbor",)):
        ended = lookalike("risk", "patients.csv", *typed)
        assert ended.code == 0
        lines = ended.out.splitlines()
        assert max(len(line) for line in lines if "lookalike risk" not in line) <= width


def test_no_cell_is_shown(lookalike, tmp_path):
    secret = "Xanthippe-4711"
    rows = "".join(f"{20 + i},{secret},{secret}@agora.example,{i}\n" for i in range(30))
    (tmp_path / "t.csv").write_text("age,town,contact,diagnosis\n" + rows + "1,b,c,d\n")
    for typed in (
        ("--by", "age,town"),
        ("--safe-harbor",),
        ("--by", "town", "--population", "t.csv"),
    ):
        for more in ((), ("--json", "-v")):
            ended = lookalike("risk", "t.csv", *typed, *more)
            assert ended.code == 0, ended.err
            assert secret not in ended.out + ended.err


def test_names_cannot_steer_the_terminal(lookalike, tmp_path):
    (tmp_path / "t.csv").write_text("\x1b[31mage,zip,phone\x1b[31m\n" + "1,2,3\n2,3,4\n" * 4)
    for typed in ((), ("--safe-harbor",), ("--by", "\x1b[31mage,zip")):
        ended = lookalike("risk", "t.csv", *typed)
        assert ended.code == 0
        assert "\x1b" not in ended.out
        json.dumps(lookalike("risk", "t.csv", *typed, "--json").document)
