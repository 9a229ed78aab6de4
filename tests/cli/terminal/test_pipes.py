"""If the reader of a pipe stops, as ``head -1`` does, the work is still completed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from cli_program import SRC, listing

RUN = ("run", "patients.csv", "policy.toml", "-o", "out.csv")


def unread(folder, *typed, also_errors=False):
    """Run with a stdout that nobody reads: its exit code, and what was said to stderr."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "lookalike", *typed],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(SRC)},
            stdout=writing,
            stderr=writing if also_errors else subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writing)
    return ended.returncode, ended.stderr


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_release_nobody_reads_about_is_written(hospital, more):
    assert unread(hospital, *RUN, *more) == (0, "")
    assert {"out.csv", "out.csv.certificate.json"} <= listing(hospital)


def test_nor_does_it_matter_who_hears_of_progress(hospital):
    typed = ("--qi", "zip,sex", "--drop", "name,patient_id,birth_date,ethnicity,ward")
    given = (
        "run",
        "patients.csv",
        "-o",
        "out.csv",
        *typed,
        "--keep=diagnosis",
        "--accept=diagnosis=it tells the ward, which is no secret",
    )  # notes what it guessed
    assert unread(hospital, *given, also_errors=True)[0] == 0
    assert "out.csv" in listing(hospital)


def test_every_other_command_ends_well_too(hospital):
    assert unread(hospital, "init", "patients.csv")[0] == 0
    assert unread(hospital, "risk", "patients.csv", "--by", "zip") == (0, "")


def test_a_failure_is_still_one(hospital):
    unread(hospital, *RUN)
    text = (hospital / "out.csv").read_text()
    (hospital / "out.csv").write_text(text.rsplit("\n", 2)[0] + "\n")
    code, said = unread(hospital, "verify", "out.csv")
    assert code == 4
    assert "fault" in said


def test_in_a_shell(hospital):
    program = f"{sys.executable} -m lookalike {' '.join(RUN)}"
    ended = subprocess.run(
        ["bash", "-c", f"{program} | head -1; exit ${{PIPESTATUS[0]}}"],
        cwd=hospital,
        env={**os.environ, "PYTHONPATH": str(SRC)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
