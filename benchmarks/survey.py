"""The survey's experiment (Saroha 2014, section 3.5): Incognito, Samarati and Datafly on Adult.

    uv run python benchmarks/survey.py --data DIR [--plots DIR]

Time and counted nodes against k and against the number of records, with age, race, sex, education
and marital-status as quasi-identifiers; and whether the hybrid that the survey proposes pays.
Times are multiples of u (``unit.py``), the best of three. ``--plots`` draws the figures as well.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pyarrow as pa

import lookalike as la
from lookalike.problem.problem import Problem
from lookalike.report.charts.chart_files import save
from lookalike.report.charts.comparison_charts import lines
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


Measured = dict[str, str | float]  # system, size (k or records), checks, u


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--suppress", type=float, default=0.0)
    parser.add_argument(
        "--plots", type=Path, help="folder for the figures; older ones are replaced"
    )
    asked = parser.parse_args()
    table = open_table(asked.data / "adult.csv").native().select(list(COLUMNS))
    allowed = f"{asked.suppress:.0%} may be suppressed"
    print(f"against k, {table.num_rows:,} records, {allowed}")
    head()
    by_k: list[Measured] = []
    for k in KS:
        by_k += line(f"k={k}", k, prepared(asked.data, table, k, asked.suppress))
    print("\nagainst the number of records, k=5")
    head()
    by_records: list[Measured] = []
    for share in SHARES:
        rows = table.slice(0, int(share * table.num_rows))
        problem = prepared(asked.data, rows, 5, asked.suppress)
        by_records += line(f"{rows.num_rows:,}", rows.num_rows, problem)
    if asked.plots is not None:
        asked.plots.mkdir(parents=True, exist_ok=True)
        draw(asked.plots, "k", by_k, f"Adult, {table.num_rows:,} records, {allowed}")
        draw(asked.plots, "records", by_records, f"Adult, k=5, {allowed}")


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


def line(what: str, size: int, problem: Problem) -> list[Measured]:
    u = unit(problem.counts)
    measured: list[Measured] = []
    cells = []
    for system in SYSTEMS:
        best = float("inf")
        for _ in range(3):
            began = time.perf_counter()
            solution = la.solve(problem, system)
            best = min(best, time.perf_counter() - began)
        precision = 1 - solution.cost if solution.cost is not None else float("nan")
        cells.append(f"{solution.checks:>10}{best / u:>8.1f}{precision:>10.4f}")
        measured.append(
            {"system": system.name, "size": size, "checks": solution.checks, "u": best / u}
        )
    print(f"{what:>8}" + "".join(cells), flush=True)
    return measured


def draw(folder: Path, against: str, measured: list[Measured], where: str) -> None:
    """Time and counted nodes against ``k`` or ``records``."""
    long, x_title = {
        "k": ("k", "k (log scale)"),
        "records": ("the number of records", "records"),
    }[against]
    figures = (
        ("time", "u", "Time", "time in u", f"{where}; u is one plain count of the same records"),
        ("checks", "checks", "Counted nodes", "counted nodes", where),
    )
    for name, y, what, y_title, subtitle in figures:
        chart = lines(
            measured, "size", y, "system",
            title=f"{what} against {long}", subtitle=subtitle,
            x_title=x_title, y_title=y_title, log_x=against == "k",
        )  # fmt: skip
        save(chart, folder / f"survey_{name}_by_{against}.svg", force=True)


if __name__ == "__main__":
    main()
