"""The tables that a minimal recoding could have come from, by trying all, from the definitions."""

from __future__ import annotations

import itertools
from collections import Counter


def covered_tables(values, sizes):
    """Every choice of rows for every class; ``values(shown)`` are the tuples that fit a class."""
    each = [
        [Counter(rows) for rows in itertools.combinations_with_replacement(values(shown), count)]
        for shown, count in sizes.items()
    ]
    for choice in itertools.product(*each):
        yield dict(zip(sizes, choice, strict=True))


def shows_lowest_labels(one, table):
    return all(lowest(one, list(rows)) == shown for shown, rows in table.items())


def lowest(one, rows):
    """The lowest label that rows share, in each column."""
    shown = []
    for a, hierarchy in enumerate(one.hierarchies):
        for level in range(one.low[a], one.high[a] + 1):
            labels = {hierarchy[row[a]][level] for row in rows}
            if len(labels) == 1:
                shown.append(labels.pop())
                break
        else:
            return None
    return tuple(shown)


def is_undivided(one, table):
    """Can no class be divided into classes of k or more, some with other (so finer) labels?"""
    if not shows_lowest_labels(one, table):
        return False
    for shown, rows in table.items():
        for sets in partitions(list(rows.elements())):
            if min(map(len, sets)) >= one.k and any(lowest(one, s) != shown for s in sets):
                return False
    return True


def partitions(rows):
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for sets in partitions(rest):
        yield [[first], *sets]
        for at in range(len(sets)):
            yield [*sets[:at], [first, *sets[at]], *sets[at + 1 :]]


def is_minimal_node(one, node, table):
    """Does every lower node have a class of fewer than k rows?"""
    rows = [row for own in table.values() for row in own.elements()]
    lower = itertools.product(*(range(one.low[a], level + 1) for a, level in enumerate(node)))
    return all(
        min(Counter(at(one, row, other) for row in rows).values()) < one.k
        for other in lower
        if other != node
    )


def at(one, row, node):
    return tuple(one.hierarchies[a][row[a]][level] for a, level in enumerate(node))


def are_minimal_cuts(order, cuts, k, rows):
    """Does every further cut leave an interval of fewer than k rows in some class?"""

    def keeps_k(some):
        def place(row):
            return tuple(
                sum(order[a].index(value) >= cut for cut in some[a]) for a, value in enumerate(row)
            )

        return min(Counter(map(place, rows)).values()) >= k

    for a, values in enumerate(order):
        for cut in set(range(1, len(values))) - set(cuts[a]):
            finer = [*cuts[:a], [*cuts[a], cut], *cuts[a + 1 :]]
            if keeps_k(finer):
                return False
    return keeps_k(cuts)
