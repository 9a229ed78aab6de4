"""The exact output distribution of a private release on a tiny table, from the definitions alone.

Rows are pairs of an age and a letter. Levels of age: the value, 20 years, ``*``; of the letter: the
value, ``*``. An output is the node and the number of drawn rows of each class that is shown, or
nothing at all.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict

Row = tuple[int, str]
Node = tuple[int, int]
NODES: list[Node] = list(itertools.product(range(3), range(2)))
NOTHING = "nothing"


def shown(row: Row, node: Node) -> tuple[str, str]:
    age, letter = row
    by_level = (str(age), f"[{age // 20 * 20}, {age // 20 * 20 + 20})", "*")
    return by_level[node[0]], letter if node[1] == 0 else "*"


def score(rows: list[Row], node: Node, spare: int) -> float:
    detail = 1 - (node[0] / 2 + node[1] / 1) / 2
    return detail * sum(max(0, n - spare) for n in Counter(shown(r, node) for r in rows).values())


def choice(rows: list[Row], nodes: list[Node], epsilon: float, spare: int) -> dict[Node, float]:
    """The probability of each node; the most detailed node has a sensitivity of 1."""
    if len(nodes) == 1:
        return {nodes[0]: 1.0}
    weights = {node: math.exp(epsilon * score(rows, node, spare)) for node in nodes}
    return {node: weight / sum(weights.values()) for node, weight in weights.items()}


def binomial(n: int, j: int, p: float) -> float:
    return math.comb(n, j) * p**j * (1 - p) ** (n - j)


def distribution(
    rows: list[Row], nodes: list[Node], k: int, beta: float, search_epsilon: float = 0.0
) -> dict[object, float]:
    """The probability of every output."""
    made: dict[object, float] = defaultdict(float)
    spare = math.ceil(k / beta) - 1
    for node, chance in choice(rows, nodes, search_epsilon, spare).items():
        outputs: dict[tuple[tuple[object, int], ...], float] = {(): chance}
        for label, n in sorted(Counter(shown(row, node) for row in rows).items()):
            hidden = sum(binomial(n, j, beta) for j in range(min(k, n + 1)))
            after = {output: p * hidden for output, p in outputs.items()}
            for output, p in outputs.items():
                for j in range(k, n + 1):
                    after[(*output, (label, j))] = p * binomial(n, j, beta)
            outputs = after
        for output, p in outputs.items():
            made[(node, output) if output else NOTHING] += p
    return made


def excess(first: dict[object, float], second: dict[object, float], epsilon: float) -> float:
    """The smallest δ with P(first in S) ≤ e^ε · P(second in S) + δ for every set S."""
    factor = math.exp(epsilon)
    return sum(max(0.0, p - factor * second.get(output, 0.0)) for output, p in first.items())
