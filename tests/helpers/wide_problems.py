"""Random problems with up to seven columns, for searches of lattices without an array of nodes."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import oracle

MOST_NODES = 1_500
ALLOWANCES = ("none", "one row", "2%", "10%", "all")


def wide_problems(count: int, seed: int) -> Iterator[oracle.TinyProblem]:
    """Three to seven columns, 8 to 60 rows; every allowance in turn."""
    rng = random.Random(seed)
    made = 0
    while made < count:
        problem = _random_problem(rng, ALLOWANCES[made % len(ALLOWANCES)])
        spans = [high - low + 1 for low, high in zip(problem.low, problem.high, strict=True)]
        if math.prod(spans) <= MOST_NODES:
            made += 1
            yield problem


def _random_problem(rng: random.Random, allowance: str) -> oracle.TinyProblem:
    columns = rng.randint(3, 7)
    hierarchies = [_random_hierarchy(rng, a) for a in range(columns)]
    rows = _random_rows(rng, hierarchies)
    high = [len(next(iter(hierarchy.values()))) - 1 for hierarchy in hierarchies]
    low = [0] * columns
    if rng.random() < 0.2:  # level limits
        low = [rng.randint(0, top) for top in high]
        high = [rng.randint(bottom, top) for bottom, top in zip(low, high, strict=True)]
    return oracle.TinyProblem(
        rows=rows,
        hierarchies=hierarchies,
        weights=[rng.choice([1, 1, 1, 2, 0.5]) for _ in range(columns)],
        k=rng.randint(2, 4),
        allowance={
            "none": 0, "one row": 1, "2%": max(1, len(rows) // 50), "10%": len(rows) // 10,
            "all": len(rows),
        }[allowance],
        classes=[rng.choice(["yes", "no"]) for _ in rows],
        low=tuple(low),
        high=tuple(high),
    )  # fmt: skip


def _random_hierarchy(rng: random.Random, a: int) -> dict[str, list[str]]:
    """Up to six values, perhaps in pairs, perhaps in halves, then ``*``."""
    leaves = rng.randint(2, 6)
    paths = {f"q{a}v{leaf}": [f"q{a}v{leaf}"] for leaf in range(leaves)}
    for level, width in ((1, 2), (2, 3)):
        if leaves > width and rng.random() < 0.5:
            for leaf, path in enumerate(paths.values()):
                path.append(f"q{a}level{level}no{leaf // (2 * level)}")
    return {leaf: [*path, "*"] for leaf, path in paths.items()}


def _random_rows(rng: random.Random, hierarchies: list[dict[str, list[str]]]) -> list[tuple]:
    """Rows that are like each other: most are a copy of another one with a few values changed."""
    leaves = [list(hierarchy) for hierarchy in hierarchies]
    rows = [tuple(map(rng.choice, leaves))]
    for _ in range(rng.randint(8, 60)):
        row = list(rng.choice(rows))
        for a in range(len(row)):
            if rng.random() < 0.25:
                row[a] = rng.choice(leaves[a])
        rows.append(tuple(row))
    return rows
