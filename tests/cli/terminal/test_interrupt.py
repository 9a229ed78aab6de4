"""Ctrl-C, SIGTERM and SIGHUP, really sent to a process that is really searching."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import signal
import stat
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cli_program import listing, started
from effort import THOROUGH
from waiting import until

import lookalike as la
from lookalike import api, pipeline
from lookalike.cli.terminal.interrupt import Abandoned, Interrupt
from lookalike.cli.terminal.pipeline_session import watch
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import Fault, TableError
from lookalike.policy.policy_file import load as load_policy
from lookalike.releasing import build_release as make
from lookalike.releasing import release
from lookalike.search.lattice.datafly import Datafly
from lookalike.solution.solution import Status, Stop
from lookalike.solution.solution_file import load
from lookalike.tables.files.pair_replacement import Replacement

NAMES = [f"q{i}" for i in range(6)]


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """Every recoding meets the policy, and there are a quarter of a million of them."""
    lot = random.Random(5)
    rows = [",".join(str(lot.randrange(3)) for _ in NAMES) + ",flu" for _ in range(3000)]
    (tmp_path / "t.csv").write_text("\n".join([",".join([*NAMES, "sick"]), *rows]) + "\n")
    columns = "".join(f"{name} = {{ bands = [2, 4, 8, 16, 32, 64] }}\n" for name in NAMES)
    (tmp_path / "p.toml").write_text(
        f'sensitive = ["sick"]\n[require]\nk_anonymity = 3\n[spend]\nsuppress = 0.5\n'
        f"[quasi_identifiers]\n{columns}"
    )
    return tmp_path


def interrupted(
    folder: Path, *typed: object, by: signal.Signals = signal.SIGINT
) -> tuple[int, str, str]:
    """Start, wait until something has been found, press Ctrl-C."""
    process = started(folder, *typed, "--by", "mingen", "--events", "events.jsonl")
    try:
        deadline = time.monotonic() + 600
        events = folder / "events.jsonl"
        while not (events.exists() and "incumbent" in events.read_text()):
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline, "the search never began"
            time.sleep(0.05)
        os.kill(process.pid, by)
        out, err = process.communicate(timeout=600)
    finally:
        process.kill()
    return process.returncode, out, err


def test_run_keeps_its_best_and_says_how_to_finish(lookalike, slow):
    code, out, err = interrupted(slow, "run", "t.csv", "p.toml", "-o", "out.csv")
    assert (code, out) == (130, "")
    assert "Traceback" not in err
    assert listing(slow) == {"t.csv", "p.toml", "events.jsonl", "out.csv.solution.json"}
    kept = slow / "out.csv.solution.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    solution = load(kept)
    assert (solution.status, solution.stop) == (Status.FEASIBLE, Stop.INTERRUPTED)
    said = " ".join(err.split())
    assert f"cost: Prec {1 - solution.cost:.4f} (1 is the original table" in said
    assert "bound: " in said.partition("cost: ")[2]
    [finish] = [line.strip() for line in err.splitlines() if "lookalike release" in line]
    assert lookalike(*finish.split()[1:]).code == 0
    assert lookalike("verify", "out.csv").code == 0


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_are_as_ctrl_c_and_leave_no_copy(lookalike, slow, tmp_path, monkeypatch, by):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    table = (slow / "t.csv").read_text().replace("flu", "fi\xe8vre")
    (slow / "t.csv").write_bytes(table.encode("latin-1"))  # read from a copy in UTF-8
    code, out, err = interrupted(slow, "run", "t.csv", "p.toml", "-o", "out.csv", by=by)
    assert (code, out) == (128 + by, ""), err
    assert "Traceback" not in err
    left = {"t.csv", "p.toml", "events.jsonl", "out.csv.solution.json", "temporary"}
    assert listing(slow) == left
    assert list(temporary.iterdir()) == []
    [finish] = [line.strip() for line in err.splitlines() if "lookalike release" in line]
    assert lookalike(*finish.split()[1:]).code == 0


def test_a_signal_that_is_ignored_stays_ignored():
    """As after nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        interrupt = Interrupt()
        with interrupt.handle_signals():
            signal.raise_signal(signal.SIGHUP)
        assert not interrupt.pressed
    finally:
        signal.signal(signal.SIGHUP, before)


