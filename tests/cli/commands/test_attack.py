"""``lookalike attack``: to read, as JSON, in a pipeline, and its page."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from effort import THOROUGH

ROOT = Path(__file__).parents[3]
ON = ("--on", "birth_date,zip,sex")


@pytest.fixture
def released(lookalike, hospital):
    """The hospital's folder, with a release and a voter list in it."""
    assert lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv").code == 0
    lines = [line.split(",") for line in (hospital / "patients.csv").read_text().splitlines()]
    at = [lines[0].index(name) for name in ("name", "birth_date", "zip", "sex")]
    voters = [",".join(line[i] for i in at) for line in lines[1:60]]
    head = "voter,birth_date,plz,sex"
    (hospital / "voters.csv").write_text("\n".join([head, *voters]) + "\n")
    return hospital


VOTERS = ("--with", "voters.csv", "--on", "birth_date,zip=plz", "--on", "sex")


def test_of_a_release_nobody_is_found(lookalike, released):
    ended = lookalike("attack", "out.csv", *VOTERS, "--policy", "policy.toml")
    assert ended.code == 0, ended.err
    assert "Nobody is found." in ended.out
    assert "zip (plz)" in " ".join(ended.out.split())
    assert max(map(len, ended.out.splitlines())) <= 80
    document = lookalike("attack", "out.csv", *VOTERS, "--policy", "policy.toml", "--json").document
    assert document["after"]["one_row"] == 0
    assert document["after"]["fewest"] >= 3
    assert document["on"] == {"birth_date": "birth_date", "zip": "plz", "sex": "sex"}
    assert "singled_out" not in document


def test_before_and_after_are_shown_together(lookalike, released):
    ended = lookalike(
        "attack", "out.csv", *VOTERS, "--before", "patients.csv", "--sensitive", "diagnosis"
    )
    assert ended.code == 0
    assert "Before and after" in ended.out
    assert "diagnosis, before" in ended.out


def test_names_are_shown_only_on_request(lookalike, released):
    name = (released / "voters.csv").read_text().splitlines()[1].split(",")[0]
    plain = lookalike("attack", "patients.csv", *VOTERS, "--sensitive", "diagnosis")
    assert "people found" in plain.out
    assert name not in plain.out + plain.err
    assert lookalike("attack", "patients.csv", *VOTERS, "--name", "voter").code == 2
    shown = lookalike("attack", "patients.csv", *VOTERS, "--name", "voter", "--show-values")
    assert "People found, and what is learned about them" in shown.out
    typed = ("--name", "voter", "--show-values", "--sensitive", "diagnosis", "--json")
    people = lookalike("attack", "patients.csv", *VOTERS, *typed).document["singled_out"]
    assert len(people) == 20
    assert set(people[0]) == {"name", "known", "learned", "certain"}
    assert set(people[0]["learned"]) == {"diagnosis"}


def test_a_pipeline_can_fail(lookalike, released):
    asked = ("--sensitive", "diagnosis", "--fail-above", "0.9")
    ended = lookalike("attack", "patients.csv", *VOTERS, *asked)
    assert ended.code == 4
    assert "a person's row is found with a chance of 100%" in ended.err
    document = lookalike("attack", "patients.csv", *VOTERS, *asked, "--json").document
    assert document["error"] == "ReleaseRefused"
    assert document["certainty"] == 1
    assert lookalike("attack", "patients.csv", *VOTERS, "--fail-above", "1").code == 0
    assert lookalike("attack", "patients.csv", *VOTERS, "--fail-above", "2").code == 2


def test_row_order_and_another_release_are_reported(lookalike, released):
    typed = ("--with", "patients.csv", *ON, "--sensitive", "diagnosis")
    ended = lookalike("attack", "patients.csv", *typed, "--also", "out.csv")
    assert "The row order reveals people" in ended.out
    assert "Together with out.csv" in ended.out


def test_labels_that_are_not_understood_are_reported(lookalike, released):
    typed = ("--with", "patients.csv", "--on", "ethnicity", "--sensitive", "diagnosis")
    (released / "tree.csv").write_text(
        (released / "out.csv").read_text().replace("White", "some group")
    )
    ended = lookalike("attack", "tree.csv", *typed)
    assert "4 labels in 394 rows could not be interpreted" in " ".join(ended.out.split())
    assert "some group" not in ended.out


def test_bad_input_is_reported_at_once(lookalike, released):
    ended = lookalike("attack", "out.csv", "--with", "voters.csv", "--on", "zip,nothing,sex=x")
    assert ended.code == 1
    assert "3 faults" in ended.err or "4 faults" in ended.err
    assert lookalike("attack", "out.csv", "--with", "voters.csv", "--on", "sex,sex").code == 1


@pytest.mark.skipif(not THOROUGH, reason="many commands, each a program of its own")
def test_the_page_runs(tmp_path, monkeypatch):
    at = ROOT / "tests" / "docs" / "test_snippets.py"
    spec = importlib.util.spec_from_file_location("snippets_of_the_docs", at)
    snippets = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(snippets)
    clinic, here = tmp_path / "clinic", tmp_path / "here"
    clinic.mkdir()
    here.mkdir()
    assert snippets.run("lookalike demo -o .", clinic).returncode == 0
    page = ROOT / "docs" / "how-to" / "attack-your-release.md"
    snippets.test_every_snippet_of_the_page_runs(page, here, clinic, monkeypatch)


ITSELF = ("attack", "out.csv", "--policy", "policy.toml")


def test_every_attack_on_the_release_itself(lookalike, released):
    alone = lookalike(*ITSELF, "--all")
    assert alone.code == 0, alone.err
    for title in (
        "Kept columns",
        "Skewness",
        "Similarity",
        "Minimality",
        "Definetti",
        "Refinement",
    ):
        assert title in alone.out
    assert "it needs a list" in " ".join(alone.out.split())
    everybody = lookalike(*ITSELF, "--all", "--with", "patients.csv", "--json").document
    assert [one["attack"] for one in everybody["attacks"]] == [
        "kept-columns", "skewness", "similarity", "minimality", "definetti", "downcoding",
        "refinement",
    ]  # fmt: skip
    assert not any("it needs a list" in " ".join(one["sentences"]) for one in everybody["attacks"])
    text = str(everybody)
    rows = (released / "patients.csv").read_text().splitlines()[1:]
    diagnoses = {row.split(",")[-1] for row in rows}
    assert not any(f"'{value}'" in text for value in diagnoses)


def test_some_attacks_by_name_and_a_limit(lookalike, released):
    some = lookalike(*ITSELF, "--by", "skewness", "--json").document
    assert [one["attack"] for one in some["attacks"]] == ["skewness"]
    assert lookalike(*ITSELF, "--by", "skewness", "--fail-above", "0").code == 4
    assert lookalike(*ITSELF, "--by", "skewness", "--fail-above", "1").code == 0
    unknown = lookalike(*ITSELF, "--by", "magic")
    assert unknown.code == 1
    assert "use one of: all, kept-columns" in unknown.err


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ((), "use --all"),
        (("--with", "voters.csv"), "use --all"),
        (("--all", "--name", "voter", "--policy", "policy.toml"), "--name is for"),
        (("--all",), "need --policy"),
    ],
)
def test_what_an_attack_needs(lookalike, released, typed, said):
    ended = lookalike("attack", "out.csv", *typed)
    assert ended.code == 2
    assert said in " ".join(ended.err.split())
