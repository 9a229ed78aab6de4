"""Random tables about people, with or without a planted relation between kept columns and others.

A planted table says which rows fit what an attacker knows of a person, in plain Python, so that an
oracle can count the rows below k from the definition alone.
"""

from __future__ import annotations

import datetime
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import lookalike as la

Fits = Callable[[tuple[Any, ...], Any], bool]  # of the kept cells of a row, and the known value


@dataclass
class Planted:
    """A table as columns, its policy, and the relation: which cells fit which known value."""

    columns: dict[str, list[Any]]
    k: int
    identifiers: tuple[str, ...] = ()
    quasi: tuple[str, ...] = ()
    kind: str = ""
    kept: tuple[str, ...] = ()  # of the planted relation
    target: str = ""
    fits: Fits | None = None
    others: list[str] = field(default_factory=list)

    @property
    def policy(self) -> la.Policy:
        hidden = {*self.quasi, *self.identifiers}
        return la.Policy(
            quasi_identifiers={name: la.flat() for name in self.quasi},
            identifiers=self.identifiers,
            insensitive=tuple(name for name in self.columns if name not in hidden),
            require=la.KAnonymity(self.k),
        )


def rows_below(planted: Planted) -> int:
    """Rows that fit their own known value, and that fewer than k rows fit: by the definition."""
    assert planted.fits is not None
    shown = list(zip(*(planted.columns[name] for name in planted.kept), strict=True))
    below = 0
    counted: dict[Any, int] = {}
    for own, known in zip(shown, planted.columns[planted.target], strict=True):
        if known is None or not planted.fits(own, known):
            continue
        if known not in counted:
            counted[known] = sum(planted.fits(cells, known) for cells in shown)
        below += counted[known] < planted.k
    return below


def unrelated_table(rng: random.Random, least: int = 40) -> Planted:
    """Quasi-identifiers and kept columns that are independent, skewed or correlated."""
    n = max(least, rng.choice([40, 80, 150, 300]))
    table = Planted({}, rng.choice([2, 3, 5, 10]))
    kinds = list(MAKERS)
    quasi = [rng.choice(kinds) for _ in range(rng.randint(2, 4))]
    for i, kind in enumerate(quasi):
        table.columns[f"q{i}"] = MAKERS[kind](rng, n)
    table.quasi = tuple(table.columns)
    if rng.random() < 0.4:
        table.columns["d0"] = MAKERS[rng.choice(kinds)](rng, n)
        table.identifiers = ("d0",)
    for i in range(rng.randint(3, 7)):
        kind = rng.choice([*kinds, "correlated", "correlated"])
        if kind == "correlated":
            cells = correlated(rng, table.columns[rng.choice(table.quasi)])
        else:
            cells = MAKERS[kind](rng, n)
        table.columns[f"k{i}"] = cells
    if rng.random() < 0.3:  # nulls, which are not a relation either
        name = rng.choice([name for name in table.columns if name != "d0"])
        table.columns[name] = [None if rng.random() < 0.1 else c for c in table.columns[name]]
    return table


def planted_table(rng: random.Random, kind: str) -> Planted:
    """A table of unrelated columns with one relation of this kind added.

    A function with errors needs some rows: if 15 rows repeat a value, and 3 of these are wrong, a
    correlation would look the same.
    """
    table = unrelated_table(rng, least=150 if kind == "noisy function" else 40)
    n = len(next(iter(table.columns.values())))
    known, shown, fits = PLANTED[kind](rng, n)
    target = "target"
    table.columns[target] = known
    if kind not in ("function", "noisy function", "pair function") and rng.random() < 0.3:
        table.identifiers = (*table.identifiers, target)
    else:
        table.quasi = (*table.quasi, target)
    for i, cells in enumerate(shown):
        written = cells
        if kind not in AS_THEY_ARE and rng.random() < 0.2:  # numbers as texts count as numbers
            written = [None if cell is None else repr(cell) for cell in cells]
        table.columns[f"shown{i}"] = written
    table.kind, table.target = kind, target
    table.kept = tuple(f"shown{i}" for i in range(len(shown)))
    table.fits = fits
    return table


# Columns that have nothing to do with each other.


def skewed(rng: random.Random, n: int) -> list[Any]:
    values = rng.choice([2, 5, 12, 40])
    power = rng.choice([0.0, 1.0, 2.0])
    weights = [(i + 1) ** -power for i in range(values)]
    label = rng.choice(["v", "code", "Ward "])
    return [f"{label}{i}" for i in rng.choices(range(values), weights, k=n)]


def whole(rng: random.Random, n: int) -> list[Any]:
    low, high = rng.choice([(0, 1), (1, 7), (18, 90), (0, 400), (1000, 90000)])
    return [rng.randint(low, high) for _ in range(n)]


