"""One system in one process: read the table, anonymize it, report what that took.

    PYTHON benchmarks/peers/runner.py SYSTEM JOB.json

``peers.py`` starts it with the Python of the environment that has the system, so besides pandas
only that system is imported. Calls are timed here, on a table already in memory in the shape the
system wants; imports, reading and writing are not part of a call.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

Job = dict[str, Any]
Call = Callable[[], Any]
Plain = Callable[[Any], pd.DataFrame]
CALLS, PATIENCE = 3, 20.0  # the best of three calls, or of as many as start within 20 seconds


class Absent(Exception):
    """This version of lookalike has no such algorithm."""


def main() -> None:
    system, job = sys.argv[1], json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    report: Job = {"notes": []}
    try:
        if system == "pycanon":
            measure_all(job, report)
        else:
            anonymize(system, job, report)
    except Absent:
        report["failed"] = "not in this version"
    except Exception as fault:  # the message may quote a cell or a path, the kind does not
        report["failed"] = f"raised {type(fault).__name__}"
    Path(job["report"]).write_text(json.dumps(report), encoding="utf-8")


def anonymize(system: str, job: Job, report: Job) -> None:
    call, plain = SYSTEMS[system](job, read(job["table"], ";"), report)
    report["before"] = peak()
    seconds: list[float] = []
    busy: list[float] = []
    while len(seconds) < (1 if job["once"] else CALLS) and sum(seconds) < PATIENCE:
        began, worked = time.perf_counter(), time.process_time()
        out = call()
        seconds.append(time.perf_counter() - began)
        busy.append(time.process_time() - worked)
    report.update(seconds=min(seconds), cpu=min(busy), peak=peak())
    released = plain(out)
    if released.empty:
        report["failed"] = "released nothing"
    released.to_csv(job["out"], index=False)


def lookalike(by: str, metric: str) -> Callable[[Job, pd.DataFrame, Job], tuple[Call, Plain]]:
    """``la.anonymize``: count, search, recode, and verify by other code. A pandas frame goes in."""

    def ready(job: Job, table: pd.DataFrame, report: Job) -> tuple[Call, Plain]:
        la = importlib.import_module("lookalike")
        report["versions"] = versions("lookalike", "pandas")
        if not hasattr(la, by):
            raise Absent
        algorithm = getattr(la, by)()
        policy = la.Policy(
            quasi_identifiers={name: la.tree(path) for name, path in job["trees"].items()},
            sensitive=[job["sensitive"]],
            require=la.KAnonymity(job["k"]),
            suppress=job["suppress"],
            metric=metric,
        )
        frame = table[[*job["trees"], job["sensitive"]]]
        searching: list[float] = []

        def call() -> Any:
            release = la.anonymize(frame, policy, by=algorithm)
            searching.append(release.solution.seconds)
            report["search"] = min(searching)
            return release

        return call, lambda release: release.table

    return ready


def anjana(job: Job, table: pd.DataFrame, report: Job) -> tuple[Call, Plain]:
    """``k_anonymity(data, ident, quasi_ident, k, supp_level, hierarchies)``, as its README does.

    ``supp_level`` is a percentage. Hierarchies are ``dict(pd.read_csv(file, header=None))``: level
    to column, a line for each value. Text throughout, so that values and hierarchies compare.
    """
    k_anonymity = importlib.import_module("anjana.anonymity").k_anonymity
    report["versions"] = versions("anjana", "pycanon", "pandas")
    names = list(job["trees"])
    trees = {
        name: dict(pd.read_csv(path, sep=";", header=None, dtype=str, keep_default_na=False))
        for name, path in job["trees"].items()
    }
    frame = table[[*names, job["sensitive"]]]
    percent = 100 * job["suppress"]
    return lambda: k_anonymity(frame, [], names, job["k"], percent, trees), pd.DataFrame


def anonypy(job: Job, table: pd.DataFrame, report: Job) -> tuple[Call, Plain]:
    """``Preserver(df, features, sensitive).anonymize_k_anonymity(k)``, as its README does.

    Numbers are numeric columns, the rest categories. It takes no hierarchies and no allowance.
    Out comes a line for each region and sensitive value with a ``count``: repeated that often.
    """
    preserver = importlib.import_module("anonypy").Preserver
    report["versions"] = versions("anonypy", "pandas")
    if not importlib.metadata.requires("anonypy"):
        report["notes"].append("declares no dependencies: pandas had to be installed beside it")
    names = list(job["trees"])
    frame = table[[*names, job["sensitive"]]].copy()
    for name in frame.columns:
        number = name != job["sensitive"] and frame[name].str.isdecimal().all()
        frame[name] = frame[name].astype(int if number else "category")

    def plain(lines: Any) -> pd.DataFrame:
        out = pd.DataFrame(lines)
        for name in names:
            if out[name].map(lambda cell: isinstance(cell, list)).any():
                note = "cells are lists with one text in them, not texts as its README shows"
                report["notes"] = sorted({*report["notes"], note})
                out[name] = out[name].map(lambda cell: cell[0])
        return out.loc[out.index.repeat(out["count"])].drop(columns="count")

    features = {"feature_columns": names, "sensitive_column": job["sensitive"]}
    return lambda: preserver(frame, **features).anonymize_k_anonymity(k=job["k"]), plain


def measure_all(job: Job, report: Job) -> None:
    """pycanon only measures: its k of every release, asked for as its README does."""
    k_anonymity = importlib.import_module("pycanon.anonymity").k_anonymity
    report["versions"] = versions("pycanon", "pandas")
    report["k"] = {}
    for name, path in job["releases"].items():
        report["k"][name] = int(k_anonymity(read(path, ","), list(job["trees"])))


def read(path: str, separator: str) -> pd.DataFrame:
    return pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)


def versions(*packages: str) -> dict[str, str]:
    return {package: importlib.metadata.version(package) for package in packages}


def peak() -> int:
    """Peak memory of this process in KiB.

    VmHWM where there is one: ru_maxrss starts at what the parent had when it started this process.
    """
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // 1024 if sys.platform == "darwin" else most


SYSTEMS = {
    "lookalike flash": lookalike("Flash", "precision"),
    "lookalike flash, loss": lookalike("Flash", "loss"),
    "lookalike datafly": lookalike("Datafly", "precision"),
    "lookalike mondrian": lookalike("Mondrian", "precision"),
    "anjana": anjana,
    "anonypy": anonypy,
}

if __name__ == "__main__":
    main()
