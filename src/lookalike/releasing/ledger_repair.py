"""The coarsening that a ledger would admit: of the recodings that meet the policy, a cheap one that
leaves everybody with k candidates, whatever was released before.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import numpy as np

from lookalike.policy.policy import Policy
from lookalike.problem.group_ids import group_ids
from lookalike.problem.prepare import prepare
from lookalike.problem.problem import Problem
from lookalike.releasing.ledger import Ledger
from lookalike.tables.table import Table
from lookalike.verifier.rows.row_classes import RowClasses

NODES = 200_000  # of a lattice that is looked through at all
SECONDS = 20.0


def repaired(ledger: Ledger, table: Table, policy: Policy) -> tuple[int, ...] | None:
    """Levels that the ledger admits, the cheapest found in some seconds; None if none was."""
    problem = prepare(table, policy)
    if problem.nodes > NODES:
        return None
    people = _People(ledger, table, policy, problem)
    evaluate, best, cost = problem.node_evaluator(), None, np.inf
    until = time.perf_counter() + SECONDS
    for least, levels in _by_bound(problem):
        if least >= cost or time.perf_counter() > until:
            break
        found = evaluate(levels)
        if found.meets and found.cost < cost and people.admits(levels):
            best, cost = levels, found.cost
    return best


def in_words(policy: Policy, levels: tuple[int, ...]) -> str:
    """What to write into the policy to get it."""
    columns = zip(policy.names, levels, strict=True)
    told = ", ".join(f"{name} at level {level}" for name, level in columns)
    return (
        f"this recoding would leave everybody enough: {told}; set the finest and the coarsest "
        f"level of each column to it, as levels = [{levels[0]}, {levels[0]}] for {policy.names[0]}"
    )


def _by_bound(problem: Problem) -> Iterator[tuple[float, tuple[int, ...]]]:
    """The nodes of the lattice, those that could be cheapest first."""
    prior, value = problem.costing.prior, problem.costing.value
    nodes = itertools.product(
        *(range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True))
    )
    scored = [(float(sum(prior[a, level] for a, level in enumerate(node))), node) for node in nodes]
    for score, node in sorted(scored):
        yield value(score), node


class _People:
    """The rows of a table, ready to be put into the classes of any node."""

    def __init__(self, ledger: Ledger, table: Table, policy: Policy, problem: Problem) -> None:
        self.ledger, self.policy, self.problem = ledger, policy, problem
        self.person = ledger.columns_of(table.columns, policy)
        columns = list(dict.fromkeys([*self.person, *policy.names]))
        rows = table.eligible_rows(policy.eligible).distinct_text(columns)
        cells = {name: rows.column(f"c{i}").to_pylist() for i, name in enumerate(columns)}
        self.cells = list(zip(*(cells[name] for name in self.person), strict=True))
        self.rows = rows.column("count").to_numpy().astype(np.int64)
        eligible = table.eligible_rows(policy.eligible)
        leaves = []
        for name in policy.names:
            leaf = eligible.text_codes(name)
            leaves.append(np.array([leaf[text] for text in cells[name]], dtype=np.int64))
        self.leaf = np.stack(leaves, axis=1)

    def admits(self, levels: tuple[int, ...]) -> bool:
        problem = self.problem
        classes = problem.classes(levels)
        broken = problem.broken(classes, levels)
        mine = np.stack(
            [problem.tables[a].codes[:, level][self.leaf[:, a]] for a, level in enumerate(levels)],
            axis=1,
        )
        theirs = problem.encoded.codes(np.array(levels, dtype=np.int64), classes.member[broken])
        alike = group_ids(np.concatenate([mine, theirs]))
        of = alike[: len(mine)].copy()
        gone = np.isin(of, alike[len(mine) :])
        starred = self.policy.conventions.suppressed == "star"
        of[gone] = int(of.max(initial=0)) + 1 if starred else -1
        found = RowClasses(self.cells, of, self.rows)
        return not self.ledger.exposed(self.ledger.digested(found, self.policy, self.person))
