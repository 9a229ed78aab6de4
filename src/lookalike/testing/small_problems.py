"""Small random tables with policies, and every lattice node counted in the plainest way."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from lookalike import api
from lookalike.policy.hierarchies.bands import bands
from lookalike.policy.hierarchies.ordered import ordered
from lookalike.policy.hierarchies.tree import tree
from lookalike.policy.policy import Policy
from lookalike.privacy.k_anonymity import KAnonymity
from lookalike.problem.problem import Problem
from lookalike.solution.solution import Solution
from lookalike.verifier.claim.optimality import check_claim, check_recoding
from lookalike.verifier.counted_original import CountedOriginal

PLACES = {"north": ["a", "b"], "south": ["c", "d"]}
Node = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SmallProblem:
    """A table of a dozen rows, and what a policy asks of it."""

    table: Any  # a pyarrow table: age, place and grade, and the sensitive column ill
    policy: Policy

    def prepare(self, **changed: Any) -> Problem:
        """The problem, with parts of the policy replaced."""
        return api.prepare(self.table, replace(self.policy, **changed))

    def nodes(self, problem: Problem) -> dict[Node, tuple[int, float]]:
        """By node that meets k within the allowance: suppressed rows, and 1 − Prec."""
        columns = [self.table[name].to_pylist() for name in problem.names]
        rows = list(zip(*columns, strict=True))
        found = {}
        levels = [range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True)]
        for node in itertools.product(*levels):
            shown = [
                tuple(map(_label, problem.tables, problem.counts.values, row, node)) for row in rows
            ]
            sizes = Counter(shown)
            gone = sum(size for size in sizes.values() if size < problem.smallest)
            heights = [table.height for table in problem.tables]
            moved = sum(level / height for level, height in zip(node, heights, strict=True))
            cost = gone + (len(rows) - gone) * moved / len(node)
            if gone <= problem.allowance and gone < len(rows):
                found[node] = gone, cost / len(rows)
        return found


def small_problems(count: int, seed: int = 0) -> Iterator[SmallProblem]:
    """Random tables of 6 to 14 rows; k is 2 or 3, and up to a fifth of the rows may go."""
    rng = random.Random(seed)
    for _ in range(count):
        rows = rng.randint(6, 14)
        table = pa.table(
            {
                "age": [rng.randint(20, 29) for _ in range(rows)],
                "place": [rng.choice("abcd") for _ in range(rows)],
                "grade": [rng.choice(["low", "mid", "high"]) for _ in range(rows)],
                "ill": [rng.choice(["flu", "cold", "ache", None]) for _ in range(rows)],
            }
        )
        columns = {
            "age": bands(5),
            "place": tree(PLACES),
            "grade": ordered(("low", "mid", "high")),
        }
        policy = Policy(
            quasi_identifiers=columns,
            sensitive="ill",
            require=KAnonymity(rng.randint(2, 3)),
            suppress=rng.choice([0, 0.1, 0.2]),
        )
        yield SmallProblem(table, policy)


def claim_holds(problem: Problem, solution: Solution) -> bool:
    """Does the verifier find the recoding, its cost and its bound as the solution claims?"""
    original = CountedOriginal.of(problem.counts, problem.policy)
    recoding = None if solution.recoding is None else check_recoding(original, solution)
    findings = (recoding, *check_claim(original, solution))
    return all(finding is None or finding.holds for finding in findings)


def _label(table: Any, values: tuple[object, ...], value: object, level: int) -> object:
    return table.labels[level][table.codes[values.index(value), level]]
