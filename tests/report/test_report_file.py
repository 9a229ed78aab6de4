"""A report is written whole, for its owner alone, and never over anything unasked."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from report_cases import release, table
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli.app import app
from lookalike.errors import FileError
from lookalike.policy.policy_file import load

POLICY = """
identifiers = ["name", "job", "town"]
sensitive = ["ill"]
insensitive = ["note"]
[quasi_identifiers]
age = { bands = [5, 10, 20, 40] }
[require]
k_anonymity = 3
"""


@pytest.fixture(scope="module")
def made():
    return release(70)


def test_an_existing_file_is_replaced_only_with_force(made, tmp_path):
    path = tmp_path / "out.html"
    path.write_text("mine")
    with pytest.raises(FileError, match="the file exists"):
        made.report(path)
    assert path.read_text() == "mine"
    assert made.report(str(path), force=True) == path
    assert path.read_text().lstrip().startswith("<!DOCTYPE html>")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["out.html"]


def test_the_editions_are_two(made, tmp_path):
    with pytest.raises(FileError, match="has no such edition"):
        made.report(tmp_path / "out.html", edition="press")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
    inside = made.report(tmp_path / "in.html").read_text()
    outside = made.report(tmp_path / "out.html", edition="public").read_text()
    assert "internal: keep with the original" in inside
    assert "internal: keep with the original" not in outside


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = table(70).to_pylist()
    with (tmp_path / "people.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    (tmp_path / "policy.toml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_input_is_never_written_over(folder):
    made = la.anonymize("people.csv", load("policy.toml").policy)
    before = (folder / "people.csv").read_bytes()
    with pytest.raises(FileError, match="unrecognized file extension"):
        made.report("people.csv", force=True)
    assert (folder / "people.csv").read_bytes() == before


@pytest.mark.parametrize("option", ["--report", "--report-public"])
def test_a_report_is_a_web_page_and_its_name_says_so(folder, option):
    typed = ["run", "people.csv", "policy.toml", "-o", "out.csv", option, "x.pdf"]
    ended = CliRunner().invoke(app, typed)
    assert ended.exit_code == 1
    assert "x.pdf: unrecognized file extension" in ended.output
    assert "ends in .html" in ended.output
    assert not (folder / "out.csv").exists()  # found before anything is counted


def test_run_and_release_write_both_editions(folder, monkeypatch):
    typed = ["run", "people.csv", "policy.toml", "-o", "out.csv", "--solution", "s.json",
             "--report", "in.html", "--report-public", "open.html", "--json"]  # fmt: skip
    monkeypatch.setattr("sys.argv", ["lookalike", *typed])
    ended = CliRunner().invoke(app, typed)
    assert ended.exit_code == 0, ended.output
    document = json.loads(ended.stdout)
    assert (document["report_file"], document["public_report_file"]) == ("in.html", "open.html")
    inside, outside = Path("in.html").read_text(), Path("open.html").read_text()
    assert "lookalike run people.csv policy.toml -o out.csv" in inside
    assert "people.csv" not in outside
    digest = json.loads(Path("out.csv.certificate.json").read_text())["release_digest"]
    assert digest in inside
    assert digest in outside
    again = ["release", "people.csv", "policy.toml", "s.json", "-o", "again.csv",
             "--report", "in.html"]  # fmt: skip
    refused = CliRunner().invoke(app, again)
    assert refused.exit_code == 1
    assert not Path("again.csv").exists()  # seen before anything is written
    again[-1] = "in2.html"
    assert CliRunner().invoke(app, again).exit_code == 0
    assert Path("in2.html").exists()
