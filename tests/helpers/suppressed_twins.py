"""Pairs of tables that differ only in rows which are suppressed, with a policy for both.

The released rows of the first are known once it is released. The others are replaced by rows with
other values: longer codes, other dates, values that no released row has.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pyarrow as pa

import lookalike as la
from lookalike.errors import LookalikeError
from lookalike.tables import open_table
from lookalike.verifier.certificate.kept_rows import kept_rows
from lookalike.verifier.counted_original import CountedOriginal

TREE = [
    ("nurse", "care", "work"), ("doctor", "care", "work"), ("smith", "craft", "work"),
    ("poet", "poets", "art"), ("poets", "poet", "art2"), ("cook", "cooks", "work"),
]  # fmt: skip
GRADES = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
COLUMNS = ("age", "zip", "job", "day", "grade", "sex")
METRICS: tuple[Any, ...] = (
    la.Precision(), la.Loss(), la.Loss("geometric"), la.Entropy(), la.Discernibility(),
    la.Classification("ill"), la.ClassSize(), la.Height(),
)  # fmt: skip
BY_CLASSES = (la.Discernibility(), la.Classification("ill"))  # what local searches over cuts need
LOCAL_SEARCHES = ("greedy", "hill-climbing", "genetic", "annealing")
CUTS = ("k-optimize", "k-optimize", *LOCAL_SEARCHES)
ORDERED = ("age", "job", "day", "grade")
ALGORITHMS = (
    "auto", "flash", "mingen", "incognito", "datafly", "samarati", "hybrid", *CUTS, "mondrian",
    "lattice-greedy", "nearest-neighbors", "k-member", "mdav", "top-down", "cell-optimal",
    "star-cells", "ungeneralize",
)  # fmt: skip
Row = dict[str, Any]


@dataclass(frozen=True)
class Twins:
    """Two releases with the same rows, of originals that differ in suppressed rows."""

    first: la.Release
    second: la.Release
    what: str


def hierarchy(name: str, rng: random.Random) -> Any:
    return {
        "age": lambda: la.bands(5, 10, 20),
        "zip": lambda: la.prefix(steps=rng.choice([(), (1, 3)])),
        "job": lambda: la.tree(TREE),
        "day": lambda: la.dates(days=rng.random() < 0.5),
        "grade": lambda: la.ordered(GRADES, rng.choice([(), (2,), (4,), (2, 4)])),
        "sex": la.flat,
    }[name]()


def cell(name: str, rng: random.Random, common: bool) -> Any:
    """A value; rare ones are unlike the common ones."""
    if rng.random() < 0.05:
        return None
    if name == "age":
        return rng.choice([21, 22, 38]) if common else rng.randint(1, 120)
    if name == "zip":
        rare = ["02", "9", "1234567", "55555", "021389"]
        return rng.choice(["02138", "02139"] if common else rare)
    if name == "job":
        return rng.choice(["nurse", "poet"] if common else [row[0] for row in TREE])
    if name == "day":
        days = rng.randrange(40) if common else rng.randrange(20_000)
        return date(1970, 1, 1) + timedelta(days)
    if name == "grade":
        return rng.choice(["a", "b", "i"] if common else GRADES)
    return rng.choice(["f", "m"] if common else ["f", "m", "x", "unknown"])


def row(names: list[str], rng: random.Random, common: bool) -> Row:
    made = {name: cell(name, rng, common) for name in names}
    return made | {"ill": rng.choice(["flu", "cold", "gout"]), "id": 0}


def twins(rng: random.Random, wanted: int = 5) -> list[Twins]:
    """Up to ``wanted`` twins of one random table; none if the policy or the algorithm refuses."""
    by = rng.choice(ALGORITHMS)
    names = rng.sample(ORDERED if by in CUTS else COLUMNS, rng.randint(1, 3))
    size, rare = rng.randint(6, 24), rng.randint(1, 3)
    rows = [row(names, rng, common=True) for _ in range(size)]
    rows += [row(names, rng, common=False) for _ in range(rare)]
    metric = rng.choice(BY_CLASSES if by in LOCAL_SEARCHES else METRICS)
    rules: tuple[Any, ...] = (la.KAnonymity(rng.choice([2, 3])),)
    if rng.random() < 0.2:
        rules += (la.DistinctDiversity("ill", 2),)
    try:
        asked = la.Policy(
            quasi_identifiers={name: hierarchy(name, rng) for name in names},
            sensitive="ill",
            identifiers="id",
            require=rules,
            metric=metric,
            suppress=rng.randint(rare, 6),
            model="CG_" if by == "auto" and rng.random() < 0.3 else None,
        )
        first = released(rows, asked, by)
    except LookalikeError:
        return []
    if first is None or not first.solution.suppressed:
        return []
    kept, gone = split(rows, first)
    found: list[Twins] = []
    for _ in range(8):
        others = [row(names, rng, common=rng.random() < 0.1) for _ in gone]
        for old, new in zip(gone, others, strict=True):
            if rng.random() < 0.3:
                new.update(old)
        try:
            second = released([*kept, *others], asked, by)
        except LookalikeError:
            continue
        if (
            second is not None
            and second.table.equals(first.table)
            and second.solution.suppressed == len(gone)
            and split([*kept, *others], second)[0] == kept
        ):
            found.append(Twins(first, second, f"{by}, {metric.name}, {', '.join(names)}"))
            if len(found) == wanted:
                break
    return found


def released(rows: list[Row], asked: la.Policy, by: str) -> la.Release | None:
    for number, one in enumerate(rows):
        one["id"] = number
    return la.anonymize(pa.Table.from_pylist(rows), asked, by, seed=1)


def split(rows: list[Row], release: la.Release) -> tuple[list[Row], list[Row]]:
    """The rows that were released, and those that were suppressed, by the verifier's own count."""
    policy, recoding = release.policy, release.solution.recoding
    assert recoding is not None
    counts = open_table(pa.Table.from_pylist(rows)).count_groups(policy.names, ("ill",))
    kept = kept_rows(CountedOriginal.of(counts, policy), recoding, release.solution.suppressed)
    assert kept is not None
    left: dict[tuple[Any, ...], int] = {}
    for group, number in zip(kept.group.tolist(), kept.rows.tolist(), strict=True):
        values = tuple(counts.values[a][counts.codes[group, a]] for a in range(len(policy.names)))
        left[values] = left.get(values, 0) + number
    inside, outside = [], []
    for one in rows:
        values = tuple(one[name] for name in policy.names)
        if left.get(values, 0):
            left[values] -= 1
            inside.append(one)
        else:
            outside.append(one)
    return inside, outside
