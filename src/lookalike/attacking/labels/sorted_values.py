"""The values of an outsider, sorted as numbers, moments or texts, so that a range is a slice."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.labels.label_parsing import Range
from lookalike.counts.level_table import TOP

Whole = NDArray[np.int64]
Key = TypeVar("Key", Decimal, datetime, str)


class Numbers:
    """Values that are numbers, sorted."""

    def __init__(self, numbers: Sequence[Decimal | None]) -> None:
        self.keys, self.places = _sorted(
            (number, at) for at, number in enumerate(numbers) if number is not None
        )

    def within(self, wanted: Range) -> Whole:
        """The places of the numbers in a range."""
        start = 0
        if wanted.low is not None:
            start = (bisect_left if wanted.low_in else bisect_right)(self.keys, wanted.low)
        end = len(self.keys)
        if wanted.high is not None:
            end = (bisect_right if wanted.high_in else bisect_left)(self.keys, wanted.high)
        return self.places[start:end]

    def equal(self, number: Decimal) -> Whole:
        """The places of a number."""
        return self.within(Range(number, number))


class Moments:
    """Values that are days or moments, sorted."""

    def __init__(self, moments: Sequence[datetime | None]) -> None:
        self.keys, self.places = _sorted(
            (moment, at) for at, moment in enumerate(moments) if moment is not None
        )

    def within(self, begin: datetime, end: datetime) -> Whole:
        """The places of the moments from one to another."""
        return self.places[bisect_left(self.keys, begin) : bisect_right(self.keys, end)]


class Texts:
    """Values as texts, sorted from either end: ``139**`` is a slice of them."""

    def __init__(self, texts: Sequence[str | None]) -> None:
        self.known = [(text, at) for at, text in enumerate(texts) if text is not None]
        self.forward = _Side(self.known)
        self.backward: _Side | None = None

    def masked(self, label: str) -> Whole:
        """The values that a label covers, where a ``*`` hides one character or none."""
        head, tail = label.rstrip(TOP), label.lstrip(TOP)
        if TOP not in head:
            return self.forward.starting(head, len(label))
        if TOP not in tail:
            if self.backward is None:
                self.backward = _Side([(text[::-1], at) for text, at in self.known])
            return self.backward.starting(tail[::-1], len(label))
        parts = re.findall(r"\*+|[^*]+", label)
        shown = "".join(f".{{0,{len(p)}}}" if p[0] == TOP else re.escape(p) for p in parts)
        form = re.compile(shown, re.DOTALL)
        return np.array([at for text, at in self.known if form.fullmatch(text)], dtype=np.int64)


class _Side:
    """Texts sorted from their start."""

    def __init__(self, known: Sequence[tuple[str, int]]) -> None:
        self.keys, self.places = _sorted(known)
        self.lengths = np.array(list(map(len, self.keys)), dtype=np.int64)

    def starting(self, head: str, longest: int) -> Whole:
        """The places of the texts that start with ``head`` and are not too long."""
        start = bisect_left(self.keys, head)
        end = bisect_right(self.keys, head, lo=start, key=lambda text: text[: len(head)])
        return self.places[start:end][self.lengths[start:end] <= longest]


def _sorted(pairs: Iterable[tuple[Key, int]]) -> tuple[list[Key], Whole]:
    """The values in their order, and the place of each."""
    ordered = sorted(pairs)
    places = np.array([at for _, at in ordered], dtype=np.int64)
    return [value for value, _ in ordered], places
