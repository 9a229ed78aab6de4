"""Adult samples: what each attack recovers from releases of each kind, with and without defences.

    uv run python benchmarks/attacks.py --data DIR [--rows 1000] [--k 5] [--samples 3]

Five quasi-identifiers, four kept columns, nothing suppressed; means over samples. The attacker has
the release, the policy, the name of the algorithm, and the values that occur in each column. Rules
of an algorithm are applied only where they are certain, so nothing that is deduced is false.
"Guess" is the attacker who applies rule E of lattice greedy all the same, and takes a person to be
in the first class that covers them: how often this is right.

A further attack is one more line in ``ATTACKS``; a further release one more in ``RELEASES``.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

import lookalike as la
from lookalike.attacking.combinatorial_refinement import (
    CombinatorialRefinement,
    attack_by_combinatorial_refinement,
)
from lookalike.attacking.downcoding import attack_by_downcoding
from lookalike.attacking.kept_column_linkage import attack_by_kept_columns
from lookalike.attacking.refinement.closed_classes import ClosedClasses
from lookalike.attacking.release_view import ReleaseView, view_release
from lookalike.cost.metric import Metric
from lookalike.releasing.release import Release

QUASI_IDENTIFIERS = ("age", "education", "marital-status", "race", "sex")
KEPT = ("salary-class", "occupation", "workclass", "native-country")
SENSITIVE = KEPT[:2]


@dataclass(frozen=True)
class Case:
    """One release, and what the attacker sees of it."""

    name: str
    release: Release
    withheld: float

    @cached_property
    def view(self) -> ReleaseView:
        release = self.release
        finished = release.solution.stop is la.Stop.FINISHED
        return view_release(
            release.released,
            release.policy,
            release.problem.counts,
            sensitive=SENSITIVE,
            algorithm=release.solution.algorithm if finished else "stopped",
            suppressed=release.solution.suppressed,
            known_people=release.problem.counts,
        )

    @cached_property
    def refinement(self) -> CombinatorialRefinement:
        return attack_by_combinatorial_refinement(self.view, withheld=self.withheld)

    @cached_property
    def true_class(self) -> dict[tuple[int, ...], dict[int, int]]:
        """The rows of each original tuple in each class."""
        pieces, problem = self.release.solution.recoding, self.release.problem
        assert isinstance(pieces, la.CellMap)
        shown = {
            tuple(own.labels[code] for own, code in zip(self.view.columns, codes, strict=True)): c
            for c, codes in enumerate(self.view.codes.tolist())
        }
        found: dict[tuple[int, ...], dict[int, int]] = {}
        leaves = problem.counts.codes[problem.canonical[pieces.group]].tolist()
        levels_of = pieces.levels.tolist()
        for leaf, levels, rows in zip(leaves, levels_of, pieces.rows.tolist(), strict=True):
            labels = tuple(
                own.table.labels[level][own.table.codes[code, level]]
                for own, code, level in zip(self.view.columns, leaf, levels, strict=True)
            )
            held = found.setdefault(tuple(leaf), {})
            held[shown[labels]] = held.get(shown[labels], 0) + rows
        return found


Number = float | None  # None: the attack does not apply
RELEASES: dict[str, tuple[str, Metric, float]] = {  # algorithm, metric, share withheld
    "full-domain (flash)": ("flash", la.Precision(), 0),
    "cuts (k-optimize)": ("k-optimize", la.Loss(), 0),
    "mondrian": ("mondrian", la.Precision(), 0),
    "cell-level (lattice-greedy)": ("lattice-greedy", la.Precision(), 0),
    "… 1% withheld": ("lattice-greedy:withhold=0.01", la.Precision(), 0.01),
    "… 5% withheld": ("lattice-greedy:withhold=0.05", la.Precision(), 0.05),
    "… 20% withheld": ("lattice-greedy:withhold=0.2", la.Precision(), 0.2),
}


def kept_of_information(case: Case) -> Number:
    """1 − Prec, or 1 − loss for cuts."""
    cost = case.release.solution.cost
    return None if cost is None else 1 - cost


def downcoded_cells(case: Case) -> Number:
    found = attack_by_downcoding(case.view, withheld=case.withheld)
    return None if found.minimality is None else found.recovered_cells / max(1, found.cells)


def narrowed_cells(case: Case) -> Number:
    found = case.refinement
    return None if found.not_examined else found.narrowed_cells / max(1, found.cells)


def refined_labels(case: Case) -> Number:
    found = case.refinement
    return None if found.not_examined else found.certain_labels / max(1, found.cells)


def certain_tuples(case: Case) -> Number:
    found = case.refinement
    return None if found.not_examined else found.certain_rows / found.rows


def certain_sensitive(case: Case) -> Number:
    """Rows whose salary class is certain, beyond those for which the labels make it certain."""
    found = case.refinement
    if found.not_examined or not found.sensitive:
        return None if found.not_examined else 0.0
    own = found.sensitive[0]
    return (own.certain - own.certain_before) / found.rows


def rows_that_fit(case: Case) -> Number:
    """For a person of the table, after the attack: the rows that fit, as a mean."""
    people = case.refinement.people
    if people is not None:
        return people.rows_after
    fitting = [
        int(case.view.rows[case.view.fits(leaf)].sum())
        for leaf in case.release.problem.counts.codes.astype(np.int64)
    ]
    return float(np.average(fitting, weights=case.release.problem.counts.counts))


def guesses_right(case: Case) -> Number:
    """Rule E taken for granted: how many rows are where the attacker takes them to be."""
    if not case.release.solution.algorithm.startswith("lattice-greedy"):
        return None
    classes = ClosedClasses(case.view)
    order = np.argsort(classes.earlier.sum(axis=0), kind="stable")
    right = 0
    for leaf, held in case.true_class.items():
        fitting = case.view.fits(leaf)[order]
        right += held.get(int(order[fitting.argmax()]), 0)
    return right / float(case.view.rows.sum())


def singled_out(case: Case) -> Number:
    """Rows that the quasi-identifiers as released and two kept columns single out."""
    found = attack_by_kept_columns(case.release.released, case.release.policy)
    return found.by_number[1] / found.rows


ATTACKS: dict[str, Callable[[Case], Number]] = {
    "information kept": kept_of_information,
    "downcoding: cells with a finer label": downcoded_cells,
    "refinement: cells without some value": narrowed_cells,
    "refinement: cells with a finer label": refined_labels,
    "refinement: rows with the tuple": certain_tuples,
    "refinement: rows with salary class": certain_sensitive,
    "rows that fit a person": rows_that_fit,
    "guess by rule E is right": guesses_right,
    "two kept columns single out": singled_out,
}
PLAIN = ("rows that fit a person",)  # a number, not a share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60.0, help="for the search of cuts")
    asked = parser.parse_args()
    print(f"| {asked.rows:,} rows, k = {asked.k} | {' | '.join(ATTACKS)} |")
    print(f"| --- |{' ---: |' * len(ATTACKS)}")
    for name, (by, metric, withheld) in RELEASES.items():
        cells: dict[str, list[float]] = {attack: [] for attack in ATTACKS}
        for seed in range(asked.samples):
            table, policy = sample(asked.data, asked.rows, asked.k, metric, seed)
            limits = la.Limits(seconds=asked.seconds)
            case = Case(name, la.anonymize(table, policy, by=by, limits=limits), withheld)
            for attack, measure in ATTACKS.items():
                found = measure(case)
                if found is not None:
                    cells[attack].append(found)
        shown = [cell(found, plain=attack in PLAIN) for attack, found in cells.items()]
        print(f"| {name} | {' | '.join(shown)} |", flush=True)


def sample(data: Path, rows: int, k: int, metric: Metric, seed: int) -> tuple[pa.Table, la.Policy]:
    with (data / "adult.csv").open(encoding="utf-8") as file:
        people = random.Random(seed).sample(list(csv.DictReader(file, delimiter=";")), rows)
    names = QUASI_IDENTIFIERS + KEPT
    table = pa.table({name: [person[name] for person in people] for name in names})
    policy = la.Policy(
        quasi_identifiers={
            name: la.tree(data / f"adult_hierarchy_{name}.csv") for name in QUASI_IDENTIFIERS
        },
        sensitive=SENSITIVE,
        insensitive=[name for name in KEPT if name not in SENSITIVE],
        require=la.KAnonymity(k),
        metric=metric,
    )
    return table, policy


def cell(found: list[float], *, plain: bool) -> str:
    """The mean, as a share or as a number."""
    if not found:
        return "–"
    mean = sum(found) / len(found)
    return f"{mean:.1f}" if plain else f"{mean:.1%}"


if __name__ == "__main__":
    main()
