"""A full disk, a killed program: no part of a release is left where one would look for it."""

import hashlib
import os
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la

POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(5, 10)}, insensitive="note", require=la.KAnonymity(5),
    accept={"note": "an invented text"},
)  # fmt: skip
TOML = (
    'insensitive = ["note"]\naccept = { note = "an invented text" }\n'
    "[quasi_identifiers]\nage = { bands = [5, 10] }\n"
)


WAITING = """
import pathlib, time
from lookalike.cli import program
from lookalike.tables.files.pair_replacement import Replacement
def wait(*given):
    pathlib.Path("written").touch()
    time.sleep(3600)
Replacement.carry_out = wait
program()
"""  # stops with the release written under another name, and waits to be killed


def notes(rows):
    """A table that does not compress well."""
    return pa.table(
        {
            "age": [n * 7 % 90 for n in range(rows)],
            "note": [hashlib.md5(str(n).encode()).hexdigest() for n in range(rows)],
        }
    )


@pytest.mark.parametrize(
    ("kind", "suffix"), [("parquet", ".parquet"), ("parquet", ".csv"), ("frame", ".parquet")]
)
def test_a_full_disk_is_said_and_leaves_nothing(small_disk, tmp_path, kind, suffix):
    source = notes(60_000)
    if kind == "parquet":
        pq.write_table(source, tmp_path / "t.parquet")
        source = tmp_path / "t.parquet"
    release = la.anonymize(source, POLICY)
    with pytest.raises(la.FileError, match="cannot be written") as raised:
        release.write(small_disk / f"out{suffix}")
    assert raised.value.faults[0].where == f"out{suffix}"
    assert "disk space" in raised.value.faults[0].fix
    assert list(small_disk.iterdir()) == []
    assert release.write(tmp_path / f"out{suffix}").exists()  # elsewhere it still can be


def test_killed_while_writing_nothing_is_there_and_another_run_works(tmp_path):
    pq.write_table(notes(150_000), tmp_path / "t.parquet")
    (tmp_path / "p.toml").write_text(f"{TOML}[require]\nk_anonymity = 5\n")
    out = tmp_path / "out"
    out.mkdir()
    run = ["run", "t.parquet", "p.toml", "-q", "-o", str(out / "r.parquet")]
    command = [sys.executable, "-m", "lookalike", *run]
    program = subprocess.Popen([sys.executable, "-c", WAITING, *run], cwd=tmp_path)
    while not (tmp_path / "written").exists():
        assert program.poll() is None
        time.sleep(0.01)
    assert [one for one in out.rglob("*.parquet") if one.stat().st_size]
    os.kill(program.pid, signal.SIGKILL)
    program.wait()
    assert [one.name for one in out.iterdir() if not one.name.startswith(".")] == []
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    assert la.verify(out / "r.parquet").passed
    assert {one.name for one in out.iterdir()} == {"r.parquet", "r.parquet.certificate.json"}
