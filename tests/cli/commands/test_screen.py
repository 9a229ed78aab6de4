"""``lookalike screen``: what the kept columns reveal, and whether a release would be refused."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

POLICY = """
{accept}
insensitive = ["birth_year"]
[quasi_identifiers]
age = {{ bands = [10, 20] }}
[require]
k_anonymity = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ages = [20 + number % 61 for number in range(180)]
    table = pa.table({"age": ages, "birth_year": [2024 - age for age in ages]})
    pa_csv.write_csv(table, tmp_path / "table.csv")
    (tmp_path / "policy.toml").write_text(POLICY.format(accept=""))
    (tmp_path / "accepted.toml").write_text(
        POLICY.format(accept='accept = { birth_year = "the study needs it" }')
    )
    return tmp_path


def test_a_refused_column_has_exit_code_1_and_a_fix(lookalike, folder):
    ended = lookalike("screen", "table.csv", "policy.toml")
    assert ended.code == 1
    assert "birth_year" in ended.out
    assert "accept = { birth_year" in ended.err
    document = lookalike("screen", "table.csv", "policy.toml", "--json").document
    assert document["findings"][0]["refused"] is True
    assert document["faults"][0]["where"] == "birth_year"


def test_an_accepted_column_is_still_shown(lookalike, folder):
    ended = lookalike("screen", "table.csv", "accepted.toml")
    assert ended.code == 0, ended.err
    assert "Accepted: the study needs it" in " ".join(ended.out.split())


def test_explain_shows_the_same_before_the_search(lookalike, folder):
    ended = lookalike("explain", "table.csv", "policy.toml")
    assert ended.code == 0
    assert "What the kept columns reveal" in ended.out
    assert "birth_year (kept) restores age" in " ".join(ended.out.split())


def test_init_says_what_its_own_draft_would_reveal(lookalike, folder):
    ended = lookalike("init", "table.csv")
    refused = "a release would be refused" in ended.out
    (folder / "draft.toml").write_text(ended.out)
    assert (lookalike("screen", "table.csv", "draft.toml").code == 1) == refused


def test_run_refuses_and_writes_nothing_then_writes_the_reason(lookalike, folder):
    assert lookalike("run", "table.csv", "policy.toml", "-o", "out.csv").code == 1
    assert not (folder / "out.csv").exists()
    ended = lookalike("run", "table.csv", "accepted.toml", "-o", "out.csv")
    assert ended.code == 0, ended.err
    assert "the study needs it" in " ".join(ended.out.split())
    assert "the study needs it" in (folder / "out.csv.certificate.json").read_text()
    assert lookalike("verify", "out.csv").code == 0
