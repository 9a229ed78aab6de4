"""Bands: numbers in half-open intervals such as ``[20, 25)``, each made of narrower ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from lookalike.counts.level_table import LevelTable, Value
from lookalike.errors import Fault, PolicyError
from lookalike.policy.hierarchies.level_builder import (
    Rung,
    by_rank,
    climb,
    level_name,
    missing,
    values_fault,
)
from lookalike.policy.hierarchies.number_reading import (
    has_decimal_comma,
    number,
    plain,
    toml_number,
    within_range,
)
from lookalike.policy.hierarchy import Hierarchy, read_list


@dataclass(frozen=True, slots=True)
class Bands(Hierarchy):
    """Levels: the value, one level for each width, ``*``. ``[20, 25)`` contains 20 and not 25.

    Bands start at ``start`` and continue in both directions. A value is the decimal number that is
    printed for it, and all arithmetic is exact, so 0.3 is in ``[0.3, 0.4)``.
    """

    widths: tuple[Decimal, ...]
    start: Decimal = Decimal(0)

    name = "bands"
    options = ("start",)
    example = "[5, 10, 20]"

    def __post_init__(self) -> None:
        faults = _width_faults(self.widths)
        if not within_range(self.start):
            faults.append(Fault("start", "not finite", "give the edge of a band, for example 0"))
        if faults:
            raise PolicyError(faults)

    @property
    def by_value(self) -> bool:
        return True

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        numbers = _read(name, values)
        grid = _Grid.of(self.start, self.widths)
        keys = [None if number is None else grid.first_band(number) for number in numbers]
        return climb(name, values, keys, grid.rungs(), order=by_rank(numbers))

    def describe(self, level: int) -> str:
        return level_name(level, [f"bands of {plain(width)}" for width in self.widths])

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], base: Path) -> Hierarchy:
        return bands(*read_list(spec, "bands", cls.example), start=spec.get("start", 0))

    def to_dict(self) -> Mapping[str, object]:
        written: dict[str, object] = {"bands": [toml_number(width) for width in self.widths]}
        if self.start:
            written["start"] = toml_number(self.start)
        return written


def bands(*widths: float | Decimal | str, start: float | Decimal | str = 0) -> Bands:
    """A hierarchy of number ranges: 23, [20, 25), [20, 30), [20, 40), ``*``.

    Parameters
    ----------
    *widths : int, float, Decimal or str
        The width of the bands at each level. Each is a multiple of the one before.
    start : int, float, Decimal or str
        The edge of a band.

    Returns
    -------
    Hierarchy
        It takes ints, floats, Decimals and numeric text.

    Raises
    ------
    PolicyError
        If a width or ``start`` is not a number, or the widths do not nest.

    Examples
    --------
    >>> import lookalike as la
    >>> ages = la.bands(5, 10, 20)
    >>> ages.describe(2)
    'bands of 10'
    >>> [labels[0] for labels in ages.tabulate("age", [23]).labels]
    ['23', '[20, 25)', '[20, 30)', '[20, 40)', '*']
    """
    decimals = [number(width) for width in widths]
    origin = number(start)
    faults = []
    if None in decimals:
        fix = "give widths, for example 5, 10, 20"
        faults.append(Fault("bands", "a width is not a number", fix))
    if origin is None:
        faults.append(Fault("start", "not a number", "give the edge of a band, for example 0"))
    if faults or origin is None:
        raise PolicyError(faults)
    return Bands(tuple(width for width in decimals if width is not None), origin)


def _width_faults(widths: Sequence[Decimal]) -> list[Fault]:
    fix = "make each width a multiple of the one before, for example 5, 10, 20"
    if not widths:
        return [Fault("bands", "no width is given", fix)]
    if not all(within_range(width) and width > 0 for width in widths):
        return [Fault("bands", "a width is not a finite number above 0", fix)]
    return [
        Fault(
            "bands",
            f"{plain(wide)} is not a larger multiple of {plain(narrow)}, the width before it, "
            "so a band would split a narrower one",
            fix,
        )
        for narrow, wide in pairwise(widths)
        if wide <= narrow or (Fraction(wide) / Fraction(narrow)).denominator != 1
    ]


def _read(name: str, values: Sequence[Value]) -> list[Decimal | None]:
    numbers = [None if missing(value) else number(value) for value in values]
    read = list(zip(values, numbers, strict=True))
    not_numeric = [value for value, n in read if n is None and not missing(value)]
    out_of_range = [value for value, n in read if n is not None and not within_range(n)]
    faults = []
    if not_numeric:
        faults.append(values_fault(name, not_numeric, "not numeric", _fix(not_numeric)))
    if out_of_range:
        fix = "clean them, or make them null"
        faults.append(values_fault(name, out_of_range, "infinite or too large", fix))
    if faults:
        raise PolicyError(faults)
    return numbers


def _fix(not_numeric: Sequence[Value]) -> str:
    clean = "clean them, or use tree, ordered or flat"
    commas = sum(map(has_decimal_comma, not_numeric))
    if not commas:
        return clean
    point = "write decimals with a point (1.5) and no thousands separator"
    return point if commas == len(not_numeric) else f"{point}; the others: {clean}"


@dataclass(frozen=True, slots=True)
class _Grid:
    """The edges of the bands as whole numbers of 1 / ``scale``, a power of 10."""

    scale: int
    origin: int  # start · scale
    steps: tuple[int, ...]  # widths · scale

    @classmethod
    def of(cls, start: Decimal, widths: Sequence[Decimal]) -> _Grid:
        digits = max(len(plain(edge).partition(".")[2]) for edge in (start, *widths))
        scale = 10**digits
        origin, *steps = (int(Fraction(edge) * scale) for edge in (start, *widths))
        return cls(scale, origin, tuple(steps))

    def first_band(self, value: Decimal) -> int:
        """The number of the narrowest band of a value: floor((value − start) / width)."""
        top, bottom = value.as_integer_ratio()
        return (top * self.scale - self.origin * bottom) // (self.steps[0] * bottom)

    def rungs(self) -> list[Rung[int]]:
        return [self._rung(*widths) for widths in pairwise((self.steps[0], *self.steps))]

    def _rung(self, narrow: int, wide: int) -> Rung[int]:
        """From the number of a band to that of the wider band; its label is ``[20, 25)``."""

        def label(band: int) -> str:
            low = self.origin + band * wide
            return f"[{self.write(low)}, {self.write(low + wide)})"

        ratio = wide // narrow
        return Rung(lambda band: band // ratio, label)

    def write(self, edge: int) -> str:
        digits = len(str(self.scale)) - 1
        whole, part = divmod(abs(edge), self.scale)
        sign = "-" if edge < 0 else ""
        return f"{sign}{whole}.{part:0{digits}d}".rstrip("0") if part else f"{sign}{whole}"
