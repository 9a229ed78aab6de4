"""The exact adversary of Wong, Fu, Wang and Pei 2007, by brute force.

The adversary lists every original table that a public list of people and a release allow, runs the
real algorithm on each, and keeps those that give this very release. All are equally probable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product

Person = tuple[str, ...]
Row = tuple[Person, str]


def arrangements(values: Counter) -> Iterator[tuple[str, ...]]:
    """Every different order of these values."""
    if not values.total():
        yield ()
    for value in sorted(value for value in values if values[value]):
        for rest in arrangements(values - Counter([value])):
            yield (value, *rest)


def adversary(
    people: Sequence[Person],
    release: Counter,
    recode: Callable[[Person], Person],
    run: Callable[[list[Row]], Counter | None],
) -> dict[Person, dict[str, Fraction]]:
    """The posterior of each kind of person.

    ``release`` counts pairs of labels and value; ``recode`` gives the labels of a person in it;
    ``run`` anonymizes a table, and gives its release.
    """
    return counted(people, release, recode, lambda table: run(table) == release)


def believer(
    people: Sequence[Person],
    release: Counter,
    recode: Callable[[Person], Person],
    divisions: Sequence[Callable[[Person], Person]],
    keeps: Callable[[list[Counter]], bool],
) -> dict[Person, dict[str, Fraction]]:
    """The posterior of somebody who only knows that some finer recodings break the requirements."""

    def broken(table: list[Row], division: Callable[[Person], Person]) -> bool:
        parts: dict[Person, Counter] = {}
        for person, value in table:
            parts.setdefault(division(person), Counter())[value] += 1
        return not keeps(list(parts.values()))

    return counted(people, release, recode, lambda table: all(broken(table, d) for d in divisions))


def counted(
    people: Sequence[Person],
    release: Counter,
    recode: Callable[[Person], Person],
    possible: Callable[[list[Row]], bool],
) -> dict[Person, dict[str, Fraction]]:
    """The posterior of each kind of person, over all possible assignments of the values."""
    classes: dict[Person, list[Person]] = {}
    for person in people:
        classes.setdefault(recode(person), []).append(person)
    options = []
    for labels, members in classes.items():
        values = Counter({v: n for (shown, v), n in release.items() if shown == labels})
        options.append([list(zip(members, one, strict=True)) for one in arrangements(values)])
    known: dict[frozenset, bool] = {}
    held: dict[Person, Counter] = {person: Counter() for person in people}
    worlds = 0
    for chosen in product(*options):
        table = [row for part in chosen for row in part]
        key = frozenset(Counter(table).items())
        if key not in known:
            known[key] = possible(table)
        if known[key]:
            worlds += 1
            for person, value in table:
                held[person][value] += 1
    alike = Counter(people)
    return {
        person: {value: Fraction(n, worlds * alike[person]) for value, n in counts.items()}
        for person, counts in held.items()
    }
