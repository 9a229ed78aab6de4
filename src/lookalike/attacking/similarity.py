"""Similarity: the values of a class differ, but are so near each other that they reveal enough.

Li, Li and Venkatasubramanian 2007, section 3.1. A class with gastritis, a gastric ulcer and stomach
cancer is 3-diverse, and reveals that everybody in it has a stomach problem. Values are near each
other if they share a group of a hierarchy of the sensitive column, or if they are numbers or dates
in a narrow range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

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
from lookalike.counts.level_table import Value
from lookalike.counts.sensitive_spread import tally
from lookalike.errors import LookalikeError
from lookalike.policy.hierarchies.number_reading import floats
from lookalike.policy.policy import Policy
from lookalike.privacy.ground_distance import Hierarchical, Tabulates
from lookalike.privacy.t_closeness import TCloseness
from lookalike.problem.sensitive_texts import text_histogram

NARROW_SHARE = 0.25  # of the range of all released numbers
ASSUMED = (
    "The attacker knows the quasi-identifiers of a person who is in the release.",
    "The attacker knows which sensitive values are near each other.",
)

Floats = NDArray[np.float64]


class Nearness(NamedTuple):
    """One way in which values are near: the best group of each class, and of the whole release."""

    share: Floats  # (classes,) of the rows of the class that are in its largest group
    known: float  # of the rows of the release that are in its largest group


@dataclass(frozen=True, slots=True)
class SimilarColumn(ColumnFinding):
    """One sensitive column; the attacker guesses a group of values, not a value.

    The published rate is that of the largest group of the release.
    """

    by: str = ""  # "groups" of a hierarchy, or a "range"
    diverse: int = 0  # people whose group is certain though their class has several values


@dataclass(frozen=True, slots=True)
class SimilarityFindings(AttackFindings):
    """The similarity of the values of each sensitive column."""

    columns: tuple[SimilarColumn, ...] = field(default=())

    def column_sentence(self, column: ColumnFinding) -> str:
        assert isinstance(column, SimilarColumn)
        what = "a narrow range" if column.by == "range" else "a group of similar values"
        if not column.improved:
            return f"{column.column}: no class shows more of {what} than the whole release does."
        return (
            f"{column.column}: {what} is certain for {people(column.certain, column.rows)}; "
            f"{column.diverse:,} of them are in classes with several values. It is more likely "
            f"than in the whole release for {people(column.improved, column.rows)}, with a chance "
            f"of up to {percent(column.largest_posterior)}."
        )


def attack_by_similarity(
    view: ReleaseView,
    *,
    sensitive: Sequence[str] | None = None,
    hierarchies: Mapping[str, Tabulates] | None = None,
    narrow: float = NARROW_SHARE,
) -> SimilarityFindings:
    """Look for classes whose values have a common group, or lie in a narrow range.

    Parameters
    ----------
    view : ReleaseView
        The release as an attacker sees it.
    sensitive : sequence of str, optional
        The columns to attack; by default all whose values the view has.
    hierarchies : dict from column to hierarchy, optional
        Which values of a sensitive column are near each other. Without it, the tree of a
        t-closeness requirement is used; columns without a tree are read as numbers or dates.
    narrow : float
        A range of numbers is narrow if it is at most this share of the range of all of them.

    Returns
    -------
    SimilarityFindings

    Raises
    ------
    ValueError
        If ``narrow`` is not from 0 up to, but not including, 1.
    """
    if not 0 <= narrow < 1:
        raise ValueError(f"narrow is {narrow:g}; it must be 0 or more and below 1")
    names = tuple(view.sensitive if sensitive is None else sensitive)
    trees = {**_required_trees(view.policy), **(hierarchies or {})}
    columns, unexamined = [], []
    for name in names:
        histogram = text_histogram(view.sensitive[name])
        try:
            near = list(_nearness(view, histogram, trees.get(name), narrow))
        except LookalikeError:
            near = []
            unexamined.append(f"{name}: its hierarchy does not have all released values.")
        else:
            if not near:
                unexamined.append(
                    f"{name}: not examined for similarity; give a hierarchy that says which values "
                    "are near each other."
                )
        if near:
            by = "groups" if name in trees else "range"
            columns.append(_column(view, name, histogram, near, by))
    return SimilarityFindings("similarity", ASSUMED, tuple(columns), tuple(unexamined))


def _required_trees(policy: Policy) -> dict[str, Tabulates]:
    """The trees by which the policy itself measures how far values are apart."""
    return {
        rule.column: rule.distance.tree
        for rule in policy.require
        if isinstance(rule, TCloseness) and isinstance(rule.distance, Hierarchical)
    }


def _column(
    view: ReleaseView, name: str, histogram: Histogram, near: Sequence[Nearness], by: str
) -> SimilarColumn:
    gains = np.stack([one.share - one.known for one in near])  # (ways, classes)
    way = gains.argmax(axis=0)
    several = np.bincount(histogram.group, minlength=view.classes) > 1
    findings, diverse = [], 0
    for at in np.flatnonzero(gains.max(axis=0) > EQUAL).tolist():
        size = int(view.rows[at])
        certain = any(one.share[at] >= 1 and one.known < 1 for one in near)
        diverse += size if certain and several[at] else 0
        share, known = float(near[way[at]].share[at]), near[way[at]].known
        labels = class_labels(view, at)
        findings.append(ClassFinding(size, size if certain else 0, size, known, share, labels))
    rows = int(view.rows.sum())
    return SimilarColumn.total(name, rows, view.classes, findings, by=by, diverse=diverse)


def _nearness(
    view: ReleaseView, histogram: Histogram, tree: Tabulates | None, narrow: float
) -> Iterator[Nearness]:
    """Every way in which the values are near: each level of the tree, or one range."""
    if tree is not None:
        codes = tree.tabulate("", histogram.values).codes
        for level in range(1, codes.shape[1]):
            if len(np.unique(codes[:, level])) > 1:  # a group of all values tells nothing
                yield _by_group(view, histogram, codes[:, level].astype(np.int64))
        return
    numbers = _numbers(histogram.values)
    if numbers is not None and np.nanmax(numbers) > np.nanmin(numbers):
        yield _by_range(view, histogram, numbers, narrow)


def _by_group(view: ReleaseView, histogram: Histogram, group: NDArray[np.int64]) -> Nearness:
    groups = int(group.max()) + 1
    of, _, rows = tally(
        histogram.group, group[histogram.code], histogram.count, view.classes, groups
    )
    largest = np.zeros(view.classes, dtype=np.int64)
    np.maximum.at(largest, of, rows)
    total = np.bincount(group[histogram.code], histogram.count, groups)
    return Nearness(largest / view.rows, float(total.max() / total.sum()))


def _by_range(view: ReleaseView, histogram: Histogram, numbers: Floats, narrow: float) -> Nearness:
    width = narrow * float(np.nanmax(numbers) - np.nanmin(numbers)) * (1 + EQUAL)
    value = numbers[histogram.code]
    order = np.lexsort([value, histogram.group])
    order = order[~np.isnan(value[order])]  # a null is near nothing
    start = np.searchsorted(histogram.group[order], np.arange(view.classes + 1))
    value, rows = value[order], histogram.count[order]
    largest = [
        _most_within(value[first:end], rows[first:end], width)
        for first, end in zip(start[:-1].tolist(), start[1:].tolist(), strict=True)
    ]
    whole = np.argsort(value, kind="stable")
    known = _most_within(value[whole], rows[whole], width)
    return Nearness(np.array(largest) / view.rows, known / int(histogram.count.sum()))


def _most_within(value: Floats, rows: NDArray[np.int64], width: float) -> int:
    """The most rows in a range of this width; values ascend."""
    if not len(value):
        return 0
    behind = np.concatenate([[0], np.cumsum(rows)])
    end = np.searchsorted(value, value + width, side="right")
    return int((behind[end] - behind[:-1]).max())


def _numbers(values: Sequence[Value]) -> Floats | None:
    """The values as numbers, dates as days, nulls as NaN; None if they are neither."""
    cells = [str(value) for value in values if value is not None]
    read = floats(cells)
    if read is None:
        days = list(map(_day, cells))
        read = None if None in days else [float(day) for day in days if day is not None]
    if not read or not np.isfinite(read).all():
        return None
    known = iter(read)
    return np.array([np.nan if value is None else next(known) for value in values])


def _day(cell: str) -> int | None:
    try:
        return date.fromisoformat(cell.strip()[:10]).toordinal()
    except ValueError:
        return None
