"""Tables of a DuckDB database on the command line: in as an address, out only as a file."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from cli_program import Program, listing


@pytest.fixture
def database(hospital: Path) -> Path:
    path = hospital / "hospital.duckdb"
    with duckdb.connect(str(path)) as opened:
        opened.execute(
            "CREATE TABLE patients AS FROM read_csv(?, all_varchar=true)",
            [str(hospital / "patients.csv")],
        )
    return path


def test_run_reads_a_table_of_a_database(database: Path, lookalike: Program) -> None:
    before = database.read_bytes()
    address = "duckdb:hospital.duckdb?table=patients"
    ended = lookalike("run", address, "policy.toml", "-o", "out.csv", "--solution", "s.json")
    assert ended.code == 0, ended.err
    assert lookalike("run", "patients.csv", "policy.toml", "-o", "other.csv").code == 0
    folder = database.parent
    assert (folder / "out.csv").read_bytes() == (folder / "other.csv").read_bytes()
    inside = ("--original", address, "--policy", "policy.toml", "--solution", "s.json")
    assert lookalike("verify", "out.csv", *inside).code == 0
    for typed in (("risk", address, "--by", "zip,sex"), ("explain", address, "policy.toml")):
        assert lookalike(*typed, "--json").document["table"] == "main.patients"
    assert database.read_bytes() == before


def test_faults_are_reported_and_nothing_is_written(database: Path, lookalike: Program) -> None:
    before = listing(database.parent)
    for address, words in (
        ("duckdb:hospital.duckdb", "use one of: main.patients"),
        ("hospital.duckdb", "duckdb:hospital.duckdb?table=main.patients"),
        ("duckdb:hospital.duckdb?table=visits", "use one of: main.patients"),
        ("duckdb:nowhere.duckdb?table=t", "there is no such file"),
    ):
        ended = lookalike("run", address, "policy.toml", "-o", "out.csv")
        assert ended.code == 1
        assert words in " ".join(ended.err.split()), ended.err
    out = "duckdb:hospital.duckdb?table=shared"
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", out)
    assert ended.code == 1
    assert "not written into a DuckDB database" in " ".join(ended.err.split())
    assert listing(database.parent) == before
