"""How the values of each column are spread, before and after: the bars of small charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from lookalike.counts.level_table import TOP
from lookalike.policy.hierarchies.number_reading import number
from lookalike.report.facts.value_groups import Grouping, grouping
from lookalike.report.number_format import MISSING, plural
from lookalike.report.subject import Subject

MOST = 10  # bars of a chart, before the others are put together
BINS = 8  # of numbers that are too many to be bars of their own

Rows = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Bar:
    """Rows that hold a value, or several put together; ``before`` is None where it is not told."""

    label: str
    before: int | None
    after: int
    pooled: bool = False  # several values, or none that is a value


@dataclass(frozen=True, slots=True)
class Distribution:
    """One column: how its rows spread over values, of ``before`` rows and of ``after`` rows."""

    column: str
    role: str
    words: str  # what a bar is: a value as it is, a group of the hierarchy …
    bars: tuple[Bar, ...]
    before: int | None
    after: int
    note: str = ""

    @property
    def hidden(self) -> bool:
        """Does the column show nothing but ``*``?"""
        return [bar.label for bar in self.bars] == [TOP]

    @property
    def compared(self) -> bool:
        return self.before is not None


def distributions(subject: Subject) -> tuple[Distribution, ...]:
    """Quasi-identifiers by the groups they are released in, then the kept columns as they are."""
    released = subject.released.rows()
    found = []
    in_memory = subject.problem.holds_all_tuples
    for a, name in enumerate(subject.problem.names):
        if name in subject.policy.interval_columns:
            found.append(_by_interval(subject, name, released))
            continue
        groups = grouping(subject, a)
        before = groups.rows(subject.problem.counts.marginal(a))
        if in_memory:
            after: Rows = _released(subject, a, groups)
        else:
            after = subject.after(name)
        if in_memory and subject.starred:
            after = _starred(after, subject.solution.suppressed)
        bars = top_bars(before, after, list(groups.labels) if groups.ordered else None)
        found.append(
            Distribution(
                name, "quasi-identifier", groups.words, bars, subject.problem.rows, released
            )
        )
    for name in subject.told:
        role = "sensitive" if name in subject.policy.sensitive else "insensitive"
        words, old, new, order = in_bins(subject.before(name), subject.after(name))
        bars = top_bars(old, new, order)
        found.append(Distribution(name, role, words, bars, subject.problem.rows, released))
    return tuple(found)


def top_bars(
    before: Rows | None, after: Rows, order: Sequence[str] | None = None, most: int = MOST
) -> tuple[Bar, ...]:
    """The values that most rows hold, in their ``order`` or the most frequent first, and the rest.

    One value too many is a bar of its own: "1 other" would take as much room.
    """
    told = before if before is not None else after
    labels = list(dict.fromkeys([*told, *after]))
    frequent = sorted(labels, key=lambda one: (-told.get(one, 0), -after.get(one, 0), one))
    top = frequent if len(frequent) <= most + 1 else frequent[:most]
    if order is not None:
        place = {label: number for number, label in enumerate(order)}
        top = sorted(top, key=lambda one: place.get(one, len(place)))
    bars = [
        Bar(one, None if before is None else before.get(one, 0), after.get(one, 0)) for one in top
    ]
    rest = frequent[len(top) :]
    if rest:
        held = None if before is None else sum(before.get(one, 0) for one in rest)
        label = plural(len(rest), "other value")
        bars.append(Bar(label, held, sum(after.get(one, 0) for one in rest), pooled=True))
    return tuple(bars)


def in_bins(before: Rows, after: Rows) -> tuple[str, Rows, Rows, list[str] | None]:
    """Many numbers in a few bins of equal width; anything else as it is, numbers by size."""
    known = [one for one in {**before, **after} if one != MISSING]
    sizes = {one: number(one) for one in known}
    if not known or not all(_ordinary(size) for size in sizes.values()):
        return "unchanged", before, after, None
    rising = sorted(known, key=lambda one: sizes[one] or 0)
    if len(known) <= MOST + 1:
        return "unchanged", before, after, [*rising, MISSING]
    of, labels = _bins([float(sizes[one] or 0) for one in rising])
    bin_of = {one: labels[at] for one, at in zip(rising, of, strict=True)} | {MISSING: MISSING}
    return (
        "in bins of equal width",
        _summed(before, bin_of),
        _summed(after, bin_of),
        [*labels, MISSING],
    )


def _ordinary(size: Decimal | None) -> bool:
    """A number of a size that bins can be reckoned with in floats."""
    return size is not None and size.is_finite() and (not size or -12 <= size.adjusted() <= 15)


def _bins(rising: Sequence[float]) -> tuple[list[int], list[str]]:
    """The bin of each number, and how the bins are called."""
    low, high = rising[0], rising[-1]
    step = _round_step((high - low) / BINS)
    start = float(np.floor(low / step) * step)
    of = [max(0, int((one - start) / step + 1e-9)) for one in rising]
    labels = [
        f"{start + at * step:,.10g} to under {start + (at + 1) * step:,.10g}"
        for at in range(of[-1] + 1)
    ]
    return of, labels


def _round_step(width: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(width)) if width > 0 else 1.0
    return float(next(power * one for one in (1, 2, 5, 10) if power * one >= width * (1 - 1e-9)))


def _summed(rows: Rows, names: Mapping[str, str]) -> dict[str, int]:
    found = dict.fromkeys(dict.fromkeys(names[one] for one in rows), 0)
    for one, held in rows.items():
        found[names[one]] += held
    return found


def _released(subject: Subject, a: int, groups: Grouping) -> dict[str, int]:
    """Released cells at the level of the groups or finer, by group; coarser ones together."""
    rows, coarser = subject.applied.released_by_value(a, groups.level)
    return groups.rows(rows) | ({"shown coarser": coarser} if coarser else {})


def _starred(after: Rows, suppressed: int) -> dict[str, int]:
    if not suppressed:
        return dict(after)
    return {**after, TOP: after.get(TOP, 0) + suppressed}


def _by_interval(subject: Subject, name: str, rows: int) -> Distribution:
    """Where every class has an interval of its own there is nothing to hold it against."""
    after = subject.after(name)
    note = (
        "Each class shows the interval of its own values, so there are no groups by which before "
        "could be compared with after."
    )
    return Distribution(
        name,
        "quasi-identifier",
        "intervals of the classes",
        top_bars(None, after),
        None,
        rows,
        note,
    )