def measured(rng: random.Random, n: int) -> list[Any]:
    digits = rng.choice([1, 2, 12])
    draw = rng.choice(
        [
            lambda: rng.gauss(120, 20),
            lambda: rng.gammavariate(2, 10),
            lambda: math.exp(rng.gauss(3, 1)),
        ]
    )
    return [round(draw(), digits) for _ in range(n)]


def zeros(rng: random.Random, n: int) -> list[Any]:
    return [0 if rng.random() < 0.85 else rng.randint(1, 5000) for _ in range(n)]


def days(rng: random.Random, n: int) -> list[Any]:
    start, span = datetime.date(1940, 1, 1), rng.choice([300, 20_000])
    return [start + datetime.timedelta(rng.randrange(span)) for _ in range(n)]


def years(rng: random.Random, n: int) -> list[Any]:
    low, high = rng.choice([(1940, 2005), (2010, 2014)])
    return [rng.randint(low, high) for _ in range(n)]


MAKERS: dict[str, Callable[[random.Random, int], list[Any]]] = {
    "skewed": skewed,
    "whole": whole,
    "measured": measured,
    "zeros": zeros,
    "days": days,
    "years": years,
}


def correlated(rng: random.Random, cells: list[Any]) -> list[Any]:
    """A column that follows another one, but far from exactly."""
    if all(isinstance(cell, int | float) for cell in cells):
        mean = sum(cells) / len(cells)
        spread = math.sqrt(sum((c - mean) ** 2 for c in cells) / len(cells)) or 1.0
        few = len(set(cells)) < 20  # little noise would not change them
        noise = spread * rng.choice([0.5, 1.0] if few else [0.2, 0.5, 1.0])  # correlations to 0.98
        if len(set(cells)) < 4:  # two or three values would show through less noise
            noise = max(noise, 2 * spread)
        digits = rng.choice([0, 2])
        return [round(3 * (c + rng.gauss(0, noise)), digits) for c in cells]
    values = sorted(set(cells))
    image = {value: f"w{rng.randrange(max(2, len(values) // 2))}" for value in values}
    stays = rng.choice([0.3, 0.5, 0.7])
    drawn = list(image.values())
    return [image[c] if rng.random() < stays else rng.choice(drawn) for c in cells]


# Planted relations: the target, the kept columns, and which kept cells fit a known value.


