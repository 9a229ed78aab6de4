"""The survey's experiment (Saroha 2014, section 3.5): Incognito, Samarati and Datafly on Adult.

    uv run python benchmarks/survey.py --data DIR

Time and counted nodes against k and against the number of records, with age, race, sex, education
and marital-status as quasi-identifiers; and whether the hybrid that the survey proposes pays.
Times are multiples of u (``unit.py``), the best of three.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pyarrow as pa

import lookalike as la
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.tables.open import open_table
from unit import unit

COLUMNS = ("age", "race", "sex", "education", "marital-status")
KS = (2, 5, 10, 50, 100)
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)
SYSTEMS: tuple[Algorithm, ...] = (
    la.Incognito(),
    la.Samarati(),
    la.Hybrid(),
    la.Datafly(),
    la.Flash(),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--suppress", type=float, default=0.0)
    asked = parser.parse_args()
    table = open_table(asked.data / "adult.csv").native().select(list(COLUMNS))
    print(f"against k, {table.num_rows:,} records, {asked.suppress:.0%} may be suppressed")
    head()
    for k in KS:
        line(f"k={k}", prepared(asked.data, table, k, asked.suppress))
    print("\nagainst the number of records, k=5")
    head()
    for share in SHARES:
        rows = table.slice(0, int(share * table.num_rows))
        line(f"{rows.num_rows:,}", prepared(asked.data, rows, 5, asked.suppress))


def prepared(data: Path, table: pa.Table, k: int, suppress: float) -> Problem:
    policy = la.Policy(
        quasi_identifiers={name: la.tree(data / f"adult_hierarchy_{name}.csv") for name in COLUMNS},
        require=la.KAnonymity(k),
        suppress=suppress,
    )
    return la.prepare(table, policy)


def head() -> None:
    print(f"{'':>8}" + "".join(f"{system.name:>28}" for system in SYSTEMS))
    print(f"{'':>8}" + f"{'counted':>10}{'u':>8}{'Prec':>10}" * len(SYSTEMS))


def line(what: str, problem: Problem) -> None:
    u = unit(problem.counts)
    cells = []
    for system in SYSTEMS:
        best = float("inf")
        for _ in range(3):
            began = time.perf_counter()
            solution = la.solve(problem, system)
            best = min(best, time.perf_counter() - began)
        precision = 1 - solution.cost if solution.cost is not None else float("nan")
        cells.append(f"{solution.checks:>10}{best / u:>8.1f}{precision:>10.4f}")
    print(f"{what:>8}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
