"""Tables of a DuckDB database: the file is never touched, and every fault has a fix."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import lookalike as la
from lookalike.tables import open_table
from lookalike.tables.column_names import join_name, split_name
from lookalike.tables.duckdb.address import DuckDBAddress
from lookalike.tables.table_listing import tables_in

POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(5, 10), "sex": la.flat()},
    sensitive="ill",
    require=la.KAnonymity(3),
    suppress=0.2,
)
PEOPLE = pa.table(
    {
        "age": [30 + n * 7 % 19 for n in range(60)],
        "sex": ["f" if n % 3 else "m" for n in range(60)],
        "ill": [("flu", "cold", None)[n % 7 % 3] for n in range(60)],
    }
)
TABLES = ['"a.b"."say ""hi"""', "clinic.seen", "clinic.visits", "main.patients"]


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    path = tmp_path / "hospital.duckdb"
    with duckdb.connect(str(path)) as opened:
        opened.register("people", PEOPLE)
        opened.execute("CREATE TABLE patients AS FROM people")
        opened.execute("CREATE SCHEMA clinic; CREATE TABLE clinic.visits AS SELECT 1 AS n")
        opened.execute("CREATE VIEW clinic.seen AS SELECT *, random() AS fresh FROM patients")
        opened.execute('CREATE SCHEMA "a.b"; CREATE TABLE "a.b"."say ""hi""" AS FROM patients')
    return path


def at(path: Path, table: str) -> str:
    return f"duckdb:{path}?table={table}"


def state(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        one.name: (hashlib.sha256(one.read_bytes()).hexdigest(), one.stat().st_mtime_ns)
        for one in folder.iterdir()
    }


def said(source: str) -> str:
    with pytest.raises(la.TableError) as caught:
        open_table(source)
    [fault] = caught.value.faults
    assert fault.where
    assert fault.fix
    return str(caught.value)


