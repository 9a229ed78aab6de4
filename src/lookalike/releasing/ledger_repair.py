"""Find a recoding that the ledger accepts: it meets the policy, leaves everybody with k candidates
together with all earlier releases, and costs little.
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
from lookalike.problem.recodings.levels import AppliedLevels
from lookalike.releasing.ledger import Ledger
from lookalike.solution.recoding import Levels
from lookalike.tables.table import Table
from lookalike.verifier.rows.row_classes import RowClasses

MAX_NODES = 200_000  # of a lattice that is searched
MAX_SECONDS = 20.0


def accepted_levels(ledger: Ledger, table: Table, policy: Policy) -> tuple[int, ...] | None:
    """The cheapest levels that the ledger accepts, found in a few seconds; None if none were."""
    problem = prepare(table, policy)
    if problem.nodes > MAX_NODES:
        return None
    people = _People(ledger, table, policy, problem)
    evaluate, best, cost = problem.node_evaluator(), None, np.inf
    until = time.perf_counter() + MAX_SECONDS
    for least, levels in _by_bound(problem):
        if least >= cost or time.perf_counter() > until:
            break
        evaluation = evaluate(levels)
        if evaluation.meets and evaluation.cost < cost and people.accept(levels):
            best, cost = levels, evaluation.cost
    return best


def suggested_levels(policy: Policy, levels: tuple[int, ...]) -> str:
    """What to write into the policy to get these levels."""
    columns = zip(policy.names, levels, strict=True)
    listed = ", ".join(f"{name} at level {level}" for name, level in columns)
    return (
        f"this recoding would be accepted: {listed}; set the lowest and the highest level of each "
        f"column to it, for example levels = [{levels[0]}, {levels[0]}] for {policy.names[0]}"
    )


def _by_bound(problem: Problem) -> Iterator[tuple[float, tuple[int, ...]]]:
    """The nodes of the lattice, those with the smallest lower bound first."""
    prior, value = problem.costing.prior, problem.costing.value
    nodes = itertools.product(
        *(range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True))
    )
    scored = [(float(sum(prior[a, level] for a, level in enumerate(node))), node) for node in nodes]
    for score, node in sorted(scored):
        yield value(score), node


class _People:
    """The people of a table, ready to be put into the classes of any node."""

    def __init__(self, ledger: Ledger, table: Table, policy: Policy, problem: Problem) -> None:
        self.ledger, self.policy, self.problem = ledger, policy, problem
        self.person = ledger.person_columns(table.columns, policy)
        columns = list(dict.fromkeys([*self.person, *policy.names]))
        eligible = table.eligible_rows(policy.eligible)
        rows = eligible.distinct_text(columns)
        cells = {name: rows.column(f"c{i}").to_pylist() for i, name in enumerate(columns)}
        self.cells = list(zip(*(cells[name] for name in self.person), strict=True))
        self.rows = rows.column("count").to_numpy().astype(np.int64)
        leaves = []
        for name in policy.names:
            leaf = eligible.text_codes(name)
            leaves.append(np.array([leaf[text] for text in cells[name]], dtype=np.int64))
        self.leaf = np.stack(leaves, axis=1)

    def accept(self, levels: tuple[int, ...]) -> bool:
        """Does everybody keep k candidates if the table is released at these levels?"""
        applied = AppliedLevels(self.problem, Levels(self.problem.names, levels))
        columns = [column.codes[self.leaf[:, a]] for a, column in enumerate(applied.columns)]
        classes = group_ids(np.stack(columns, axis=1))
        starred = self.policy.conventions.suppressed == "star"
        suppressed = applied.is_suppressed(self.leaf)
        classes[suppressed] = int(classes.max(initial=0)) + 1 if starred else -1
        rows = RowClasses(self.cells, classes, self.rows)
        return not self.ledger.exposed(self.ledger.digest_people(rows, self.policy, self.person))
