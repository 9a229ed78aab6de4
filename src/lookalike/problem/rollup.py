"""Roll-up: count a node from the classes of a finer one that is already counted (Incognito's idea).

Every node is reached from the ground by raising a few columns, one at a time, those with most
information first. So nodes share their first stops: ground → (age) → (age, job) → … → node. The
stops are kept, within a memory budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.counts.remote_counts import Node
from lookalike.problem.evaluation import Evaluation

if TYPE_CHECKING:
    from lookalike.problem.problem import Problem

MAX_STOPS = 3  # measured on Adult: raise one, two, three columns, then count the node itself
MAX_BYTES = 512 << 20  # of classes kept


class RollUp:
    """Evaluates nodes of one problem and remembers the stops on the way."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        information = [
            -float((share * np.log(share)).sum())
            for share in (m[m > 0] / m.sum() for m in problem.ground.marginals)
        ]
        columns = sorted(range(len(problem.names)), key=lambda a: -information[a])
        self.order = columns[:MAX_STOPS]
        self.stops: dict[Node, Classes] = {}
        self.bytes = 0

    def evaluate_node(self, node: Node) -> Evaluation:
        """Count a node and judge it."""
        source = self.problem.encoded.ground
        stop = [0] * len(node)
        for attribute in self.order:
            if node[attribute]:
                stop[attribute] = node[attribute]
                source = self._stop(tuple(stop), source)
        return self.problem.judge(node, self.problem.classes(node, source))

    def release_memory(self) -> None:
        """Forget the stops."""
        self.stops.clear()
        self.bytes = 0

    def _stop(self, node: Node, source: Classes) -> Classes:
        classes = self.stops.get(node)
        if classes is None:
            classes = self.problem.classes(node, source)
            if self.bytes < MAX_BYTES:
                self.stops[node] = classes
                self.bytes += len(classes) * 16
        return classes
