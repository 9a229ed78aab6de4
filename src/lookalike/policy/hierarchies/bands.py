"""Bands: numbers in half-open intervals, ``[20, 25)``, each wider one made of narrower ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from lookalike.counts.level_table import LevelTable, Value
from lookalike.errors import Fault, PolicyError
from lookalike.policy.hierarchies.level_builder import (
    AS_IT_IS,
    SUPPRESSED,
    Rung,
    by_rank,
    climb,
    fault,
    missing,
)
from lookalike.policy.hierarchies.number_reading import (
    has_decimal_comma,
    number,
    plain,
    toml_number,
    within_reach,
)


@dataclass(frozen=True, slots=True)
class Bands:
    """Levels: the value, one a width, ``*``. The band ``[20, 25)`` holds 20 and does not hold 25.

    Bands start at ``start`` and go on in both directions. A value is the decimal number that it
    prints as, and all arithmetic is exact, so 0.3 falls in ``[0.3, 0.4)``.
    """

    widths: tuple[Decimal, ...]
    start: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        found = _width_faults(self.widths)
        if not within_reach(self.start):
            found.append(Fault("start", "not finite", "give the edge of some band, as 0"))
        if found:
            raise PolicyError(found)

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        numbers = _read(name, values)
        grid = _Grid.of(self.start, self.widths)
        keys = [None if number is None else grid.first_band(number) for number in numbers]
        return climb(name, values, keys, grid.rungs(), order=by_rank(numbers))

    def describe(self, level: int) -> str:
        if level == 0:
            return AS_IT_IS
        if level > len(self.widths):
            return SUPPRESSED
        return f"bands of {plain(self.widths[level - 1])}"

    def to_dict(self) -> Mapping[str, object]:
        written: dict[str, object] = {"bands": [toml_number(width) for width in self.widths]}
        if self.start:
            written["start"] = toml_number(self.start)
        return written


def bands(*widths: float | Decimal | str, start: float | Decimal | str = 0) -> Bands:
    """Numbers in bands: ``bands(5, 10, 20)`` takes 23 to [20, 25), [20, 30), [20, 40), ``*``.

    Each width must be a multiple of the one before. Takes ints, floats, Decimals and numeric text.
    """
    read = [number(width) for width in widths]
    begin = number(start)
    found = []
    if None in read:
        found.append(Fault("bands", "a width is not a number", "give widths as 5, 10, 20"))
    if begin is None:
        found.append(Fault("start", "not a number", "give the edge of some band, as 0"))
    if found or begin is None:
        raise PolicyError(found)
    return Bands(tuple(width for width in read if width is not None), begin)


def _width_faults(widths: Sequence[Decimal]) -> list[Fault]:
    fix = "let each width be a multiple of the one before, as in 5, 10, 20"
    if not widths:
        return [Fault("bands", "there is no width", fix)]
    if not all(within_reach(width) and width > 0 for width in widths):
        return [Fault("bands", "a width is not above 0 and finite", fix)]
    return [
        Fault(
            "bands",
            f"{plain(wide)} is not a larger multiple of {plain(narrow)}, the width before it, "
            "so a band could not be made of whole narrower ones",
            fix,
        )
        for narrow, wide in pairwise(widths)
        if wide <= narrow or (Fraction(wide) / Fraction(narrow)).denominator != 1
    ]


def _read(name: str, values: Sequence[Value]) -> list[Decimal | None]:
    numbers: list[Decimal | None] = []
    no_number, out_of_reach = [], []
    for value in values:
        null = missing(value)
        read = None if null else number(value)
        numbers.append(read)
        if read is None:
            if not null:
                no_number.append(value)
        elif not within_reach(read):
            out_of_reach.append(value)
    found = []
    if no_number:
        found.append(fault(name, no_number, "not numeric", _fix(no_number)))
    if out_of_reach:
        found.append(
            fault(name, out_of_reach, "infinite or near it", "clean them, or make them null")
        )
    if found:
        raise PolicyError(found)
    return numbers


def _fix(no_number: Sequence[Value]) -> str:
    clean = "clean them, or use tree, ordered or flat"
    commas = sum(map(has_decimal_comma, no_number))
    if not commas:
        return clean
    point = "write decimals with a point, as 1.5, and thousands without a sign"
    return point if commas == len(no_number) else f"{point}; the others: {clean}"


@dataclass(frozen=True, slots=True)
class _Grid:
    """The edges of the bands in whole numbers of 1 / ``scale``, a power of ten."""

    scale: int
    origin: int  # start · scale
    steps: tuple[int, ...]  # widths · scale

    @classmethod
    def of(cls, start: Decimal, widths: Sequence[Decimal]) -> _Grid:
        digits = max(len(plain(edge).partition(".")[2]) for edge in (start, *widths))
        scale = 10**digits
        return cls(
            scale,
            int(Fraction(start) * scale),
            tuple(int(Fraction(width) * scale) for width in widths),
        )

    def first_band(self, value: Decimal) -> int:
        """Which of the narrowest bands holds the value: floor((value − start) / width)."""
        top, bottom = value.as_integer_ratio()
        return (top * self.scale - self.origin * bottom) // (self.steps[0] * bottom)

    def rungs(self) -> list[Rung[int]]:
        below = (self.steps[0], *self.steps)
        return [
            Rung(_Merge(wide // narrow), _Interval(self, wide))
            for narrow, wide in zip(below, self.steps, strict=False)
        ]

    def write(self, edge: int) -> str:
        digits = len(str(self.scale)) - 1
        whole, part = divmod(abs(edge), self.scale)
        sign = "-" if edge < 0 else ""
        return f"{sign}{whole}.{part:0{digits}d}".rstrip("0") if part else f"{sign}{whole}"


@dataclass(frozen=True, slots=True)
class _Merge:
    """From a narrow band's number to that of the band ``ratio`` times as wide."""

    ratio: int

    def __call__(self, band: int) -> int:
        return band // self.ratio


@dataclass(frozen=True, slots=True)
class _Interval:
    """From a band's number to ``[20, 25)``."""

    grid: _Grid
    step: int

    def __call__(self, band: int) -> str:
        low = self.grid.origin + band * self.step
        return f"[{self.grid.write(low)}, {self.grid.write(low + self.step)})"
