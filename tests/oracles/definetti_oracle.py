"""The exact Bayesian adversary of Kifer 2009, by brute force and in fractions.

People come one after the other. In each column, a person shows a value with the share that it has
so far among people with the same sensitive value, where every value has been seen ``prior`` times
before (an urn, which is the Dirichlet prior with the parameters integrated out). The adversary
lists all assignments of values that the release allows, and weighs each by its probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from minimality_oracle import arrangements

Person = tuple[str, ...]


def probability(rows: Sequence[tuple[Person, str]], domains: Sequence[int], prior: int) -> Fraction:
    """Of these people, given their sensitive values; ``domains`` has the values of each column."""
    total = Fraction(1)
    seen, held = Counter(), Counter()
    for person, value in rows:
        for at, (cell, size) in enumerate(zip(person, domains, strict=True)):
            total *= Fraction(seen[at, cell, value] + prior, held[value] + prior * size)
            seen[at, cell, value] += 1
        held[value] += 1
    return total


def worlds(
    groups: Sequence[tuple[Sequence[Person], Counter]],
) -> Iterator[list[tuple[Person, str]]]:
    """Every assignment of the values of each group to its people."""
    options = [
        [list(zip(people, one, strict=True)) for one in arrangements(values)]
        for people, values in groups
    ]
    for chosen in product(*options):
        yield [row for part in chosen for row in part]


def adversary(
    groups: Sequence[tuple[Sequence[Person], Counter]], features: Sequence[int], prior: int = 1
) -> list[dict[str, Fraction]]:
    """The posterior of each person, group by group; ``features`` are the columns of the model."""
    everybody = [person for people, _ in groups for person in people]
    domains = [len({person[at] for person in everybody}) for at in features]
    held = [Counter() for _ in everybody]
    total = Fraction(0)
    for world in worlds(groups):
        shown = [(tuple(person[at] for at in features), value) for person, value in world]
        weight = probability(shown, domains, prior)
        total += weight
        for counts, (_, value) in zip(held, world, strict=True):
            counts[value] += weight
    return [{value: weight / total for value, weight in counts.items()} for counts in held]
