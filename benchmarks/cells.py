"""Cell level on Adult: exact on samples, near the best on the whole table, and a million rows.

    uv run python benchmarks/cells.py --data DIR [--only exact adult polish geometric million]

``exact``      samples of eight columns, seeds 0 to 4: proved within 60 s, and the proof checked
``adult``      the whole table, eight columns, k = 2, 5, 10, 25: every heuristic, with its gap
``polish``     k = 2 with the linear program, until ``--seconds`` are over
``geometric``  nine columns, loss by geometric mean, nothing suppressed: k = 2, 5, 10
``million``    a million rows drawn from Adult, 15% of the cells drawn anew, against a group-by

Times are multiples of u (``unit.py``), for the million rows of DuckDB's own group-by.
"""

from __future__ import annotations

import argparse
import csv
import random
import resource
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import lookalike as la
from adult import columns
from lookalike.cost.metric import Metric
from lookalike.problem.problem import Problem
from lookalike.solution.solution import Solution
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal
from unit import unit

PARTS = ("exact", "adult", "polish", "geometric", "million")
EXACT = ((400, 2), (100, 3), (40, 5))  # rows and k
HEURISTICS = ("lattice-greedy", "mondrian", "k-member", "mdav", "ungeneralize", "top-down")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--seconds", type=float, default=180.0, help="to polish")
    asked = parser.parse_args()
    eight = columns(asked.data)[:8]
    if "exact" in asked.only:
        exact(asked.data, eight)
    if "adult" in asked.only:
        heading("the whole table, eight columns, by precision")
        for k in (2, 5, 10, 25):
            for name in HEURISTICS:
                told(whole(asked.data, eight, k, la.Precision()), k, name)
    if "polish" in asked.only:
        heading("the whole table, eight columns, k = 2, polished")
        problem = whole(asked.data, eight, 2, la.Precision())
        told(problem, 2, "cell-optimal", la.Limits(seconds=asked.seconds))
    if "geometric" in asked.only:
        heading("the whole table, nine columns, by loss, geometric mean")
        for k in (2, 5, 10):
            metric = la.Loss(aggregate="geometric")
            told(whole(asked.data, columns(asked.data), k, metric), k, "lattice-greedy")
    if "million" in asked.only:
        million(asked.data, eight)


def heading(text: str) -> None:
    print(f"\n{text}")
    print(
        f"{'k':>5}{'':>18}{'cost':>11}{'1 - cost':>10}{'gap':>8}{'u':>9}{'bound, u':>10}"
        f"{'check':>9}"
    )


def told(problem: Problem, k: int, name: str, limits: la.Limits | None = None) -> None:
    """One line: what was reached, and that the verifier accepts cost and bound."""
    u = unit(problem.counts)
    found = la.solve(problem, name, limits)
    assert found.cost is not None
    ended = found.trace[-1].seconds
    print(
        f"{k:>5}{name:>18}{found.cost:>11.6f}{1 - found.cost:>10.5f}{found.gap:>8.2%}"
        f"{found.seconds / u:>9,.0f}{(ended - found.seconds) / u:>10,.0f}{checked(problem, found)}",
        flush=True,
    )


def checked(problem: Problem, found: Solution) -> str:
    began = time.perf_counter()
    findings = check_claim(CountedOriginal(problem.counts, problem.tables, problem.policy), found)
    if not all(finding.holds for finding in findings):
        return "  THE VERIFIER REFUSES IT"
    return f"{time.perf_counter() - began:>8.1f} s"


def exact(data: Path, names: Sequence[str]) -> None:
    print("\nsamples of eight columns, by precision")
    print(
        f"{'rows':>6}{'k':>4}{'seed':>6}{'1 - cost':>10}{'seconds':>9}{'u':>10}{'check':>9}  status"
    )
    with (data / "adult.csv").open(encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file, delimiter=";"))
    for rows, k in EXACT:
        for seed in range(5):
            some = people.copy()
            random.Random(seed).shuffle(some)
            table = pa.table({name: [one[name] for one in some[:rows]] for name in names})
            problem = la.prepare(table, policy(data, names, k, la.Precision()))
            u = unit(problem.counts)
            found = la.solve(problem, "cell-optimal", la.Limits(seconds=60))
            assert found.cost is not None
            print(
                f"{rows:>6}{k:>4}{seed:>6}{1 - found.cost:>10.5f}{found.seconds:>9.1f}"
                f"{found.seconds / u:>10,.0f}{checked(problem, found)}  {found.status}",
                flush=True,
            )


def million(data: Path, names: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.parquet"
        draw(data, names, path)
        listed = ", ".join(f'"{name}"' for name in names)
        with duckdb.connect() as engine:
            took = []
            for _ in range(3):
                began = time.perf_counter()
                engine.execute(
                    f"create or replace temp table counted as select {listed}, count(*) as rows "
                    f"from '{path}' group by all"
                )
                took.append(time.perf_counter() - began)
        group_by = min(took)
        began = time.perf_counter()
        problem = la.prepare(path, policy(data, names, 5, la.Precision()))
        prepared = time.perf_counter() - began
        found = la.solve(problem, "lattice-greedy")
    assert found.cost is not None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\n{problem.rows:,} rows, {problem.counts.groups:,} distinct tuples, k = 5")
    print(
        f"Prec {1 - found.cost:.4f}, gap {found.gap:.1%}, peak memory {peak:.2f} GB; in group-bys:"
    )
    print(
        f"counting {prepared / group_by:.1f}, searching {found.seconds / group_by:.1f}, bound "
        f"{(found.trace[-1].seconds - found.seconds) / group_by:.1f}; verifier:"
        f"{checked(problem, found)}"
    )


def draw(data: Path, names: Sequence[str], path: Path) -> None:
    """A million people of Adult, and of their cells 15% from other people."""
    with (data / "adult.csv").open(encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file, delimiter=";"))
    rng = np.random.default_rng(0)
    rows = rng.integers(0, len(people), 1_000_000)
    table = {}
    for name in names:
        values = np.array([one[name] for one in people], dtype=object)
        drawn = values[rows]
        anew = rng.random(len(drawn)) < 0.15
        drawn[anew] = values[rng.integers(0, len(people), int(anew.sum()))]
        table[name] = pa.array(drawn.tolist())
    pq.write_table(pa.table(table), path)


def whole(data: Path, names: Sequence[str], k: int, metric: Metric) -> Problem:
    asked = policy(data, names, k, metric)
    others = [name for name in columns(data) if name not in names]
    return la.prepare(data / "adult.csv", replace(asked, identifiers=tuple(others)))


def policy(data: Path, names: Sequence[str], k: int, metric: Metric) -> la.Policy:
    return la.Policy(
        quasi_identifiers={name: la.tree(data / f"adult_hierarchy_{name}.csv") for name in names},
        require=la.KAnonymity(k),
        metric=metric,
    )


if __name__ == "__main__":
    main()
