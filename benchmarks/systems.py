"""Every system of the papers on Adult: do all finish, do they agree, and how long do they take?

    uv run python benchmarks/systems.py --data DIR [--plot FILE]

Quasi-identifiers: the survey's five, and all nine. For each k one comparison of every suited
system; then Samarati's and Incognito's k-minimal nodes against those of the exact lattice search.
Times are multiples of u (``unit.py``); those of single systems end before the bound
by support is worked out, the whole comparison has it all. ``--plot`` draws the comparison of nine
columns at k = 5.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import lookalike as la
from adult import columns
from lookalike.problem.problem import Problem
from lookalike.report.charts.chart_files import save
from lookalike.report.charts.comparison_charts import comparison_chart
from lookalike.search.compare import Comparison
from lookalike.solution.solution import UNKNOWN_GAP
from unit import unit

FIVE = ("age", "race", "sex", "education", "marital-status")
KS = (2, 5, 10, 50, 100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--k", type=int, nargs="*", default=list(KS))
    parser.add_argument("--suppress", type=float, default=0.0)
    parser.add_argument("--plot", type=Path)
    asked = parser.parse_args()
    for names in (FIVE, columns(asked.data)):
        for k in asked.k:
            problem = prepared(asked.data, names, k, asked.suppress)
            u = unit(problem.counts)
            la.solve(problem, la.Mondrian())  # loads the compiled kernels
            la.solve(problem, la.MeyersonWilliams(), la.Limits(seconds=0.01))
            began = time.perf_counter()
            found = la.compare(problem, "all")
            whole = (time.perf_counter() - began) / u
            print(f"\n{len(names)} columns, k = {k}: all together {whole:,.0f} u")
            table(found, u)
            print(agreement(problem))
            if asked.plot and len(names) > len(FIVE) and k == 5:
                save(comparison_chart(found), asked.plot, force=True)


def prepared(data: Path, names: tuple[str, ...], k: int, suppress: float) -> Problem:
    policy = la.Policy(
        quasi_identifiers={name: la.tree(data / f"adult_hierarchy_{name}.csv") for name in names},
        identifiers=[name for name in columns(data) if name not in names],
        require=la.KAnonymity(k),
        suppress=suppress,
    )
    return la.prepare(data / "adult.csv", policy)


def table(found: Comparison, u: float) -> None:
    head = f"{'k held':>8}{'Prec':>8}{'loss':>8}{'DM':>14}{'classes':>9}{'out':>7}{'stars':>9}"
    print(f"{'':>18}{head}{'counted':>9}{'u':>9}{'gap':>8}  status")
    for row in found.rows:
        if row.solution is None:
            print(f"{row.algorithm:>18}  not run: {row.refusal}")
            continue
        s, by = row.solution, row.measures
        gap = "–" if row.gap is None or row.gap >= UNKNOWN_GAP else f"{row.gap:.1%}"
        print(
            f"{row.algorithm:>18}{'yes' if row.held else 'NO':>8}{by['prec']:>8.4f}"
            f"{by['loss']:>8.4f}{by['discernibility']:>14,.0f}{s.classes:>9,}{s.suppressed:>7,}"
            f"{row.stars:>9,}{s.checks:>9,}{s.seconds / u:>9.1f}{gap:>8}  {s.status}"
        )


def agreement(problem: Problem) -> str:
    """Do Samarati and Incognito find the k-minimal nodes that one by one counting finds?"""
    exact = set(la.k_minimal_generalizations(problem))
    samarati = la.solve(problem, la.Samarati(every=True))
    by_samarati = {samarati.recoding, *samarati.alternatives}
    by_incognito = {g.recoding for g in la.k_anonymous_generalizations(problem) if g.minimal}
    best = la.solve(problem, la.Flash())
    incognito = la.solve(problem, la.Incognito())
    agree = exact == by_samarati == by_incognito and incognito.cost == best.cost
    return f"{len(exact)} k-minimal nodes; Samarati, Incognito and Flash " + (
        "agree" if agree else "DISAGREE"
    )


if __name__ == "__main__":
    main()
