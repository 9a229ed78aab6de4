"""Axes with fixed ends, so that it is known where a value will be drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import altair as alt

NUMBER_FORMAT = ",.12~r"  # all significant digits; by default Vega rounds 3,016 to 3,000


@dataclass(frozen=True, slots=True)
class AxisScale:
    """From values to pixels and back."""

    low: float
    high: float
    length: int  # pixels
    log: bool

    def pixel(self, value: float) -> float:
        low, high = self._transformed(self.low), self._transformed(self.high)
        return (self._transformed(value) - low) / (high - low) * self.length

    def value(self, pixel: float) -> float:
        low, high = self._transformed(self.low), self._transformed(self.high)
        transformed = low + pixel / self.length * (high - low)
        return float(10**transformed) if self.log else transformed

    def _transformed(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def scale(self) -> alt.Scale:
        kind: Literal["log", "linear"] = "log" if self.log else "linear"
        return alt.Scale(type=kind, domain=[self.low, self.high], nice=False)

    def ticks(self) -> alt.Axis:
        if not self.log:
            return alt.Axis(tickCount=6, format=NUMBER_FORMAT)
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        steps = (1, 2, 5) if last - first <= 4 else (1,)
        values = [step * 10.0**power for power, step in product(range(first, last + 1), steps)]
        inside = [value for value in values if self.low <= value <= self.high]
        return alt.Axis(values=inside, format=NUMBER_FORMAT)


def linear_axis(values: Sequence[float], length: int) -> AxisScale:
    """With a margin at both ends, but not below 0 unless a value is."""
    low, high = min(values), max(values)
    margin = 0.1 * ((high - low) or abs(high) or 1.0)
    lowest = max(0.0, low - margin) if low >= 0 else low - margin
    return AxisScale(lowest, high + margin, length, log=False)


def log_axis(values: Sequence[float], length: int) -> AxisScale:
    """At least a power of ten, so that small differences of measured times do not look large."""
    low, high = math.log10(min(values)), math.log10(max(values))
    margin = max(0.08 * (high - low), (1 - (high - low)) / 2)
    return AxisScale(10 ** (low - margin), 10 ** (high + margin), length, log=True)
