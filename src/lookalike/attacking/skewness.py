"""Skewness: in some classes, a value is far more frequent than in the whole release.

Li, Li and Venkatasubramanian 2007, section 3.1. A class with several values may still reveal a
lot: if one percent of all people are positive, and half of a class, then everybody in the class
has a chance of one half. The attacker only needs the release, and to know in which class a person
is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.attack_findings import (
    EQUAL,
    AttackFindings,
    ClassFinding,
    ColumnFinding,
    class_labels,
    people,
    percent,
)
from lookalike.attacking.release_view import ReleaseView
from lookalike.counts.frequency_set import Histogram
from lookalike.problem.sensitive_texts import text_histogram

ASSUMED = ("The attacker knows the quasi-identifiers of a person who is in the release.",)


@dataclass(frozen=True, slots=True)
class SkewedColumn(ColumnFinding):
    """One sensitive column; here the published rate is the rate in the whole release."""

    largest_ratio: float = 1.0  # rate in a class : rate in the release
    value_gain: float = 0.0  # rate of any value in a class − its rate in the release
    doubled: int = 0  # people with a value at least twice as frequent as in the release
    nearly_sure: int = 0  # people with a value whose rate is above 0.9, and above the release's


@dataclass(frozen=True, slots=True)
class SkewnessFindings(AttackFindings):
    """The skewness of each sensitive column."""

    columns: tuple[SkewedColumn, ...] = field(default=())

    def column_sentence(self, column: ColumnFinding) -> str:
        assert isinstance(column, SkewedColumn)
        if column.value_gain <= EQUAL:
            return f"{column.column}: every class has the same rates as the whole release."
        return (
            f"{column.column}: a value is up to {column.largest_ratio:.3g} times as frequent in a "
            f"class as in the whole release; the best guess is right more often than for the whole "
            f"release for {people(column.improved, column.rows)}, with a chance of up to "
            f"{percent(column.largest_posterior)}; a value is at least twice as likely for "
            f"{people(column.doubled, column.rows)}, and certain for "
            f"{people(column.certain, column.rows)}."
        )


def attack_by_skewness(
    view: ReleaseView, *, sensitive: Sequence[str] | None = None
) -> SkewnessFindings:
    """Compare the rates of each class with those of the whole release.

    Parameters
    ----------
    view : ReleaseView
        The release as an attacker sees it.
    sensitive : sequence of str, optional
        The columns to attack; by default all whose values the view has.

    Returns
    -------
    SkewnessFindings
        The best guess about a person is compared with the most frequent value of the release.
    """
    names = tuple(view.sensitive if sensitive is None else sensitive)
    columns = tuple(_column(view, name, text_histogram(view.sensitive[name])) for name in names)
    return SkewnessFindings("skewness", ASSUMED, columns)


def _column(view: ReleaseView, name: str, histogram: Histogram) -> SkewedColumn:
    of, code, rows = histogram.group, histogram.code, histogram.count
    size = view.rows[of]  # of the class of each entry
    total = np.bincount(code, rows, len(histogram.values)).astype(np.int64)
    released = int(view.rows.sum())
    rate, known = rows / size, total[code] / max(1, released)
    best = np.zeros(view.classes)
    np.maximum.at(best, of, rate)
    published = float(total.max(initial=0) / max(1, released))
    findings = [
        _class(view, at, float(best[at]), published)
        for at in np.flatnonzero(best > published + EQUAL).tolist()
    ]
    return SkewedColumn.total(
        name,
        released,
        view.classes,
        findings,
        largest_ratio=float((rate / known).max(initial=1.0)),
        value_gain=float((rate - known).max(initial=0.0)),
        doubled=_rows(view, of, rows * released >= 2 * total[code] * size),  # without rounding
        nearly_sure=_rows(
            view, of, (10 * rows > 9 * size) & (rows * released > total[code] * size)
        ),
    )


def _class(view: ReleaseView, at: int, best: float, published: float) -> ClassFinding:
    size = int(view.rows[at])
    certain = size if best >= 1 else 0
    return ClassFinding(size, certain, size, published, best, class_labels(view, at))


def _rows(view: ReleaseView, of: NDArray[np.int64], flagged: NDArray[np.bool_]) -> int:
    """The rows of the classes with a flagged entry."""
    return int(view.rows[np.unique(of[flagged])].sum())