def test_when_the_terminal_is_gone_nothing_is_written_to_it(slow):
    """A terminal that is closed: the result is saved all the same."""
    leader, follower = os.openpty()
    command = ["run", "t.csv", "p.toml", "-o", "out.csv", "--by", "mingen"]
    process = started(slow, *command, "--events", "events.jsonl", on_terminal=follower)
    os.close(follower)
    events = slow / "events.jsonl"
    until(lambda: events.exists() and "incumbent" in events.read_text())
    assert process.poll() is None
    os.close(leader)  # nobody controls this terminal, so the signal is sent here
    os.kill(process.pid, signal.SIGHUP)
    assert process.wait(600) == 129
    assert load(slow / "out.csv.solution.json").stop is Stop.INTERRUPTED


@pytest.mark.parametrize("moment", [pipeline, release.Release])
def test_with_force_ctrl_c_keeps_the_old_or_the_new_pair(lookalike, hospital, monkeypatch, moment):
    typed = ("run", "patients.csv", "policy.toml", "-o", "out.csv", "--force")
    assert lookalike(*typed).code == 0
    before = (hospital / "out.csv").stat().st_ino
    step = "make_release" if moment is pipeline else "write"
    real = getattr(moment, step)

    def pressing(*given: Any, **more: Any) -> Any:
        done = real(*given, **more)
        presses_and_raises()
        return done

    monkeypatch.setattr(moment, step, pressing)
    ended = lookalike(*typed)
    assert ended.code == 130
    written = (hospital / "out.csv").stat().st_ino != before
    assert written is (step == "write")
    assert ("was already written" in ended.err) is written
    assert lookalike("verify", "out.csv").code == 0


def test_run_with_flags_keeps_its_policy_too(lookalike, slow):
    (slow / "q0.csv").write_text("0;low\n1;low\n2;high\n")
    given = [f"--hierarchy={name}=bands:2,4,8,16,32,64" for name in NAMES[1:]]
    typed = ("--qi", ",".join(NAMES), "--keep", "sick", "--k", 3, "--suppress", "50%", *given)
    typed = (*typed, "--hierarchy=q0=tree:q0.csv", "--json")
    (slow / "out.csv.solution.json").write_text("somebody else's")
    code, out, err = interrupted(slow, "run", "t.csv", "-o", "out.csv", *typed)
    document = json.loads(out)
    assert (code, document["exit_code"], document["error"]) == (130, 130, "Interrupted")
    assert (slow / "out.csv.solution.json").read_text() == "somebody else's"
    assert document["solution_file"] == "out.csv.solution-2.json"
    assert lookalike(*document["finish_with"].split()[1:]).code == 0, err


def test_solve_writes_its_best(slow):
    code, _, err = interrupted(slow, "solve", "t.csv", "p.toml", "-o", "s.json")
    assert code == 130, err
    assert load(slow / "s.json").stop is Stop.INTERRUPTED


def test_a_first_press_asks_the_search_and_a_second_ends_it():
    interrupt = Interrupt()
    with interrupt.handle_signals(), interrupt.stop_search() as cancelled:
        assert not cancelled()
        signal.raise_signal(signal.SIGINT)
        assert cancelled()
        with pytest.raises(Abandoned):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is not interrupt._press


