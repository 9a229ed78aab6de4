"""An outsider's values by their size, as numbers, moments or text, so that a range is a slice."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.labels.label_parsing import Range
from lookalike.counts.level_table import TOP

Whole = NDArray[np.int64]


class Numbers:
    """Values that are numbers."""

    def __init__(self, numbers: Sequence[Decimal | None]) -> None:
        known = [(one, at) for at, one in enumerate(numbers) if one is not None]
        known.sort()
        self.keys = [one for one, _ in known]
        self.places = np.array([at for _, at in known], dtype=np.int64)

    def within(self, wanted: Range) -> Whole:
        start = 0
        if wanted.low is not None:
            start = (bisect_left if wanted.low_in else bisect_right)(self.keys, wanted.low)
        end = len(self.keys)
        if wanted.high is not None:
            end = (bisect_right if wanted.high_in else bisect_left)(self.keys, wanted.high)
        return self.places[start:end]

    def equal(self, one: Decimal) -> Whole:
        return self.within(Range(one, one))


class Moments:
    """Values that are days or moments."""

    def __init__(self, moments: Sequence[datetime | None]) -> None:
        known = [(one, at) for at, one in enumerate(moments) if one is not None]
        known.sort()
        self.keys = [one for one, _ in known]
        self.places = np.array([at for _, at in known], dtype=np.int64)

    def within(self, begin: datetime, end: datetime) -> Whole:
        return self.places[bisect_left(self.keys, begin) : bisect_right(self.keys, end)]


class Texts:
    """Values as text, from either end: ``139**`` is a slice of them."""

    def __init__(self, texts: Sequence[str | None]) -> None:
        self.known = [(one, at) for at, one in enumerate(texts) if one is not None]
        self.forward = _Side(self.known)
        self.backward: _Side | None = None

    def masked(self, label: str) -> Whole:
        """Values that it covers, where a ``*`` hides one character or none."""
        head, tail = label.rstrip(TOP), label.lstrip(TOP)
        if TOP not in head:
            return self.forward.starting(head, len(label))
        if TOP not in tail:
            if self.backward is None:
                self.backward = _Side([(one[::-1], at) for one, at in self.known])
            return self.backward.starting(tail[::-1], len(label))
        parts = re.findall(r"\*+|[^*]+", label)
        shown = "".join(f".{{0,{len(p)}}}" if p[0] == TOP else re.escape(p) for p in parts)
        form = re.compile(shown, re.DOTALL)
        return np.array([at for one, at in self.known if form.fullmatch(one)], dtype=np.int64)


class _Side:
    def __init__(self, known: Sequence[tuple[str, int]]) -> None:
        ordered = sorted(known)
        self.keys = [one for one, _ in ordered]
        self.places = np.array([at for _, at in ordered], dtype=np.int64)
        self.lengths = np.array([len(one) for one in self.keys], dtype=np.int64)

    def starting(self, head: str, longest: int) -> Whole:
        start = bisect_left(self.keys, head)
        end = bisect_right(self.keys, head, lo=start, key=lambda one: one[: len(head)])
        return self.places[start:end][self.lengths[start:end] <= longest]
