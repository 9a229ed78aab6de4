"""How many rows have each value of a column, before and after: the bars of small charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from lookalike.counts.level_table import TOP
from lookalike.policy.hierarchies.number_reading import number
from lookalike.report.facts.value_groups import grouping
from lookalike.report.number_format import MISSING, plural
from lookalike.report.subject import Subject

MAX_BARS = 10  # of a chart; further values are one bar together
BINS = 8  # for numbers with more values than bars
COARSER = "less precise"  # cells above the level of the bars
INTERVALS = (
    "Each equivalence class shows the interval of its own values, so the values before and after "
    "cannot be compared."
)

Rows = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Bar:
    """Rows with a value, or with several values; ``before`` is None where it is not known."""

    label: str
    before: int | None
    after: int
    pooled: bool = False  # several values together


@dataclass(frozen=True, slots=True)
class Distribution:
    """The bars of a column, which has ``before`` rows and ``after`` rows."""

    column: str
    role: str
    words: str  # what a bar is: unchanged values, a level of the hierarchy, bins …
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


class Bins(NamedTuple):
    """Rows by bin."""

    words: str
    before: Rows
    after: Rows
    order: list[str] | None


def distributions(subject: Subject) -> tuple[Distribution, ...]:
    """Quasi-identifiers by the groups of the release, then the kept columns by value."""
    rows, released = subject.problem.rows, subject.released.rows()
    names = enumerate(subject.problem.names)
    columns = [_quasi_identifier(subject, a, name, released) for a, name in names]
    for name in subject.counted_columns:
        role = "sensitive" if name in subject.policy.sensitive else "insensitive"
        bins = in_bins(subject.before(name), subject.after(name))
        bars = top_bars(bins.before, bins.after, bins.order)
        columns.append(Distribution(name, role, bins.words, bars, rows, released))
    return tuple(columns)


def _quasi_identifier(subject: Subject, a: int, name: str, released: int) -> Distribution:
    role = "quasi-identifier"
    if name in subject.policy.interval_columns:
        bars = top_bars(None, subject.after(name))
        return Distribution(name, role, "intervals of classes", bars, None, released, INTERVALS)
    groups = grouping(subject, a)
    before = groups.rows(subject.problem.counts.marginal(a))
    after: Rows = {}
    if not subject.problem.holds_all_tuples:
        after = subject.after(name)
    else:
        by_value, coarser = subject.applied.released_by_value(a, groups.level)
        after = groups.rows(by_value) | ({COARSER: coarser} if coarser else {})
        if subject.starred and subject.solution.suppressed:
            after = {**after, TOP: after.get(TOP, 0) + subject.solution.suppressed}
    bars = top_bars(before, after, list(groups.labels) if groups.ordered else None)
    return Distribution(name, role, groups.words, bars, subject.problem.rows, released)


def top_bars(
    before: Rows | None, after: Rows, order: Sequence[str] | None = None
) -> tuple[Bar, ...]:
    """The most frequent values, in their ``order`` or by frequency, and a bar for the others.

    A single other value has its own bar, which takes the same space.
    """
    known = before if before is not None else after
    labels = list(dict.fromkeys([*known, *after]))
    frequent = sorted(labels, key=lambda value: (-known.get(value, 0), -after.get(value, 0), value))
    top = frequent if len(frequent) <= MAX_BARS + 1 else frequent[:MAX_BARS]
    rest = frequent[len(top) :]
    if order is not None:
        place = {label: number for number, label in enumerate(order)}
        top = sorted(top, key=lambda value: place.get(value, len(place)))

    def bar(label: str, values: Sequence[str], pooled: bool = False) -> Bar:
        held = None if before is None else sum(before.get(value, 0) for value in values)
        return Bar(label, held, sum(after.get(value, 0) for value in values), pooled)

    others = [bar(plural(len(rest), "other value"), rest, pooled=True)] if rest else []
    return (*(bar(value, [value]) for value in top), *others)


def in_bins(before: Rows, after: Rows) -> Bins:
    """Many numbers in a few bins of equal width; anything else unchanged."""
    known = [value for value in {**before, **after} if value != MISSING]
    sizes = {value: number(value) for value in known}
    if not known or not all(_fits_float(size) for size in sizes.values()):
        return Bins("unchanged", before, after, None)
    rising = sorted(known, key=lambda value: sizes[value] or 0)
    if len(known) <= MAX_BARS + 1:
        return Bins("unchanged", before, after, [*rising, MISSING])
    bins, labels = _bins([float(sizes[value] or 0) for value in rising])
    label_of = {value: labels[at] for value, at in zip(rising, bins, strict=True)}
    label_of[MISSING] = MISSING
    before, after = _rows_by_label(before, label_of), _rows_by_label(after, label_of)
    return Bins("in bins of equal width", before, after, [*labels, MISSING])


def _fits_float(size: Decimal | None) -> bool:
    """Can bins of this number be computed in floats?"""
    return size is not None and size.is_finite() and (not size or -12 <= size.adjusted() <= 15)


def _bins(rising: Sequence[float]) -> tuple[list[int], list[str]]:
    """The bin of each number, and the labels of the bins."""
    low, high = rising[0], rising[-1]
    step = _round_step((high - low) / BINS)
    start = float(np.floor(low / step) * step)
    bins = [max(0, int((value - start) / step + 1e-9)) for value in rising]
    labels = [
        f"{start + at * step:,.10g} to under {start + (at + 1) * step:,.10g}"
        for at in range(bins[-1] + 1)
    ]
    return bins, labels


def _round_step(width: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(width)) if width > 0 else 1.0
    return float(next(power * step for step in (1, 2, 5, 10) if power * step >= width * (1 - 1e-9)))


def _rows_by_label(rows: Rows, label_of: Mapping[str, str]) -> dict[str, int]:
    by_label: Counter[str] = Counter()
    for value, held in rows.items():
        by_label[label_of[value]] += held
    return by_label
