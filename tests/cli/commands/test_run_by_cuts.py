"""A solution by cuts on the command line: released, verified, and its intervals shown to read."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from cut_recodings import GivenCuts
from rich.console import Console

import lookalike as la
from lookalike.cli.output.comparison import comparison_report
from lookalike.cli.output.solution import solution_summary
from lookalike.policy.policy_file import load
from lookalike.search.comparison_text import RESULT, SEARCH, meanings, used
from lookalike.solution.solution_file import dumps

POLICY = """
sensitive = ["ill"]
[quasi_identifiers]
age = { bands = [5, 20] }
job = { tree = [["nurse", "care"], ["doctor", "care"], ["cook", "craft"], ["baker", "craft"]] }
sex = { flat = true }
[require]
k_anonymity = 2
[spend]
metric = "discernibility"
suppress = 0.5
[conventions]
cuts = "siblings"
"""


@pytest.fixture
def solved(tmp_path: Path) -> la.Solution:
    rng = random.Random(1)
    rows = 80
    table = pa.table(
        {
            "age": [None if row == 60 else 20 + row % 50 for row in range(rows)],
            "job": [rng.choice(["nurse", "doctor", "cook", "baker"]) for _ in range(rows)],
            "sex": [rng.choice("fm") for _ in range(rows)],
            "ill": [rng.choice(["flu", "cold"]) for _ in range(rows)],
        }
    )
    pyarrow.csv.write_csv(table, tmp_path / "people.csv")
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    problem = la.prepare(tmp_path / "people.csv", load(tmp_path / "policy.toml").policy)
    solution = la.solve(problem, GivenCuts(((20, 40), (1, 2), (1,))))
    (tmp_path / "solution.json").write_text(dumps(solution), encoding="utf-8")
    return solution


def test_a_solution_file_of_cuts_is_released_and_verified(lookalike, solved, tmp_path):
    made = lookalike("release", "people.csv", "policy.toml", "solution.json", "-o", "out.csv")
    assert made.code == 0, made.err
    assert "cut into 3 intervals" in made.out
    assert "3 intervals" in made.out.split("job")[1]
    told = lookalike("verify", "out.csv", "--original", "people.csv", "--policy", "policy.toml",
                     "--solution", "solution.json")  # fmt: skip
    assert told.code == 0, told.err
    assert "All checks passed" in told.out
    again = ("release", "people.csv", "policy.toml", "solution.json", "-o", "again.csv", "--json")
    found = lookalike(*again).document
    assert found["solution"]["intervals"] == {"age": 3, "job": 3, "sex": 2}
    assert found["certificate"]["conventions"]["cuts"] == "siblings"
    columns = found["certificate"]["columns"]
    assert columns["job"]["shown"] == "cut into 3 intervals: nurse, doctor, craft"
    assert columns["sex"]["shown"] == "unchanged"


def printed(parts):
    console = Console(width=100)
    with console.capture() as caught:
        console.print(*parts, sep="\n")
    return caught.get()


def test_a_solution_by_cuts_shows_its_intervals(solved, tmp_path):
    problem = la.prepare(tmp_path / "people.csv", load(tmp_path / "policy.toml").policy)
    out = printed(solution_summary(solved, problem, Path("solution.json")))
    assert "3 intervals: [20, 40), [40, 60), [60, 80) or missing" in out
    assert "3 intervals: nurse, doctor, craft" in out
    assert "unchanged" in out


def test_cuts_and_levels_are_compared(solved, tmp_path):
    problem = la.prepare(tmp_path / "people.csv", load(tmp_path / "policy.toml").policy)
    found = la.compare(problem, [GivenCuts(((20, 40), (1, 2), (1,))), "flash"])
    cuts, flash = found.rows
    assert cuts.measures.keys() == {"loss", "discernibility", "class-size"}
    assert cuts.solution.cost == cuts.measures["discernibility"]
    assert flash.gap == 0
    out = printed(comparison_report(found))
    assert "5 cuts; intervals [3, 3, 2]" in out


def test_a_comparison_says_what_the_names_of_its_columns_mean(solved, tmp_path):
    problem = la.prepare(tmp_path / "people.csv", load(tmp_path / "policy.toml").policy)
    comparison = la.compare(problem, ["flash"])
    shown = {*used(comparison, {**RESULT, **SEARCH})} - {"result", "classes", "time"}
    assert "DM" in shown
    assert {name for name, _ in meanings(comparison)} == shown  # the other names are plain
    for text in (str(comparison), printed(comparison_report(comparison))):
        assert "discernibility: rows that cannot be distinguished; less is better" in text
        assert "classification:" not in text  # without a class column there is no CM
