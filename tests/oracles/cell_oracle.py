"""The cheapest cell-level recoding of a few rows, by trying every way to put them in classes.

Written from the definition alone: rows of a class show, in every column, one label that each of
them may show; each pays for the cheapest level on which it shows it.
"""

from __future__ import annotations

from functools import cache

import oracle


def cheapest(tiny: oracle.TinyProblem, metric: str) -> float | None:
    """The least mean cost of a row; None if no recoding meets the policy."""
    rows = tiny.rows
    total = sum(tiny.weights)
    prices = [
        [_prices(tiny, a, row[a], metric) for row in rows] for a in range(len(tiny.hierarchies))
    ]

    @cache
    def cost(members: int) -> float:
        """Of one class."""
        chosen = [i for i in range(len(rows)) if members >> i & 1]
        paid = 0.0
        for a, weight in enumerate(tiny.weights):
            shared = set.intersection(*(set(prices[a][i]) for i in chosen))
            if not shared:
                return float("inf")
            paid += weight * min(sum(prices[a][i][label] for i in chosen) for label in shared)
        return paid / total

    @cache
    def best(left: int, may_go: int) -> float:
        if not left:
            return 0.0
        first = left & -left
        found = 1.0 + best(left ^ first, may_go - 1) if may_go else float("inf")
        rest = left ^ first
        some = rest
        while True:
            members = first | some
            if tiny.k <= members.bit_count() < 2 * tiny.k:
                found = min(found, cost(members) + best(rest ^ some, may_go))
            if not some:
                return found
            some = (some - 1) & rest

    found = best((1 << len(rows)) - 1, min(tiny.allowance, len(rows) - 1))
    return None if found == float("inf") else found / len(rows)


def _prices(tiny: oracle.TinyProblem, a: int, value: str, metric: str) -> dict[str, float]:
    """What a cell pays for each label that it may show."""
    hierarchy = tiny.hierarchies[a]
    path = hierarchy[value]
    found: dict[str, float] = {}
    for level in range(tiny.low[a], tiny.high[a] + 1):
        if metric == "precision":
            price = level / (len(path) - 1)
        else:
            under = sum(other[level] == path[level] for other in hierarchy.values())
            price = (under - 1) / max(1, len(hierarchy) - 1)
        found[path[level]] = min(price, found.get(path[level], price))
    return found
