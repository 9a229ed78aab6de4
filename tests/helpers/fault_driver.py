"""Write a release again and again, each time with a fault at another call to the system.

A program of its own, with the shim of ``fault_shim.c`` preloaded. It loads lookalike once, and
forks for each fault and for each start of the program after it. Prints what it found as JSON.

fault_driver.py FOLDER CASE…, each case KIND:FORCE:MODE:FIRST:STEP
"""

from __future__ import annotations

import atexit
import ctypes
import errno
import gc
import json
import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lookalike as la

MODES = {"fail": 0, "kill": 1, "broken": 2, "kill-without-links": 1}
SHIM = ctypes.CDLL(None)
WORK = Path(sys.argv[1]).resolve()
OUT, TEMPORARY, ORIGINAL = WORK / "out", WORK / "temporary", WORK / "people.csv"
NAMES = {"csv": "r.csv", "parquet": "r.parquet", "folder": "r"}
DONE, REFUSED, UNEXPECTED = 0, 10, 11  # how a forked process ended
MAX_SECONDS = 900  # of a forked process; more means that it hangs

Files = dict[str, bytes]


def policy(k: int) -> la.Policy:
    return la.Policy(
        quasi_identifiers={"age": la.bands(10, 20)}, insensitive="town", require=la.KAnonymity(k)
    )


def make_original() -> None:
    """A table that is not in UTF-8, so that a copy is put in the temporary folder."""
    rows = [f"{20 + 7 * n % 40},K\xf6ln {n % 3}" for n in range(24)]
    ORIGINAL.write_bytes("\n".join(["age,town", *rows, ""]).encode("latin-1"))


def write(kind: str, k: int, force: bool) -> None:
    release = la.anonymize(ORIGINAL, policy(k))
    layout: dict[str, Any] = {"files_of": 20} if kind == "folder" else {}
    release.write(OUT / NAMES[kind], force=force, **layout)


def start_again(kind: str) -> None:
    """What the next command does: it opens the original, and finds what is at the target."""
    target = OUT / NAMES[kind]
    la.risk(ORIGINAL, ["age"])
    try:
        verdict = la.verify(target)
    except la.LookalikeError:
        assert not target.exists()
    else:
        assert verdict.passed


def forked(work: Callable[[], None]) -> int:
    """Run in a forked process, and end it as the program ends. Negative: killed by this signal."""
    process = os.fork()
    if process:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    code = UNEXPECTED
    try:
        import signal

        signal.alarm(MAX_SECONDS)
        work()
        code = DONE
    except la.LookalikeError:
        code = REFUSED
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        os._exit(code)


def content(path: Path) -> Files | None:
    if not os.path.lexists(path):
        return None
    files = path.rglob("*") if path.is_dir() else [path]
    return {file.name: file.read_bytes() for file in files if file.is_file()}


def found(kind: str) -> tuple[Files | None, str | None]:
    """The release at the target, and the digest of the release that the certificate is about."""
    name = NAMES[kind]
    certificate = OUT / f"{name}.certificate.json"
    digest = None
    if certificate.exists():
        text = certificate.read_text()
        digest = json.loads(text)["release_digest"] if text else ""
    return content(OUT / name), digest


def clear(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)


def examine(kind: str, force: bool, mode: str, first: int, step: int) -> dict[str, Any]:
    """Every ``step``-th call from ``first``, until the run completes without a fault."""
    name, pairs = NAMES[kind], {}
    for label, k in (("new", 6), ("old", 3)):
        clear(OUT)
        assert forked(lambda: write(kind, k, False)) == DONE  # noqa: B023 - called at once
        pairs[label] = found(kind)
    assert pairs["old"] != pairs["new"]
    old = WORK / "old"
    shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(OUT, old)
    if not force:
        pairs["old"] = None, None
    problems, at, points, ended = [], first, 0, {}
    while True:
        shutil.rmtree(OUT)
        shutil.copytree(old, OUT) if force else OUT.mkdir()
        clear(TEMPORARY)
        reached = WORK / "reached"
        reached.unlink(missing_ok=True)

        def fault() -> None:
            SHIM.fault_arm(
                os.fsencode(OUT), os.fsencode(TEMPORARY), at, MODES[mode], errno.EIO,  # noqa: B023
                mode == "kill-without-links",
            )  # fmt: skip
            try:
                write(kind, 6, force)
            finally:
                if SHIM.fault_calls() < at:  # noqa: B023
                    SHIM.fault_disarm()
                    reached.touch()  # noqa: B023

        code = forked(fault)
        where = f"{kind}{' --force' if force else ''}, {mode} at call {at}"
        if reached.exists():
            if code != DONE or found(kind) != pairs["new"]:
                problems.append(f"{where}: without a fault it ended with {code}")
            break
        points += 1
        ended[code] = ended.get(code, 0) + 1
        now = found(kind)
        if code == UNEXPECTED:
            problems.append(f"{where}: an error that is not a message")
        if code == DONE and now != pairs["new"]:
            problems.append(f"{where}: it said that all is well")
        for label, other in (("old", "new"), ("new", "old")):
            if None not in now and now[0] == pairs[label][0] and now[1] == pairs[other][1]:
                problems.append(f"{where}: a mixture, {label} release and {other} certificate")
        if forked(lambda: start_again(kind)) != DONE:
            problems.append(f"{where}: the next start failed")
        if found(kind) not in pairs.values():
            problems.append(f"{where}: neither the old nor the new pair after the next start")
        expected = {name, f"{name}.certificate.json"} if found(kind)[0] is not None else set()
        left = [path.name for path in OUT.iterdir() if path.name not in expected]
        left += [path.name for path in TEMPORARY.iterdir()]
        if left:
            problems.append(f"{where}: left over after the next start: {left}")
        at += step
    return {"points": points, "calls": at, "ended": ended, "problems": problems}


def warm_up() -> None:
    """Load here what each forked process would load; no table and no thread of it stays."""
    for kind in NAMES:
        clear(OUT)
        write(kind, 3, force=False)
        start_again(kind)
    gc.collect()
    assert not list(TEMPORARY.iterdir())


def main() -> None:
    TEMPORARY.mkdir(exist_ok=True)
    OUT.mkdir(exist_ok=True)
    tempfile.tempdir = str(TEMPORARY)
    make_original()
    warm_up()
    results = {}
    for case in sys.argv[2:]:
        kind, force, mode, first, step = case.split(":")
        results[case] = examine(kind, force == "force", mode, int(first), int(step))
    sys.stdout.write(json.dumps(results))


if __name__ == "__main__":
    main()