def test_outside_a_search_ctrl_c_is_as_ever():
    interrupt = Interrupt()
    with interrupt.handle_signals(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert interrupt.pressed


def test_ctrl_c_ends_the_program_while_code_is_compiled_and_asks_the_search_afterwards():
    terminal = Terminal(quiet=True)
    request = SimpleNamespace(search=SimpleNamespace(by=None))
    with terminal.interrupt.handle_signals(), watch(terminal, request, None) as observer:
        observer(la.PhaseStarted(la.Phase.SEARCHING))
        observer(la.Compiling("flash"))
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        terminal.interrupt.pressed = False
        observer(la.Started("flash", 24, 10, "why"))
        signal.raise_signal(signal.SIGINT)
        assert terminal.interrupt.pressed


def test_a_best_that_cannot_be_kept_is_not_passed_over(lookalike, slow, monkeypatch):
    def pressed_at_once(*given: object, **named: object) -> object:
        signal.raise_signal(signal.SIGINT)
        return real(*given)

    def full(*given: object, **more: object) -> None:
        raise TableError(Fault("out.csv.solution.json", "it cannot be written", "make room"))

    real = api.solve
    monkeypatch.setattr("lookalike.pipeline.solve", pressed_at_once)
    typed = ("run", "t.csv", "p.toml", "-o", "out.csv", "--by", "datafly")
    assert lookalike(*typed).code == 130
    monkeypatch.setattr(
        "lookalike.pipeline.solve",
        lambda *given, **named: (signal.raise_signal(signal.SIGINT), found)[1],
    )
    found = real(api.prepare(str(slow / "t.csv"), load_policy(slow / "p.toml").policy), Datafly())
    monkeypatch.setattr("lookalike.cli.terminal.recovery.write_private", full)
    ended = lookalike(*typed)
    assert ended.code == 1
    assert "make room" in ended.err


def presses_and_raises() -> None:
    signal.raise_signal(signal.SIGINT)


def presses_and_swallows() -> None:
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def presses_and_translates() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise TableError(Fault("t.csv", "Query interrupted", "none")) from None


MOMENTS = (
    (pipeline, "make_release"),
    (make, "verify_release"),
    (release.Release, "write"),
    (release, "open_written"),  # to read the file back
    (Replacement, "_put_release"),  # the worst moment: one of two files has its name
)
PRESSED = tuple(
    itertools.product(
        MOMENTS,
        (presses_and_raises, presses_and_swallows, presses_and_translates),
        ("before", "after"),
        ((), ("--solution", "s.json")),
    )
)


@pytest.mark.parametrize(
    ("moment", "press", "when", "asked"), PRESSED[:: 1 if THOROUGH else 7]
)  # every seventh has each moment, press, time and flag
def test_after_the_search_ctrl_c_keeps_the_solution_and_no_release(
    lookalike, hospital, monkeypatch, moment, press, when, asked
):
    module, step = moment
    real, pressed = getattr(module, step), []

    def pressing(*given: Any, **more: Any) -> Any:
        if pressed:
            return real(*given, **more)
        pressed.append(step)
        if when == "before":
            press()
        done = real(*given, **more)
        if when == "after":
            press()
        return done

    monkeypatch.setattr(module, step, pressing)
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", *asked)
    assert pressed
    assert (ended.code, ended.out) == (130, ""), ended.err
    kept = asked[1] if asked else "out.csv.solution.json"
    assert listing(hospital) == {"patients.csv", "policy.toml", kept}
    assert load(hospital / kept).status is Status.OPTIMAL
    [finish] = [line.strip() for line in ended.err.splitlines() if "lookalike release" in line]
    assert lookalike(*finish.split()[1:]).code == 0
    assert "out.csv" in listing(hospital)


def test_after_the_search_ctrl_c_keeps_a_policy_made_of_flags(lookalike, hospital, monkeypatch):
    typed = ("--qi", "birth_date,zip,sex,ethnicity", "--drop", "patient_id,name,ward", "--k", "3")
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "make_release", lambda *given, **named: presses_and_raises())
        ended = lookalike(
            "run", "patients.csv", "-o", "out.csv", *typed, "--keep", "diagnosis", "--json"
        )
    assert ended.code == 130, ended.err
    assert ended.document["policy_file"] == "out.csv.policy.toml"
    assert lookalike(*ended.document["finish_with"].split()[1:]).code == 0


def test_after_the_search_what_cannot_be_kept_is_said(lookalike, hospital, monkeypatch):
    def full(*given: object, **more: object) -> None:
        raise TableError(Fault("out.csv.solution.json", "it cannot be written", "make room"))

    monkeypatch.setattr(pipeline, "make_release", lambda *given, **named: presses_and_raises())
    monkeypatch.setattr("lookalike.cli.terminal.recovery.write_private", full)
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv")
    assert ended.code == 1
    assert "make room" in ended.err


def test_the_solution_is_written_even_if_a_later_step_fails(lookalike, hospital, monkeypatch):
    def full(*given: object, **more: object) -> None:
        raise TableError(Fault("out.csv", "it cannot be written (no space)", "make room"))

    monkeypatch.setattr(release.Release, "write", full)
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", "--solution", "s.json")
    assert ended.code == 1
    assert "s.json has the result; nothing was released" in ended.err
    assert load(hospital / "s.json").status is Status.OPTIMAL
