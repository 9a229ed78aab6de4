"""Adult samples: what attacks learn about occupations, with and without requirements on them.

    uv run python benchmarks/attacks_on_values.py --data DIR [--rows 1000] [--k 5] [--samples 3]

Five quasi-identifiers, nothing suppressed; means over samples. The attacker has the release, the
policy, the name of the algorithm, and a list of all people. "Published" is the attacker who takes
the most frequent occupation of the class: what every release of this table tells.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

import lookalike as la
from attacks import QUASI_IDENTIFIERS, cell, sample
from lookalike.attacking.definetti import attack_by_definetti
from lookalike.attacking.minimality import attack_by_minimality
from lookalike.attacking.release_view import view_release
from lookalike.attacking.similarity import attack_by_similarity
from lookalike.attacking.skewness import attack_by_skewness
from lookalike.policy.hierarchy import Hierarchy
from lookalike.privacy.requirement import Requirement

VALUE = "occupation"
RULES: dict[str, Sequence[Requirement]] = {
    "k only": (),
    "3-diverse": (la.DistinctDiversity(VALUE, 3),),
    "0.3-close": (la.TCloseness(VALUE, 0.3),),
}
RELEASES = {
    "full-domain (flash)": "flash",
    "Mondrian": "mondrian",
    "cell-level (lattice-greedy)": "lattice-greedy",
}
HELD_BACK = "lattice-greedy:withhold=0.05"
COLUMNS = (
    "information kept",
    "skewness: a value twice as likely",
    "similarity: group certain",
    "minimality: guess improved",
    "minimality: certain",
    "published guess is right",
    "deFinetti guess is right",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--samples", type=int, default=3)
    asked = parser.parse_args()
    print(f"| {asked.rows:,} rows, k = {asked.k} | {' | '.join(COLUMNS)} |")
    print(f"| --- |{' ---: |' * len(COLUMNS)}")
    tree = la.tree(asked.data / f"adult_hierarchy_{VALUE}.csv")
    for name, by, rules in cases():
        found: list[list[float]] = [[] for _ in COLUMNS]
        for seed in range(asked.samples):
            table, policy = sample(asked.data, asked.rows, asked.k, la.Precision(), seed)
            for own, value in zip(found, measured(table, policy, by, rules, tree), strict=True):
                own.extend([] if value is None else [value])
        print(f"| {name} | {' | '.join(cell(own, plain=False) for own in found)} |", flush=True)


def cases() -> Iterator[tuple[str, str, Sequence[Requirement]]]:
    for kind, by in RELEASES.items():
        for rule, require in RULES.items():
            yield f"{kind}, {rule}", by, require
    yield "… 5% of rows held back, k only", HELD_BACK, ()


def measured(
    table: pa.Table, policy: la.Policy, by: str, rules: Sequence[Requirement], tree: Hierarchy
) -> Iterator[float | None]:
    """The columns of the table for one release."""
    policy = la.Policy(
        quasi_identifiers=policy.hierarchies,
        sensitive=policy.sensitive,
        insensitive=policy.insensitive,
        require=(*policy.require, *rules),
        metric=policy.metric,
    )
    release = la.anonymize(table, policy, by=by)
    people, algorithm = release.problem.counts, release.solution.algorithm
    view = view_release(
        release.released, policy, people, sensitive=(VALUE,), algorithm=algorithm,
        suppressed=release.solution.suppressed, known_people=people,
    )  # fmt: skip
    rows = int(view.rows.sum())
    yield None if release.solution.cost is None else 1 - release.solution.cost
    yield attack_by_skewness(view).columns[0].doubled / rows
    yield attack_by_similarity(view, hierarchies={VALUE: tree}).certain / rows
    minimality = attack_by_minimality(view)
    examined = bool(minimality.columns) and not minimality.not_examined
    yield minimality.improved / rows if examined else None
    yield minimality.certain / rows if examined else None
    original = release.original.count_groups(QUASI_IDENTIFIERS, (VALUE,))
    learned = attack_by_definetti(view, original=original).columns
    accuracy = learned[0].accuracy if learned else None
    yield None if accuracy is None else accuracy.published
    yield None if accuracy is None else accuracy.attack


if __name__ == "__main__":
    main()