def _function(rng: random.Random, n: int) -> Any:
    values = rng.choice([15, 40, 80])
    weights = [(i + 1) ** -rng.choice([0.7, 1.0, 1.5]) for i in range(values)]
    known = [f"t{i}" for i in rng.choices(range(values), weights, k=n)]
    form = rng.choice(["renamed", "finer", "coarser"])
    names = {f"t{i}": f"x{j}" for i, j in enumerate(rng.sample(range(100, 999), values))}
    if form == "coarser":
        groups = rng.randint(3, max(3, values // 2))
        names = {value: f"x{hash_of(value) % groups}" for value in names}
    shown = [names[value] for value in known]
    if form == "finer":
        shown = [f"{x}{rng.choice('ab')}" for x in shown]
        return known, [shown], lambda cells, t: cells[0][:-1] == names[t]
    return known, [shown], lambda cells, t: cells[0] == names[t]


def hash_of(value: str) -> int:
    return sum((i + 7) * ord(sign) for i, sign in enumerate(value))


def _noisy_function(rng: random.Random, n: int) -> Any:
    known, [shown], fits = _function(rng, n)
    wrong = rng.choice([0.01, 0.03, 0.06])
    drawn = list(shown)
    shown = [rng.choice(drawn) if rng.random() < wrong else x for x in shown]
    return known, [shown], fits


def _logarithm(rng: random.Random, n: int) -> Any:
    amount = [round(math.exp(rng.gauss(3, 1)), 2) + 0.01 for _ in range(n)]
    logs = [math.log(x) for x in amount]
    if rng.random() < 0.5:
        return logs, [amount], lambda cells, t: abs(math.log(float(cells[0])) - t) < 1e-9
    return amount, [logs], lambda cells, t: abs(float(cells[0]) - math.log(t)) < 1e-9


def _affine(rng: random.Random, n: int) -> Any:
    known = rng.choice([whole_ages, measured])(rng, n)
    slope, constant = rng.choice([-2.0, 0.4536, 12.0]), rng.choice([0.0, 32.0])
    shown = [slope * t + constant for t in known]

    def fits(cells: tuple[Any, ...], t: Any) -> bool:
        return abs(float(cells[0]) - slope * t - constant) < 1e-6

    if rng.random() < 0.4:  # some cells are wrong
        shown = [rng.choice(shown) if rng.random() < 0.04 else x for x in shown]
    return known, [shown], fits


def whole_ages(rng: random.Random, n: int) -> list[Any]:
    return [rng.randint(18, 90) for _ in range(n)]


def _bands(rng: random.Random, n: int) -> Any:
    known = [round(rng.gammavariate(2, 900), 2) for _ in range(n)]
    width = rng.choice([250, 500, 1000])
    shown = [int(t // width) for t in known]
    return known, [shown], lambda cells, t: int(cells[0]) == int(t // width)


def _age_on(birth: datetime.date, day: datetime.date) -> int:
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def _date_and_age(rng: random.Random, n: int) -> Any:
    day = datetime.date(rng.randint(1995, 2024), rng.randint(1, 12), rng.randint(1, 28))
    births = [day - datetime.timedelta(rng.randrange(18 * 366, 92 * 365)) for _ in range(n)]
    ages = [_age_on(birth, day) for birth in births]
    form = rng.choice(["date kept", "age kept", "year kept", "text kept"])
    if form == "year kept":
        born = [birth.year for birth in births]
        return ages, [born], lambda cells, t: int(cells[0]) + t in (day.year - 1, day.year)
    if form == "age kept":
        return births, [ages], lambda cells, t: int(cells[0]) == _age_on(t, day)
    if form == "text kept":
        written = [birth.isoformat() for birth in births]
        return (
            ages,
            [written],
            lambda cells, t: _age_on(datetime.date.fromisoformat(cells[0]), day) == t,
        )
    return ages, [births], lambda cells, t: _age_on(cells[0], day) == t


FIRST = ["Ann", "Bob", "Carla", "Dan", "Eve", "Fritz", "Gina", "Hugo", "Ida", "Jan"]
LAST = ["Smith", "Jones", "Miller", "Weber", "Rossi", "Novak", "Silva", "Kim", "Ito", "Berg"]
STREETS = ["High Street", "Mill Lane", "Station Road", "Church Street", "Park Avenue"]


def _text(rng: random.Random, n: int) -> Any:
    form = rng.choice(["postal code in address", "prefix", "initials"])
    if form == "initials":
        people = [f"{rng.choice(FIRST)} {rng.choice(LAST)}" for _ in range(n)]
        shown = ["".join(word[0] for word in person.split()) for person in people]
        return (
            people,
            [shown],
            lambda cells, t: cells[0] == "".join(word[0] for word in t.split()),
        )
    codes = [f"{rng.randrange(1000, 1000 + 10 * n) % 90000 + 10000}" for _ in range(n)]
    if form == "prefix":
        return codes, [[code[:3] for code in codes]], lambda cells, t: cells[0] == t[:3]
    address = [f"{rng.randint(1, 200)} {rng.choice(STREETS)}, {code}" for code in codes]
    if rng.random() < 0.5:
        return address, [codes], lambda cells, t: t.endswith(cells[0])
    return codes, [address], lambda cells, t: cells[0].endswith(t)


def _pair(rng: random.Random, n: int) -> Any:
    form = rng.choice(["sum", "ratio", "years"])
    if form == "sum":
        one, two = ([rng.randint(0, 500) for _ in range(n)] for _ in range(2))
        known = [a - b for a, b in zip(one, two, strict=True)]
        return known, [one, two], lambda cells, t: float(cells[0]) - float(cells[1]) == t
    if form == "ratio":
        weight = [round(rng.gauss(75, 12), 1) for _ in range(n)]
        height = [round(rng.gauss(1.7, 0.1), 2) for _ in range(n)]
        known = [w / h**2 for w, h in zip(weight, height, strict=True)]
        return (
            known,
            [weight, height],
            lambda cells, t: abs(float(cells[0]) / float(cells[1]) ** 2 - t) < 1e-9,
        )
    age = [rng.randint(18, 90) for _ in range(n)]
    visit = [rng.randint(2000, 2020) for _ in range(n)]
    born = [v - a for v, a in zip(visit, age, strict=True)]
    return age, [born, visit], lambda cells, t: float(cells[1]) - float(cells[0]) == t


def _pair_function(rng: random.Random, n: int) -> Any:
    size = rng.choice([4, 6, 9]) if n > 100 else 4
    weights = [(i + 1) ** -1.0 for i in range(size)]
    one, two = (rng.choices(range(size), weights, k=n) for _ in range(2))
    values, shift = size * size // 2 + 1, rng.randrange(size)
    table = {
        (a, b): f"t{(3 * a + size * b + shift) % values}" for a in range(size) for b in range(size)
    }
    known = [table[pair] for pair in zip(one, two, strict=True)]
    shown = [[f"a{a}" for a in one], [f"b{b}" for b in two]]
    return (
        known,
        shown,
        lambda cells, t: table[int(cells[0][1:]), int(cells[1][1:])] == t,
    )


AS_THEY_ARE = ("function", "noisy function", "date and age", "text", "pair function")
PLANTED: dict[str, Callable[[random.Random, int], Any]] = {
    "function": _function,
    "noisy function": _noisy_function,
    "logarithm": _logarithm,
    "affine": _affine,
    "bands": _bands,
    "date and age": _date_and_age,
    "text": _text,
    "pair": _pair,
    "pair function": _pair_function,
}