@contextmanager
def another_program(path: Path, does: str) -> Iterator[subprocess.Popen[str]]:
    """It keeps the database open until it is stopped, and then ends without cleaning up."""
    code = (
        f"import duckdb, os, sys\nc = duckdb.connect({str(path)!r})\n{does}\n"
        "print('there', flush=True)\nsys.stdin.read(1)\nos._exit(0)"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "there\n"
    try:
        yield running
    finally:
        running.communicate("x")


def test_a_table_gives_the_release_of_the_same_frame_and_is_left_as_it_was(
    hospital: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(hospital.parent)
    expected = la.anonymize(PEOPLE, POLICY)
    monkeypatch.chdir(hospital.parent)
    for address in (
        at(hospital, "patients"),
        at(hospital, "main.patients"),
        f"duckdb://{hospital}?table=patients",  # three slashes
        "DuckDB:hospital.duckdb?table=%22main%22.patients",
        at(hospital, '"a.b"."say%20""hi"""'),
    ):
        release = la.anonymize(address, POLICY)
        assert release.certificate.to_json() == expected.certificate.to_json()
        assert release.table.equals(expected.table)
    assert state(hospital.parent) == before


def test_a_view_is_asked_once(hospital: Path) -> None:
    table = open_table(at(hospital, "clinic.seen"))
    assert table.text_rows(["fresh"]).equals(table.text_rows(["fresh"]))
    release = la.anonymize(
        at(hospital, "seen"),
        la.Policy(
            quasi_identifiers=dict(POLICY.quasi_identifiers),
            insensitive=("ill", "fresh"),
            require=la.KAnonymity(3),
            suppress=0.2,
        ),
    )
    assert release.certificate.passed


def test_what_is_in_the_log_alone_is_read_and_the_log_stays(hospital: Path, tmp_path: Path) -> None:
    with another_program(hospital, "c.execute(\"INSERT INTO patients VALUES (99, 'f', NULL)\")"):
        pass
    before = state(hospital.parent)
    assert "hospital.duckdb.wal" in before
    la.limit_engine(cache=tmp_path / "cache")  # where counts would be found by the file alone
    try:
        assert open_table(at(hospital, "patients")).rows() == 61
        la.prepare(at(hospital, "patients"), POLICY)
        assert not list((tmp_path / "cache").iterdir())
    finally:
        la.limit_engine()
        (tmp_path / "cache").rmdir()
    assert state(hospital.parent) == before


def test_several_readers_at_once(hospital: Path) -> None:
    one, other = open_table(at(hospital, "patients")), open_table(at(hospital, "patients"))
    assert one.fingerprint("key") == other.fingerprint("key")


def test_each_fault_says_what_to_do(hospital: Path, tmp_path: Path) -> None:
    listed = ", ".join(sorted(TABLES))
    for table in ("nobody", "clinic.patients"):
        words = said(at(hospital, table))
        assert "hospital.duckdb has no such table" in words
        assert f"use one of: {listed}" in words
    for source in (f"duckdb:{hospital}", f"duckdb:{hospital}?table=", str(hospital)):
        words = said(source)
        assert "the table in it is not named" in words
        assert "duckdb:hospital.duckdb?table=" in words
        assert listed in words
    assert "no such file" in said(at(tmp_path / "none.duckdb", "t"))
    (tmp_path / "letter.duckdb").write_text("Dear reader, " * 1000)
    assert "not a DuckDB database" in said(at(tmp_path / "letter.duckdb", "t"))
    (tmp_path / "void.duckdb").touch()
    assert "the file is empty" in said(at(tmp_path / "void.duckdb", "t"))
    whole = hospital.read_bytes()
    (tmp_path / "torn.duckdb").write_bytes(whole[:9000])
    assert "damaged" in said(at(tmp_path / "torn.duckdb", "patients"))
    assert "cannot be opened" in said(at(tmp_path, "patients"))
    for odd in ("duckdb:", "duckdb:?table=t", "duckdb:x.duckdb?table=a.b.c",
                "duckdb:x.duckdb?query=SELECT", "duckdb:x.duckdb?table=a&table=b",
                "duckdb:x%FF.duckdb?table=a"):  # fmt: skip
        assert "duckdb:file.duckdb?table=schema.name" in said(odd)


def test_a_name_of_several_schemas_is_that_of_main_or_not_clear(hospital: Path) -> None:
    with duckdb.connect(str(hospital)) as opened:
        opened.execute("CREATE TABLE clinic.patients AS SELECT 1 AS other")
        opened.execute("CREATE SCHEMA x; CREATE TABLE x.visits AS SELECT 1 AS other")
    assert open_table(at(hospital, "patients")).columns == ("age", "sex", "ill")
    assert open_table(at(hospital, "clinic.patients")).columns == ("other",)
    words = said(at(hospital, "visits"))
    assert "2 schemas" in words
    assert "use one of: clinic.visits, x.visits" in words


def test_a_database_that_somebody_writes_to_is_not_read(hospital: Path) -> None:
    with another_program(hospital, "") as running:
        words = said(at(hospital, "patients"))
        assert "another program has this database open" in words
        assert str(running.pid) not in words
    with duckdb.connect(str(hospital)) as opened:
        words = said(at(hospital, "patients"))
        assert "this program has the database open for writing" in words
        assert open_table(opened.table("patients")).rows() == 60  # as the fix says
    assert open_table(at(hospital, "patients")).rows() == 60


def test_a_release_is_not_written_into_a_database(hospital: Path) -> None:
    release = la.anonymize(at(hospital, "patients"), POLICY)
    before = state(hospital.parent)
    with pytest.raises(la.FileError, match=r"not written into a DuckDB database") as caught:
        release.write(at(hospital, "shared"), force=True)
    assert ".parquet or .csv" in str(caught.value)
    assert state(hospital.parent) == before
    shutil.copy(hospital, hospital.parent / "odd.parquet")
    odd = la.anonymize(f"duckdb:{hospital.parent / 'odd.parquet'}?table=patients", POLICY)
    with pytest.raises(la.FileError, match="input"):
        odd.write(hospital.parent / "odd.parquet", force=True)


def test_the_tables_there_are(hospital: Path) -> None:
    for database in (hospital, str(hospital), f"duckdb:{hospital}", at(hospital, "nobody")):
        assert tables_in(database) == sorted(TABLES)
    for table in tables_in(hospital):  # each can be asked for as it is listed
        assert open_table(at(hospital, table)).rows() in (1, 60)
    with pytest.raises(la.TableError, match="no such file"):
        tables_in("duckdb:/nowhere/at.duckdb")
    with pytest.raises(la.TableError, match="cannot be listed"):
        tables_in("patients.csv")


def test_names_come_back_as_they_were() -> None:
    for parts in (("a",), ("main", "a b"), ("a.b", 'say "hi"'), ('"', ".")):
        assert split_name(join_name(parts)) == parts
    assert split_name("a.b.c") is split_name("") is split_name('a"b') is None
    assert DuckDBAddress.parse("duckdb:/x/100%25.duckdb?table=a%20b").path == Path("/x/100%.duckdb")


def test_the_file_may_be_read_only(hospital: Path) -> None:
    hospital.chmod(0o400)
    hospital.parent.chmod(0o500)
    try:
        assert open_table(at(hospital, "patients")).rows() == 60
    finally:
        hospital.parent.chmod(0o700)
    assert not re.search("wal|tmp", " ".join(one.name for one in hospital.parent.iterdir()))
