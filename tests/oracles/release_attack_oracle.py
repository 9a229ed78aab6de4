"""What an attacker with nothing but a release learns, by brute force over rows and tables.

A release is a list of rows (class, value). Written from the papers' definitions, in fractions, with
none of the attacks' own code.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction


def histograms(rows):
    """The values of each class."""
    held = defaultdict(Counter)
    for label, value in rows:
        held[label][value] += 1
    return held


def share(counter, value):
    return Fraction(counter[value], counter.total())


def skewness(rows):
    """Li, Li and Venkatasubramanian 2007: the rates of a class against those of the table."""
    table, classes = Counter(value for _, value in rows), histograms(rows)
    best = max(share(table, value) for value in table)
    tops = {label: max(share(held, value) for value in held) for label, held in classes.items()}
    pairs = {
        label: [(share(held, value), share(table, value)) for value in held]
        for label, held in classes.items()
    }
    people = Counter(label for label, _ in rows)
    return {
        "certain": sum(people[label] for label in classes if tops[label] == 1 and best < 1),
        "improved": sum(people[label] for label in classes if tops[label] > best),
        "largest_posterior": max((top for top in tops.values() if top > best), default=0),
        "largest_gain": max((top - best for top in tops.values() if top > best), default=0),
        "largest_ratio": max(q / p for held in pairs.values() for q, p in held),
        "value_gain": max(q - p for held in pairs.values() for q, p in held),
        "doubled": sum(
            people[label] for label in classes if any(q >= 2 * p for q, p in pairs[label])
        ),
        "nearly_sure": sum(
            people[label]
            for label in classes
            if any(q > Fraction(9, 10) and q > p for q, p in pairs[label])
        ),
    }


def similarity(rows, families):
    """``families``: ways to be near, each a list of sets of values that are near each other.

    A family with a set that holds all values of the table tells nothing.
    """
    table, classes = Counter(value for _, value in rows), histograms(rows)
    certain = improved = diverse = 0
    gains, tops = [], []
    for held in classes.values():
        ways = []
        for sets in families:
            if any(set(table) <= near for near in sets):
                continue
            known = max(Fraction(sum(table[v] for v in near), table.total()) for near in sets)
            most = max(Fraction(sum(held[v] for v in near), held.total()) for near in sets)
            ways.append((most - known, most))
        if not ways or max(ways)[0] <= 0:
            continue
        gain = max(gain for gain, _ in ways)
        sure = any(most == 1 for _, most in ways)
        improved += held.total()
        certain += held.total() if sure else 0
        diverse += held.total() if sure and len(held) > 1 else 0
        gains.append(gain)
        tops.append({most for one, most in ways if one == gain})
    return {
        "certain": certain,
        "improved": improved,
        "diverse": diverse,
        "largest_gain": max(gains, default=0),
        "tops": set().union(*tops) or {0},
    }
