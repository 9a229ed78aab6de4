"""The attacker who tries everything: each table that a release covers, run through the algorithm.

Written from the description of lattice greedy alone, on rows and labels. It gives all tables from
which the algorithm makes the release, class by class.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import oracle


def greedy(tiny: oracle.TinyProblem) -> dict[tuple[str, ...], Counter] | None:
    """The classes by the labels that they show; None if two show the same, which cannot be."""
    columns = range(len(tiny.hierarchies))
    levels = [range(tiny.low[a], tiny.high[a] + 1) for a in columns]

    def label(row, a, level):
        return tiny.hierarchies[a][row[a]][level]

    def loss(row, a, level):
        """Of precision, on the cheapest level that shows the same label."""
        path = tiny.hierarchies[a][row[a]]
        same = [other for other in levels[a] if path[other] == path[level]]
        return Fraction(min(same), len(path) - 1) * Fraction(tiny.weights[a])

    lost = [
        {level: sum(loss(row, a, level) for row in tiny.rows) for level in levels[a]}
        for a in columns
    ]

    def cost(node):
        return sum(lost[a][level] for a, level in enumerate(node))

    def at(row, node):
        return tuple(label(row, a, level) for a, level in enumerate(node))

    waiting = sorted(tiny.rows)
    left = Counter(at(row, tiny.high) for row in waiting)
    classes = {}
    for node in sorted(itertools.product(*levels), key=lambda node: (cost(node), sum(node))):
        groups = {}
        for row in waiting:
            groups.setdefault(at(row, node), []).append(row)
        for rows in groups.values():
            rest = left[at(rows[0], tiny.high)] - len(rows)
            if len(rows) < tiny.k or 0 < rest < tiny.k:
                continue
            left[at(rows[0], tiny.high)] = rest
            waiting = [row for row in waiting if row not in rows]
            shown = tuple(
                next(
                    label(rows[0], a, level)
                    for level in levels[a]
                    if len({label(row, a, level) for row in rows}) == 1
                )
                for a in columns
            )
            assert shown not in classes
            classes[shown] = Counter(rows)
    return classes


def fits(tiny: oracle.TinyProblem, domain, shown):
    """All tuples of the domain that could show these labels."""
    return list(
        itertools.product(
            *(
                [
                    v
                    for v in domain[a]
                    if label in tiny.hierarchies[a][v][tiny.low[a] : tiny.high[a] + 1]
                ]
                for a, label in enumerate(shown)
            )
        )
    )


def tables_to_try(tiny: oracle.TinyProblem, domain, sizes) -> int:
    """How many there are."""
    total = 1
    for shown, rows in sizes.items():
        total *= math.comb(len(fits(tiny, domain, shown)) + rows - 1, rows)
    return total


def consistent(tiny: oracle.TinyProblem, domain, sizes) -> list[dict[tuple[str, ...], Counter]]:
    """The classes of every table from which the algorithm makes this release."""
    each = [
        itertools.combinations_with_replacement(fits(tiny, domain, shown), rows)
        for shown, rows in sizes.items()
    ]
    found, tried = [], set()
    for choice in itertools.product(*map(list, each)):
        rows = tuple(sorted(itertools.chain(*choice)))
        if rows in tried:
            continue
        tried.add(rows)
        classes = greedy(replace(tiny, rows=list(rows)))
        if {shown: own.total() for shown, own in classes.items()} == sizes:
            found.append(classes)
    return found
