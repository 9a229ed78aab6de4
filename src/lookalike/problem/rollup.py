"""Roll-up: count a node from the classes of a finer one already counted (Incognito's idea).

Every node is reached from the ground by raising a few columns at a time, those with most
information first, so that nodes share their first stops: ground → (age) → (age, job) → … → node.
The stops are kept, within a memory budget.
"""

from __future__ import annotations

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.problem.problem import Evaluation, Problem

STOPS = 3  # measured on Adult: one, two, three columns raised, then the node itself
BUDGET = 512 << 20  # bytes of classes kept


class RollUp:
    """Evaluates nodes of one problem, remembering the stops on the way."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        information = [
            -float((share * np.log(share)).sum())
            for share in (m[m > 0] / m.sum() for m in problem.ground.marginals)
        ]
        self.order = sorted(range(len(problem.names)), key=lambda a: -information[a])[:STOPS]
        self.kept: dict[tuple[int, ...], Classes] = {}
        self.spent = 0

    def evaluate(self, node: tuple[int, ...]) -> Evaluation:
        source = self.problem.encoded.ground
        stop = [0] * len(node)
        for attribute in self.order:
            if node[attribute]:
                stop[attribute] = node[attribute]
                source = self._stop(tuple(stop), source)
        return self.problem.judge(node, self.problem.classes(node, source))

    def _stop(self, node: tuple[int, ...], source: Classes) -> Classes:
        found = self.kept.get(node)
        if found is None:
            found = self.problem.classes(node, source)
            if self.spent < BUDGET:
                self.kept[node] = found
                self.spent += len(found) * 16
        return found
