"""Random small tables whose values no other text contains, and releases of every kind of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pyarrow as pa
from cell_maps import AtRandom
from cut_recodings import GivenCuts

import lookalike as la
from lookalike.policy.conventions import Conventions
from lookalike.problem import prepare as preparing
from lookalike.releasing.release import Release
from lookalike.report.page import page
from lookalike.report.report_file import facts_of
from lookalike.report.subject import Edition
from lookalike.tables.open import open_table

K = 3
KINDS = ("levels", "cuts", "cells")


def values(rng: random.Random, name: str, many: int) -> list[str]:
    """Distinct, and like nothing else on the page: ``job-7f3a``."""
    return [f"{name}-{number:04x}" for number in rng.sample(range(16**4), many)]


def table(seed: int, rows: int = 60, nulls: bool = True) -> pa.Table:
    """Some values frequent, some held by a row or two."""
    rng = random.Random(seed)

    def column(name: str, many: int) -> list[str | None]:
        known = values(rng, name, many)
        picked: list[str | None] = [known[int(many * rng.random() ** 3)] for _ in range(rows)]
        return [None if nulls and rng.random() < 0.04 else one for one in picked]

    return pa.table(
        {
            "age": [rng.choice([20, 21, 35, 36, 50, 71, rng.randint(18, 90)]) for _ in range(rows)],
            "job": column("job", 7),
            "town": column("town", 5),
            "ill": column("ill", 8),
            "note": column("note", 25),
            "name": values(rng, "name", rows),
        }
    )


def tree_of(made: pa.Table, name: str, seed: int) -> Any:
    """Two levels of groups over the values of a column, and some that no row holds."""
    rng = random.Random(seed)
    known = sorted({one for one in made[name].to_pylist() if one is not None})
    known += values(rng, f"un{name}", 3)
    groups = values(rng, f"grp{name}", 3)
    tops = values(rng, f"top{name}", 2)
    return la.tree([[one, groups[i % 3], tops[i % 3 % 2]] for i, one in enumerate(known)])


def policy(made: pa.Table, seed: int, kind: str = "levels", **more: Any) -> la.Policy:
    qi: dict[str, Any] = {"age": la.bands(5, 10, 20, 40), "job": tree_of(made, "job", seed)}
    if kind != "cuts":
        qi["town"] = la.flat()
    asked: dict[str, Any] = {
        "quasi_identifiers": qi,
        "identifiers": ["name"] if kind != "cuts" else ["name", "town"],
        "sensitive": ["ill"],
        "insensitive": ["note"],
        "require": la.KAnonymity(K),
        "suppress": 0.15,
    }
    if kind == "cuts":
        asked |= {"suppress": 0.3, "metric": "loss"}  # Prec says nothing of cuts
    if kind == "cells":
        asked |= {"model": "CG_", "suppress": 0}
    return la.Policy(**asked | more)


def release(seed: int, kind: str = "levels", **more: Any) -> Release:
    """One of these tables, released."""
    made = table(seed)
    return released(made, policy(made, seed, kind, **more), kind, seed)


def released(made: pa.Table, asked: la.Policy, kind: str = "levels", seed: int = 0) -> Release:
    problem = la.prepare(made, asked)
    by: Any = {"levels": None, "cuts": GivenCuts(share=0.1), "cells": AtRandom()}[kind]
    for turn in range(60):  # cuts at random need not meet the policy
        solution = la.solve(problem, by, seed=seed + turn)
        if solution.recoding is not None:
            return la.release(made, problem, solution)
    raise AssertionError("no recoding at random met the policy")


def far_release(seed: int) -> Release:
    """Of a problem whose counts stay on the engine."""
    made = table(seed)
    problem = preparing.prepare(open_table(made), policy(made, seed), hold=0)
    return la.release(made, problem, la.solve(problem))


STAR = Conventions(suppressed="star")
WILD = Conventions(suppressed="star", stars="wildcard")
DIVERSE = (la.KAnonymity(K), la.DistinctDiversity("ill", 2))
SETS = {"one": ["age"], "two": {"job": 1.0, "town": 0.0}}

VARIANTS: dict[str, Callable[[], Release]] = {
    "levels": lambda: release(1),
    "cuts": lambda: release(2, "cuts"),
    "cells": lambda: release(3, "cells"),
    "intervals": lambda: release(4, "cells", show={"age": "interval"}),
    "eligible": lambda: release(5, eligible={"ill": often(5)}, suppress=0.3),
    "star": lambda: release(6, conventions=STAR, suppress=0.3),
    "wildcard": lambda: release(7, conventions=WILD, suppress=0.2),
    "sets": lambda: release(8, linking=SETS),
    "diverse": lambda: release(9, require=DIVERSE, suppress=0.4),
    "unsuppressed": lambda: release(10, suppress=0),
    "far": lambda: far_release(11),
    "empty": lambda: released(table(12).slice(0, 0), policy(table(12), 12)),
}


def often(seed: int) -> list[str]:
    """The three most frequent illnesses of a table."""
    held = Counter(one for one in table(seed)["ill"].to_pylist() if one is not None)
    return [value for value, _ in held.most_common(3)]


@cache
def variant(name: str) -> Release:
    """Made once for all tests."""
    return VARIANTS[name]()


@cache
def page_of(name: str, edition: Edition) -> str:
    """Drawn once for all tests."""
    return page(facts_of(variant(name).subject(), edition))
