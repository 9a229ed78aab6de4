"""Find which values of an outsider a released label covers.

The text of the label shows it, or the policy's hierarchy. A label that neither can explain covers
nobody and is reported as not understood: it makes the attack look weaker than it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, time
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.labels.declared_names import declared_names
from lookalike.attacking.labels.label_parsing import (
    NOT_MISSING,
    OR_MISSING,
    bare,
    list_ends,
    list_items,
    number_range,
    texts,
    time_range,
)
from lookalike.attacking.labels.sorted_values import SortedValues, Texts
from lookalike.counts.level_table import TOP, Value
from lookalike.policy.hierarchies.bands import Bands
from lookalike.policy.hierarchies.date_reading import SHAPES, read_days
from lookalike.policy.hierarchies.dates import Dates
from lookalike.policy.hierarchies.flat import Flat
from lookalike.policy.hierarchies.number_reading import number
from lookalike.policy.hierarchies.ordered import Ordered
from lookalike.policy.hierarchies.prefix import Prefix
from lookalike.policy.hierarchies.tree import Tree
from lookalike.policy.hierarchy import Hierarchy

Whole = NDArray[np.int64]
NOBODY = np.zeros(0, dtype=np.int64)
Covered = tuple[Whole, bool]  # places among the values, and whether the label was understood
_CODE = re.compile(r"0\d+")  # 02139 is a code, not the number 2139
_EXACT = (Flat, Tree, Ordered)  # only their own names have a meaning


class LabelReader:
    """Reads the released labels of cell column, for the values of an outsider's column."""

    def __init__(
        self,
        name: str,
        values: Sequence[Value],
        labels: Sequence[Value],
        hierarchy: Hierarchy | None = None,
    ) -> None:
        self.name, self.values, self.hierarchy = name, values, hierarchy
        self.texts, self.labels = texts(values), texts(labels)
        self.nulls = np.array([at for at, cell in enumerate(self.texts) if cell is None], np.int64)
        self.names = declared_names(name, hierarchy, values, self.texts)
        self.by_text: dict[str, list[int]] = {}
        for at, cell in enumerate(self.texts):
            if cell is not None:
                self.by_text.setdefault(cell, []).append(at)

    def read(self, label: str | None) -> Covered:
        """The values that a label covers."""
        if label is None:
            return self.nulls, True
        if label == TOP:
            return np.arange(len(self.values)), True
        places, known = self._named(label)
        if known:
            return places, True
        inside = bare(label)
        if inside == TOP:
            return self._equal(TOP), True
        if inside.endswith(OR_MISSING):
            places, known = self._phrase(bare(inside.removesuffix(OR_MISSING)))
            return np.union1d(self.nulls, places), known
        return self._phrase(inside)

    def unread(self) -> int:
        """Values other than null that are not in the policy's hierarchy."""
        if self.names is not None:
            return self.names.unknown - len(self.nulls)
        if isinstance(self.hierarchy, Dates):
            return len(self.values) - len(self.nulls) - len(self._moments.keys)
        if isinstance(self.hierarchy, Bands):
            return len(self.values) - len(self.nulls) - len(self._numbers.keys)
        return 0

    def _phrase(self, label: str) -> Covered:
        places, known = self._named(label)
        if known:
            return places, True
        if label == NOT_MISSING:
            return np.setdiff1d(np.arange(len(self.values)), self.nulls), True
        if (ends := list_ends(label)) is not None:
            return self._between(*ends)
        if (items := list_items(label)) is not None:
            parts = [self._phrase(item) for item in items]
            return np.unique(np.concatenate([p for p, _ in parts])), all(k for _, k in parts)
        return self._by_form(label)

    def _named(self, label: str) -> Covered:
        """A value, or the name of a group of the hierarchy."""
        places = self._equal(label)
        group = self.names.covered(label) if self.names is not None else None
        if group is not None:
            return np.union1d(places, group), True
        return places, len(places) > 0

    def _equal(self, label: str) -> Whole:
        """Values with the same text, or the same number."""
        same = np.array(self.by_text.get(label, ()), dtype=np.int64)
        if isinstance(self.hierarchy, Tree | Ordered):
            return same
        read = number(label)
        if read is None or (len(same) and self._codes):
            return same
        return np.union1d(same, self._numbers.within(read, read))

    def _by_form(self, label: str) -> Covered:
        if isinstance(self.hierarchy, _EXACT):
            return NOBODY, isinstance(self.hierarchy, Flat)  # the outsider does not have it
        places, known = NOBODY, False
        for read in (self._as_number, self._as_time, self._as_mask):
            more = read(label)
            if more is not None:
                places, known = np.union1d(places, more), True
        return places, known or isinstance(self.hierarchy, Prefix)

    def _as_number(self, label: str) -> Whole | None:
        if isinstance(self.hierarchy, Dates | Prefix) or not self._numbers.keys:
            return None
        if number(label) is not None:
            return NOBODY  # a value that the outsider does not have
        wanted = number_range(label)
        if wanted is None:
            return None
        if wanted.low is not None and wanted.high is not None and wanted.low > wanted.high:
            return None  # ``1964-03`` is not a range of numbers
        return self._numbers.within(*wanted)

    def _as_time(self, label: str) -> Whole | None:
        if isinstance(self.hierarchy, Bands | Prefix) or not self._moments.keys:
            return None
        moment = self._label_days.get(label)
        if moment is not None:
            whole_day = moment.time() == time.min
            last = datetime.combine(moment.date(), time.max) if whole_day else moment
            return self._moments.within(moment, last)
        wanted = time_range(label)
        return None if wanted is None else self._moments.within(*wanted)

    def _as_mask(self, label: str) -> Whole | None:
        if isinstance(self.hierarchy, Bands | Dates) or TOP not in label:
            return None
        return self._sorted_texts.masked(label)

    def _between(self, first: str, last: str) -> Covered:
        """The values from one to another in the order of the column, if that is known."""
        if self.names is not None:
            places = self.names.between(first, last)
            return (NOBODY, False) if places is None else (places, True)
        low, high = number(first), number(last)
        if low is not None and high is not None and self._numbers.keys:
            return self._numbers.within(low, high), True
        begin, end = time_range(first), time_range(last)
        if begin is not None and end is not None and self._moments.keys:
            return self._moments.within(begin[0], end[1]), True
        return NOBODY, False

    @cached_property
    def _codes(self) -> bool:
        """Are there leading zeros, so that equal numbers may be different values?"""
        return any(
            _CODE.fullmatch(cell) for cell in (*self.texts, *self.labels) if cell is not None
        )

    @cached_property
    def _numbers(self) -> SortedValues[Decimal]:
        return SortedValues(None if cell is None else number(cell) for cell in self.texts)

    @cached_property
    def _sorted_texts(self) -> Texts:
        return Texts(self.texts)

    @cached_property
    def _moments(self) -> SortedValues[datetime]:
        """Read as the hierarchy does, or in the one format that fits the whole column."""
        if isinstance(self.hierarchy, Dates):
            read, faults = read_days(self.name, self.values, self.hierarchy.format)
            if faults and self.hierarchy.format is not None:
                other, faults = read_days(self.name, self.values, None)  # the outsider's own format
                read = read if faults else other
            return SortedValues(read)
        read, faults = read_days(self.name, self.values, None)
        return SortedValues([] if faults else read)

    @cached_property
    def _label_days(self) -> dict[str, datetime]:
        """Labels that are dates, perhaps in another format than the outsider's."""
        pattern = self.hierarchy.format if isinstance(self.hierarchy, Dates) else None
        labels = [cell for cell in self.labels if cell is not None]
        days: dict[str, datetime] = {}
        if pattern is not None:
            for cell in labels:
                read, _ = read_days(self.name, [cell], pattern)
                if read[0] is not None:
                    days[cell] = read[0]
        shapes = SHAPES.values()
        rest = [cell for cell in labels if any(form.fullmatch(cell.strip()) for form in shapes)]
        rest = [cell for cell in rest if cell not in days]
        read, faults = read_days(self.name, rest, None)
        if not faults:
            days |= {cell: at for cell, at in zip(rest, read, strict=True) if at is not None}
        return days
