"""The demo tells the truth, at any width, and its hospital is the same on every machine."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections import Counter
from dataclasses import astuple

import pytest
from rich.console import Console

from lookalike.cli.output import layout as show
from lookalike.cli.terminal.progress import Line
from lookalike.demo_data.patients import ETHNICITIES, TODAY, patients
from lookalike.events import Compiling, Finished, Incumbent, Started, Tick
from lookalike.policy.policy_file import load


def test_the_same_seed_gives_the_same_patients():
    assert patients(50, seed=3) == patients(50, seed=3)
    assert patients(50, seed=3) != patients(50, seed=4)
    text = "\n".join(",".join(astuple(person)) for person in patients(200))
    assert hashlib.sha256(text.encode()).hexdigest()[:12] == "9228aa5203f2"


def test_the_hospital_is_plausible():
    people = patients(5000, seed=2)
    ages = [(TODAY - datetime.date.fromisoformat(one.birth_date)).days / 365.25 for one in people]
    assert min(ages) > 0
    assert 90 < max(ages) < 104
    assert len({one.patient_id for one in people}) == 5000
    assert all(len(one.zip) == 5 and one.zip.isdigit() for one in people)
    assert {one.ethnicity for one in people} == {e for group in ETHNICITIES.values() for e in group}
    towns = Counter(one.zip[:3] for one in people)
    assert towns["214"] > 5 * towns["330"] > 0
    for one, age in zip(people, ages, strict=True):
        if one.diagnosis == "childbirth":
            assert one.sex == "F"
            assert 14 < age < 51
    assert 0 < Counter(one.diagnosis for one in people)["cystic fibrosis"] < 30


def test_the_demo_leaves_files_that_work(lookalike, tmp_path):
    ended = lookalike("demo", "--rows", 2000, "-o", "show")
    assert ended.code == 0, ended.err
    assert load(tmp_path / "show" / "policy.toml").policy.smallest == 5
    assert lookalike("verify", "show/patients_k5.csv").code == 0
    typed = re.findall(r"^ *lookalike (run .*?)  ", ended.out, flags=re.M)
    assert typed
    again = lookalike("demo", "--rows", 2000, "-o", "show")
    assert again.code == 1
    assert lookalike("demo", "--rows", 2000, "-o", "show", "--force").code == 0


def test_the_demo_says_what_it_measured(lookalike):
    ended = lookalike("demo", "--rows", 1000, "--json", "-o", "d")
    document = ended.document
    assert document["before"]["unique"] > 900
    assert document["after"]["smallest"] >= 5
    assert document["solution"]["status"] == "optimal"
    told = lookalike("demo", "--rows", 1000, "-o", "e").out
    flat = " ".join(told.split())
    assert f"{document['before']['unique']:,} of 1,000 patients are unique" in flat
    assert f"{document['after']['rows']:,} rows are kept" in flat
    assert "✗" not in told


@pytest.mark.parametrize("width", [60, 80, 120])
def test_nothing_is_wider_than_the_terminal(lookalike, monkeypatch, hospital, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for typed in (
        ("demo", "--rows", 500, "-o", "d"),
        ("risk", "patients.csv", "--by", "birth_date,zip,sex,ethnicity"),
        ("explain", "patients.csv", "policy.toml"),
        ("run", "patients.csv", "policy.toml", "-o", "o.csv"),
        ("compare", "patients.csv", "policy.toml", "--by", "flash,datafly"),
        ("verify", "o.csv"),
    ):
        ended = lookalike(*typed)
        assert ended.code == 0
        assert max(map(len, ended.out.splitlines())) <= width, typed


def test_no_colour_where_none_is_wanted(lookalike, hospital, monkeypatch):
    assert "\x1b" not in lookalike("risk", "patients.csv", "--by", "zip").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in lookalike("risk", "patients.csv", "--by", "zip").out
    monkeypatch.setenv("NO_COLOR", "1")
    coloured = re.compile(r"\x1b\[[0-9;]*3[0-7]")
    assert not coloured.search(lookalike("risk", "patients.csv", "--by", "zip").out)


def drawn(text: object) -> str:
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(text, end="")
    return capture.get()


def test_a_bar_is_as_long_as_its_share():
    assert drawn(show.bar(0, 4)) == "    "
    assert drawn(show.bar(0.5, 4)) == "██  "
    assert drawn(show.bar(1, 4)) == "████"
    assert drawn(show.bar(1e-9, 4)) == "▏   "
    assert drawn(show.bar(1 - 1e-9, 4, track=True)) == "███▉"
    assert drawn(show.bar(0.25, 4, track=True)) == "█░░░"


def test_percent_never_rounds_to_all_or_nothing():
    assert [show.percent(x) for x in (0, 0.0001, 0.5, 0.9999, 1)] == [
        "0.0%", "<0.1%", "50.0%", ">99.9%", "100%",
    ]  # fmt: skip


def test_the_progress_line_keeps_up():
    line = Line()
    assert drawn(line).strip() == ""
    line.observe(Compiling("flash"))
    assert drawn(line).strip() == f"{Compiling('flash').heading} …"
    line.observe(Started("flash", 100, 10, "why"))
    line.observe(Incumbent(0.1, 7, 0.5, 0.4, 3, (1, 2)))
    assert "flash: 7 recodings evaluated  best 0.5  bound 0.4  gap 20.0%" in drawn(line)
    line.observe(Tick(0.2, 1234, 0.5, 0.45))
    assert "1,234 recodings evaluated" in drawn(line)
    assert "gap 10.0%" in drawn(line)
    line.observe(Tick(0.2, 1235, None, float("-inf")))
    line.observe(Finished(0.3, 1300, "optimal", "finished", 0.5, 0.5))
    assert drawn(line).strip() == ""


def test_progress_is_for_terminals_only(lookalike, hospital):
    assert lookalike("run", "patients.csv", "policy.toml", "-o", "o.csv").err == ""
    assert lookalike("solve", "patients.csv", "policy.toml", "-o", "s.json", "--json").err == ""
