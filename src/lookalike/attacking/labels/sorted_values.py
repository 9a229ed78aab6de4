"""The values of an outsider, sorted as numbers, moments or texts, so that a range is a slice."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP

Whole = NDArray[np.int64]
Key = TypeVar("Key", Decimal, datetime, str)


class SortedValues(Generic[Key]):
    """Values that are numbers, or days and moments, or texts, sorted; and the place of each."""

    def __init__(self, values: Iterable[Key | None]) -> None:
        ordered = sorted((value, at) for at, value in enumerate(values) if value is not None)
        self.keys: list[Key] = [value for value, _ in ordered]
        self.places = np.array([at for _, at in ordered], dtype=np.int64)

    def within(
        self, low: Key | None, high: Key | None, low_in: bool = True, high_in: bool = True
    ) -> Whole:
        """The places of the values from ``low`` to ``high``; None is unbounded."""
        start, end = 0, len(self.keys)
        if low is not None:
            start = (bisect_left if low_in else bisect_right)(self.keys, low)
        if high is not None:
            end = (bisect_right if high_in else bisect_left)(self.keys, high)
        return self.places[start:end]


class Texts:
    """Values as texts, sorted from either end: ``139**`` is a slice of them."""

    def __init__(self, texts: Sequence[str | None]) -> None:
        self.texts = texts

    def masked(self, label: str) -> Whole:
        """The values that a label covers, where a ``*`` hides one character or none."""
        head, tail = label.rstrip(TOP), label.lstrip(TOP)
        if TOP not in head:
            return self._forward.starting(head, len(label))
        if TOP not in tail:
            return self._backward.starting(tail[::-1], len(label))
        parts = re.findall(r"\*+|[^*]+", label)
        shown = "".join(f".{{0,{len(p)}}}" if p[0] == TOP else re.escape(p) for p in parts)
        form = re.compile(shown, re.DOTALL)
        fits = [text is not None and form.fullmatch(text) is not None for text in self.texts]
        return np.flatnonzero(fits)

    @cached_property
    def _forward(self) -> _Side:
        return _Side(self.texts)

    @cached_property
    def _backward(self) -> _Side:
        return _Side(None if text is None else text[::-1] for text in self.texts)


class _Side(SortedValues[str]):
    """Texts sorted from their start."""

    def starting(self, head: str, longest: int) -> Whole:
        """The places of the texts that start with ``head`` and are not too long."""
        start = bisect_left(self.keys, head)
        end = bisect_right(self.keys, head, lo=start, key=lambda text: text[: len(head)])
        return self.places[start:end][self._lengths[start:end] <= longest]

    @cached_property
    def _lengths(self) -> Whole:
        return np.array(list(map(len, self.keys)), dtype=np.int64)
