"""lookalike beside anjana, anonypy and pycanon: one table, one policy, one run, one recount.

    uv run python benchmarks/peers.py --data DIR [--k 5] [--suppress 0.02] [--columns ...]

The peers are installed from the package index into throwaway environments. Every system runs in
two processes of its own (``peers/runner.py``): one that times the call alone, the best of three,
and a fresh one that starts, reads, calls once, writes and ends, whose time and peak memory are
taken. Then ``peers/recount.py``, plain Python that shares nothing with any of them, counts every
release again, and pycanon says which k it sees. × is a multiple of lookalike's flash; "cpu" is
what the call kept all processors busy, which other work on the machine disturbs less.

lookalike's call ends with a verified release; the peers' calls verify nothing.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

COLUMNS = ("age", "race", "sex", "education", "marital-status")
SENSITIVE = "salary-class"
HERE = Path(__file__).parent / "peers"
PACKAGES = {"anjana": ("anjana",), "anonypy": ("anonypy", "pandas"), "pycanon": ("pycanon",)}
BASE = "lookalike flash"
SYSTEMS = {
    BASE: "full-domain, best Prec",
    "lookalike flash, loss": "full-domain, best loss",
    "lookalike datafly": "full-domain, greedy",
    "lookalike mondrian": "cell-level, greedy",
    "anjana": "full-domain, greedy",
    "anonypy": "own regions, greedy",
}
Found = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="adult.csv and its hierarchies")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--suppress", type=float, default=0.02, help="share of the rows")
    parser.add_argument("--columns", nargs="+", default=list(COLUMNS), help="quasi-identifiers")
    parser.add_argument("--seconds", type=float, default=300.0, help="time limit of each process")
    parser.add_argument("--json", type=Path, help="write everything there, too")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = compare(asked, Path(folder))
    show(found)
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def compare(asked: argparse.Namespace, scratch: Path) -> Found:
    data = asked.data.resolve()
    job = {
        "table": str(data / "adult.csv"),
        "trees": {name: str(data / f"adult_hierarchy_{name}.csv") for name in asked.columns},
        "sensitive": SENSITIVE,
        "k": asked.k,
        "suppress": asked.suppress,
    }
    pythons = {package: install(package, scratch) for package in PACKAGES}
    systems: dict[str, Found] = {}
    for name in SYSTEMS:
        print(f"running {name} …", file=sys.stderr, flush=True)
        python = pythons.get(name) if name in PACKAGES else sys.executable
        systems[name] = measured(name, python, job, scratch, asked.seconds)
    done = [name for name, system in systems.items() if "failed" not in system]
    job["releases"] = {name: str(scratch / f"{name}.csv") for name in done}
    ours = run("recount", sys.executable, job, scratch, asked.seconds)
    theirs = run("pycanon", pythons["pycanon"], job, scratch, asked.seconds)
    if "failed" in ours:
        raise SystemExit(f"the recount {ours['failed']}")
    for name in done:
        recounted = ours["found"][name]
        notes = [*systems[name]["notes"], *recounted["notes"]]
        systems[name] |= {**recounted, "notes": notes, "pycanon": theirs.get("k", {}).get(name)}
    asks = {"columns": asked.columns, "k": asked.k, "suppress": asked.suppress, "base": BASE}
    counted = {key: ours[key] for key in ("rows", "allowance", "notes")}
    return {**asks, **counted, "systems": systems, "pycanon": theirs}


def install(package: str, scratch: Path) -> str | None:
    """The Python of a new environment that has the package, or None.

    From within the scratch folder: uv would put this project's own version limits on the peers.
    """
    python = str(scratch / package / "bin" / "python")
    by_uv = [
        ["uv", "venv", "--quiet", "--python", sys.executable, package],
        ["uv", "pip", "install", "--quiet", "--python", python, *PACKAGES[package]],
    ]
    by_pip = [
        [sys.executable, "-m", "venv", "--clear", package],
        [python, "-m", "pip", "install", "--quiet", *PACKAGES[package]],
    ]
    for steps in (by_uv, by_pip) if shutil.which("uv") else (by_pip,):
        codes = (subprocess.run(s, cwd=scratch, capture_output=True, check=False) for s in steps)
        if all(ended.returncode == 0 for ended in codes):
            return python
    return None


def measured(name: str, python: str | None, job: Found, scratch: Path, seconds: float) -> Found:
    """The call timed alone, then a whole process; both should release the same."""
    outs = scratch / "first.csv", scratch / f"{name}.csv"
    calls = run(name, python, {**job, "out": str(outs[0]), "once": False}, scratch, seconds)
    if "failed" in calls:
        return calls
    whole = run(name, python, {**job, "out": str(outs[1]), "once": True}, scratch, seconds)
    first, second = (sorted(out.open(encoding="utf-8")) if out.exists() else [] for out in outs)
    if first != second:
        same = sorted(map(sorted, first)) == sorted(map(sorted, second))
        how = "the same in another spelling" if same else "different rows"
        whole["notes"].append(f"two runs on the same table release {how}")
    timed: Found = {key: calls[key] for key in ("seconds", "cpu", "search") if key in calls}
    return {**whole, **timed}


def run(name: str, python: str | None, job: Found, scratch: Path, seconds: float) -> Found:
    """One process and its report; ``failed`` says why there is nothing to report."""
    if python is None:
        return {"failed": "could not be installed", "notes": []}
    told, report = scratch / "job.json", scratch / "report.json"
    told.write_text(json.dumps({**job, "report": str(report)}), encoding="utf-8")
    report.unlink(missing_ok=True)
    script = HERE / ("recount.py" if name == "recount" else "runner.py")
    command = [python, str(script), name, str(told)]
    began = time.perf_counter()
    try:
        ended = subprocess.run(command, capture_output=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return {"failed": f"did not end within {seconds:g} seconds", "notes": []}
    wall = time.perf_counter() - began
    if not report.exists():
        return {"failed": f"ended with code {ended.returncode} and no report", "notes": []}
    return {**json.loads(report.read_text(encoding="utf-8")), "wall": wall}


def show(found: Found) -> None:
    systems, base = found["systems"], found["systems"][BASE]
    print(
        f"Adult, {found['rows']:,} rows, {len(found['columns'])} quasi-identifiers: "
        f"{', '.join(found['columns'])}\n"
        f"k={found['k']}, {found['allowance']:,} rows may be left out"
    )
    for name, system in (*systems.items(), ("pycanon", found["pycanon"])):
        if "versions" in system and (name in (BASE, *PACKAGES)):
            print("with " + ", ".join(f"{what} {v}" for what, v in system["versions"].items()))
    if "failed" not in base:
        print(
            f"× 1 is {base['seconds']:.2f} s for the call, of which {base['search']:.3f} s search; "
            f"{base['wall']:.1f} s for the process;\n{base['peak'] / 1024:.0f} MiB at its peak, "
            f"{base['before'] / 1024:.0f} of them before the call; DM {base['dm']:,}"
        )
    print(
        f"\n{'':<22}{'recoding':<23}{'k':>4}{'pycanon':>8}{'classes':>8}{'left out':>9}{'DM ×':>9}"
        f"{'Prec':>8}{'loss':>8}{'untrue':>7}{'call ×':>8}{'cpu ×':>8}"
        f"{'process ×':>10}{'memory ×':>9}"
    )
    for name, recoding in SYSTEMS.items():
        print(f"{name:<22}{recoding:<23}" + line(systems[name], base))
    print("\nnotes")
    for name, system in (*systems.items(), ("pycanon", found["pycanon"]), ("table", found)):
        failed = [system["failed"]] if name == "pycanon" and "failed" in system else []
        for note in (*failed, *system["notes"]):
            print(f"  {name}: {note}")


def line(system: Found, base: Found) -> str:
    if "failed" in system:
        return f"  {system['failed']}"
    times = {
        key: f"{system[key] / base[key]:.3g}" if "failed" not in base else "?"
        for key in ("dm", "seconds", "cpu", "wall", "peak")
    }
    prec = "-" if system["prec"] is None else f"{system['prec']:.4f}"
    return (
        f"{system['smallest']:>4}{system['pycanon'] or '?':>8}{system['classes']:>8,}"
        f"{system['left_out']:>9,}{times['dm']:>9}{prec:>8}{system['loss']:>8.4f}"
        f"{system['untrue']:>7,}{times['seconds']:>8}{times['cpu']:>8}{times['wall']:>10}{times['peak']:>9}"
    )


if __name__ == "__main__":
    main()
