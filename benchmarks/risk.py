"""Adult: who stands out, and the smallest sets of columns that single people out, in units u.

    uv run python benchmarks/risk.py --data DIR

After reading and counting; each the best of five in this process, the kernel compiled. "All but
minimal uniques" is everything else: attackers, columns, both estimators, a population matched, and
the separation of all sets of up to four columns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import adult
from lookalike.counts.frequency_set import FrequencySet
from lookalike.risks.column_sets.column_subsets import walk
from lookalike.risks.column_sets.minimal_uniques import minimal_uniques
from lookalike.risks.column_sets.separation import MostSeparating, Separation
from lookalike.risks.parameters import RiskOptions
from lookalike.risks.population_match import count_people, match
from lookalike.risks.table_risk import measure_counts
from lookalike.tables.open import open_table
from unit import unit

SAMPLED = 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data: Path = parser.parse_args().data
    table = open_table(data / "adult.csv")
    nine = adult.columns(data)
    eight = tuple(name for name in nine if name != adult.CLASS)
    print(f"{'what':44} {'time':>9} {'u':>7}")
    counts = table.count_groups(eight)
    u = unit(counts)
    options = RiskOptions(sampling_fraction=SAMPLED)
    people = count_people(table, eight)  # the table is its own population here
    line("8 columns: attackers and columns", u, lambda: measure_counts(counts))
    line("8 columns: the same, and both estimators", u, lambda: measure_counts(counts, options))
    line("8 columns: separation of up to 4", u, lambda: most_separating(counts))
    line(
        "8 columns: all but minimal uniques", u, lambda: everything(counts, people, options), bar=50
    )
    counts = table.count_groups(nine)
    u = unit(counts)
    for size, bar in ((2, None), (3, 2000), (4, None), (9, None)):
        what = f"9 columns: minimal uniques of up to {size}"
        line(what, u, lambda size=size: minimal_uniques(counts, size).summary(), bar)  # type: ignore[misc]
    found = minimal_uniques(counts, 4).summary()
    print(f"\nof up to 4 columns: {found.uniques:,} minimal uniques in {found.rows:,} rows; "
          f"rows with one of 1, 2, 3, 4 columns: {', '.join(map(str, found.by_size))}")  # fmt: skip


def everything(
    counts: FrequencySet, people: tuple[FrequencySet, NDArray[np.float64]], options: RiskOptions
) -> None:
    measure_counts(counts, options, match(counts, *people))
    most_separating(counts)


def most_separating(counts: FrequencySet) -> tuple[Separation, ...]:
    separating = MostSeparating(counts)
    for step in walk(counts):
        separating.add(step)
    return separating.best()


def line(what: str, u: float, work: Callable[[], object], bar: int | None = None) -> None:
    work()
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    note = "" if bar is None else f"  bar {bar:,} u: {'met' if best / u <= bar else 'MISSED'}"
    print(f"{what:44} {best * 1000:6.1f} ms {best / u:7.1f}{note}")


if __name__ == "__main__":
    main()
