"""The systems of the papers from the command line: compare, pictures, options, and who is asked."""

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time

import pytest
from cli_program import LISTENING, SRC, listing

from lookalike.registry import ALGORITHMS
from lookalike.search.auto_choice import names_to_compare


def test_compare_runs_every_suited_system_and_shows_all_columns(lookalike, hospital):
    ended = lookalike("compare", "patients.csv", "policy.toml", "--by", "all", "--class", "ward")
    assert ended.code == 0, ended.err
    for name in names_to_compare():
        assert name in ended.out
    for heading in ("result", "k held", "Prec", "loss", "DM", "CM", "rows out", "cells *",
                    "classes", "counted", "time", "bound", "gap"):  # fmt: skip
        assert heading in ended.out
    document = lookalike("compare", "patients.csv", "policy.toml", "--by", "all", "--json").document
    rows = {row["algorithm"]: row for row in document["rows"]}
    assert set(rows) == set(names_to_compare())
    assert rows["flash"]["gap_to_best_bound"] == 0
    refused = {"k-optimize", "hill-climbing", "genetic", "annealing", "greedy"}  # zip has no order
    refused |= {"cell-optimal"}  # more rows than it solves in a minute, and no limit of time
    assert {name for name, row in rows.items() if row["refusal"]} == refused
    for row in (row for name, row in rows.items() if name not in refused):
        measures = row["measures"]
        assert measures["prec"] == pytest.approx(1 - measures["precision_loss"])
        assert "gap" not in {*row, *row["solution"]}  # of which of the two bounds?
        own, best = row["solution"]["gap_to_own_bound"], row["gap_to_best_bound"]
        assert best is None or best <= own
    assert document["bounds"]["full-domain"] == pytest.approx(rows["flash"]["solution"]["cost"])
    assert all(row["held"] for name, row in rows.items() if name not in {"mu-argus", *refused})


@pytest.mark.parametrize("name", ["picture.svg", "picture.png", "picture.html"])
def test_compare_draws_a_picture(lookalike, hospital, name):
    typed = ("compare", "patients.csv", "policy.toml", "--by", "flash,datafly", "--plot", name)
    assert lookalike(*typed).code == 0
    assert (hospital / name).stat().st_size > 1000
    again = lookalike(*typed)
    assert again.code == 1
    assert "the file exists" in again.err
    assert lookalike(*typed, "--force").code == 0


def test_a_picture_of_no_known_kind_is_refused_before_any_work(lookalike, hospital):
    before = listing(hospital)
    ended = lookalike("compare", "patients.csv", "policy.toml", "--plot", "picture.jpg")
    assert ended.code == 1
    assert ".svg" in ended.err
    assert listing(hospital) == before


def test_compare_by_nobody_lists_the_names(lookalike, hospital):
    for nobody in ("", " , "):
        ended = lookalike("compare", "patients.csv", "policy.toml", "--by", nobody)
        assert ended.code == 1
        assert "no algorithm is named" in ended.err
        assert all(name in ended.err for name in ALGORITHMS.names)


def test_options_of_algorithms(lookalike, hospital):
    solve = ("solve", "patients.csv", "policy.toml", "-o", "s.json", "--force")
    typed = (*solve, "--want", "feasible", "--by")
    for by in ("samarati:every:preference=suppression", "incognito:basic", "mondrian:cut=median",
               "mingen:preferred=most-classes"):  # fmt: skip
        assert lookalike(*typed, by).code == 0, by
    for by, said in (
        ("samarati:all", "no option"),
        ("mondrian:cut=diagonal", "diagonal"),
        ("flash:fast", "options of flash: none"),
    ):
        ended = lookalike(*typed, by)
        assert ended.code == 1
        assert said in ended.err


def test_mu_argus_is_shown_and_never_written(lookalike, hospital):
    before = listing(hospital)
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", "--by", "mu-argus")
    assert ended.code == 4
    said = " ".join(ended.err.split())
    assert "if * may stand for any value" in said
    assert "which was not written, not to the table" in said
    assert "--by auto" in said
    assert "make the release again" not in said
    assert listing(hospital) == before
    solved = lookalike("solve", "patients.csv", "policy.toml", "-o", "s.json", "--by", "mu-argus")
    assert solved.code == 5
    assert "Unmet (does not meet the policy)" in solved.out
    released = lookalike("release", "patients.csv", "policy.toml", "s.json", "-o", "out.csv")
    assert released.code == 4
    assert "out.csv" not in listing(hospital)


def test_mu_argus_cannot_ask_without_a_terminal(lookalike, hospital):
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", "--by", "mu-argus:ask")
    assert ended.code == 1
    assert "needs a terminal" in ended.err
    assert "generalize=" in ended.err


def at_terminal(folder, *answers):
    """Solve with ``mu-argus:ask`` on a real terminal: what was said, the exit code."""
    master, slave = pty.openpty()
    typed = ["solve", "patients.csv", "policy.toml", "-o", "s.json", "--by", "mu-argus:ask"]
    process = subprocess.Popen(
        [sys.executable, "-c", LISTENING, *typed],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SRC), "COLUMNS": "100", "TERM": "dumb"},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        close_fds=True,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads here
    )
    os.close(slave)
    said, left = "", list(answers)
    silent = time.monotonic()
    try:
        while time.monotonic() < silent + 600:
            if select.select([master], [], [], 0.2)[0]:
                try:
                    said += os.read(master, 65536).decode()
                except OSError:  # the other side has closed
                    break
                silent = time.monotonic()
                asked = said.count("generalize which column?")
                if left and asked == len(answers) - len(left) + 1:
                    os.write(master, left.pop(0).encode())
            elif answers[-1] == "\x03" and not left and time.monotonic() > silent + 60:
                # pressed after the question was shown and before Python waited for the answer, a
                # Ctrl-C is only noticed with the next key: what a person does is press it again
                os.write(master, b"\x03")
                silent = time.monotonic()
        process.wait(timeout=600)
    finally:
        process.kill()
        process.wait()
        os.close(master)
    assert not left, said
    return said, process.returncode


def test_mu_argus_asks_the_data_holder(hospital):
    """First a column that is none, then zip, then no more."""
    said, code = at_terminal(hospital, "nothing\n", "zip\n", "\n")
    assert "not one of these columns" in said
    assert "rare combination" in said
    assert code == 5  # it does not keep k
    assert (hospital / "s.json").exists()


@pytest.mark.parametrize(("key", "code"), [("\x03", 130), ("\x04", 5)])
def test_ctrl_c_and_ctrl_d_end_the_question(hospital, key, code):
    assert at_terminal(hospital, key)[1] == code
    assert (hospital / "s.json").exists() == (code == 5)
