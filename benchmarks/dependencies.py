"""What screening the kept columns costs, in plain group-bys and as a share of a run.

    uv run python benchmarks/dependencies.py [--rows 1000000] [--columns 30] [--runs 5]

Times are CPU time. A plain group-by counts the distinct tuples of the quasi-identifiers in the same
process: the step that every release begins with. The table is invented, and five relations are
planted in it; they must be found. Two tables of 100,000 rows and 15 columns are anonymized and
written; gate and attack summary are shown as a share of that, as medians of several runs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

import lookalike as la
from lookalike.attacking.release_attacks import quick_attacks
from lookalike.pipeline import Pipeline, Request
from lookalike.risks.kept_columns.screening import Screening, screen_kept_columns
from lookalike.tables.open import open_table

Result = TypeVar("Result")
HIERARCHIES = {
    "age": la.bands(5, 10, 20),
    "zip": la.prefix(),
    "sex": la.flat(),
    "income": la.bands(1000, 10_000),
    "job": la.flat(),
}
SENSITIVE = ("other12", "other13")  # a measurement with decimals, and five values
PLANTED = {("birth_year",), ("wage_log",), ("zip3",), ("job_code",), ("gross", "tax")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    columns = invented(options.rows, options.columns)
    policy = policy_for(columns)
    table = open_table(pa.table(columns))
    plain = min(timed(lambda: table.count_groups(policy.names))[0] for _ in range(3))
    wide = timed(lambda: table.count_groups(table.columns))[0]
    seconds, screening = timed(lambda: screen_kept_columns(table, policy))
    print(f"{options.rows:,} rows, {len(columns)} columns")
    print(f"a group-by of the quasi-identifiers {plain:8.2f} s")
    print(f"a group-by of all columns           {wide:8.2f} s  {wide / plain:6.1f} plain group-bys")
    print(f"screening                           {seconds:8.2f} s  {seconds / plain:6.1f}")
    show(screening)
    for name, related in (("nothing related", False), ("relations planted", True)):
        share_of_a_run(name, invented(100_000, 15, related=related), options.runs)


def share_of_a_run(name: str, columns: dict[str, Any], runs: int) -> None:
    """Run and write as the command line does; gate and attack summary are timed by themselves."""
    policy = replace(policy_for(columns), accept=dict.fromkeys(policy_for(columns).kept, "known"))
    table = pa.table(columns)
    plain, screening, attacks = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(runs + 1):
            pipeline = Pipeline(Request(table=table, policy=policy))
            pipeline.check()
            seconds = timed(pipeline.count)[0]
            gate = timed(pipeline.screen)[0]
            for phase in (pipeline.search, pipeline.make_release):
                seconds += timed(phase)[0]
            release = pipeline.release
            seconds += timed(lambda: release.write(Path(folder, f"{turn}.csv")))[0]  # noqa: B023
            summary = timed(lambda: release.attacks(quick_attacks()))[0]  # noqa: B023
            if turn:  # the first run loads and compiles
                plain.append(seconds)
                screening.append(gate)
                attacks.append(summary)
    run, gate, summary = map(median, (plain, screening, attacks))
    print(f"\n100,000 rows, 15 columns, {name}: run {run:.2f} s; gate {gate:.2f} s, "
          f"attack summary {summary:.2f} s: {(gate + summary) / run:.1%} more")  # fmt: skip


def show(screening: Screening) -> None:
    found = {finding.columns for finding in screening.findings}
    print(f"planted relations that are found: {len(PLANTED & found)} of {len(PLANTED)}")
    for sentence in screening.sentences:
        print(f"  {sentence}")


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def policy_for(columns: dict[str, Any]) -> la.Policy:
    return la.Policy(
        quasi_identifiers=HIERARCHIES,
        sensitive=SENSITIVE,
        insensitive=tuple(name for name in columns if name not in (*HIERARCHIES, *SENSITIVE)),
        require=la.KAnonymity(5),
        suppress=0.05,
    )


def invented(rows: int, columns: int, *, related: bool = True) -> dict[str, Any]:
    """Quasi-identifiers, what is planted (if columns are related), and columns of all kinds."""
    random = np.random.default_rng(0)
    age = random.integers(18, 90, rows)
    income = np.round(np.exp(random.normal(8, 0.7, rows)))
    tax = np.round(income * random.uniform(0.1, 0.4, rows))
    code = random.integers(10_000, 10_000 + rows // 40, rows)
    job = random.zipf(1.3, rows) % 300
    hidden: dict[str, Any] = {
        "age": age,
        "zip": code.astype(str),
        "sex": random.choice(["f", "m"], rows),
        "income": income,
        "job": np.char.add("job ", job.astype(str)),
    }
    planted: dict[str, Any] = {
        "birth_year": 2020 - age - random.integers(0, 2, rows),
        "wage_log": np.log(income),
        "zip3": (code // 100).astype(str),
        "job_code": np.char.add("J", ((job * 7) % 300 + 300).astype(str)),
        "gross": income + tax,
        "tax": tax,
    }
    made = hidden | planted if related else hidden
    units = [f"unit {i}" for i in range(1000)]
    kinds: list[Callable[[], Any]] = [
        lambda: random.normal(120, 20, rows),
        lambda: random.integers(0, 5, rows),
        lambda: random.choice(units, rows),
        lambda: np.round(random.gamma(2, 100, rows)),
        lambda: np.round(age + random.normal(0, 10, rows)),
        lambda: random.integers(0, 300, rows),
    ]
    while len(made) < columns:
        made[f"other{len(made)}"] = kinds[len(made) % len(kinds)]()
    return made


if __name__ == "__main__":
    main()
