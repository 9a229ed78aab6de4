"""Dates: day → month → year → 5 years → 10 years → ``*`` (Sweeney 2002, on birth dates)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.counts.level_table import LevelTable, Value
from lookalike.errors import Fault, PolicyError
from lookalike.policy.hierarchies.date_reading import Moment, read_days
from lookalike.policy.hierarchies.level_builder import Rung, by_rank, climb, level_name
from lookalike.policy.hierarchy import Hierarchy, check_true


@dataclass(frozen=True, slots=True)
class Dates(Hierarchy):
    """Levels: the value, month, year, 5 years, 10 years, ``*``.

    The levels depend on the options alone, never on the data. A moment with a time zone counts by
    its local time.
    """

    days: bool = False
    quarters: bool = False
    format: str | None = None  # in the syntax of strptime; None: detected

    name = "dates"
    options = ("days", "quarters", "format")

    def __post_init__(self) -> None:
        faults = [
            Fault(option, "not true or false", f"use {option} = true, or remove it")
            for option, given in (("days", self.days), ("quarters", self.quarters))
            if not isinstance(given, bool)
        ]
        if self.format is not None and not _has_year_and_month(str(self.format)):
            fix = 'use the letters of strptime, for example "%d/%m/%Y"; for years use bands(5, 10)'
            faults.append(Fault("format", "it has no year or no month", fix))
        if faults:
            raise PolicyError(faults)

    @property
    def by_value(self) -> bool:
        return self.format is not None  # else it is detected from all values

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        moments, faults = read_days(name, values, self.format)
        if faults:
            raise PolicyError(faults)
        keys = [None if moment is None else moment.toordinal() for moment in moments]
        rungs = [rung for _, rung in self._levels()]
        return climb(name, values, keys, rungs, order=by_rank(moments))

    def describe(self, level: int) -> str:
        return level_name(level, [name for name, _ in self._levels()])

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], base: Path) -> Hierarchy:
        check_true(spec, "dates")
        return dates(**{key: spec[key] for key in cls.options if key in spec})

    def to_dict(self) -> Mapping[str, object]:
        given = {name: getattr(self, name) for name in self.options}
        return {"dates": True} | {name: value for name, value in given.items() if value}

    def _levels(self) -> list[_Level]:
        return [
            *([_DAY] if self.days else []),
            _MONTH,
            *([_QUARTER, _YEAR_OF_QUARTER] if self.quarters else [_YEAR_OF_MONTH]),
            _FIVE_YEARS,
            _TEN_YEARS,
        ]


def dates(*, days: bool = False, quarters: bool = False, format: str | None = None) -> Dates:
    """A hierarchy of dates: 1965-03-14, 1965-03, 1965, 1965–1969, 1960–1969, ``*``.

    Parameters
    ----------
    days : bool
        Add the day as a level between value and month, for columns that hold a time of day or write
        one day in several ways.
    quarters : bool
        Add the quarter as a level between month and year.
    format : str, optional
        How dates are written, in the syntax of ``strptime``. Without it the column must be written
        in one of YYYY-MM-DD (with or without a time), YYYY/MM/DD, DD.MM.YYYY, MM/DD/YYYY,
        DD/MM/YYYY or YYYYMMDD, and the data must show which.

    Returns
    -------
    Hierarchy
        It takes date objects and text.

    Raises
    ------
    PolicyError
        If an option is not true or false, or the format has no year or no month.

    Examples
    --------
    >>> import lookalike as la
    >>> [labels[0] for labels in la.dates().tabulate("born", ["1965-03-14"]).labels]
    ['1965-03-14', '1965-03', '1965', '1965–1969', '1960–1969', '*']
    """
    return Dates(days, quarters, format)


def _day_label(day: int) -> str:
    return Moment.fromordinal(day).date().isoformat()


def _month(day: int) -> int:
    date = Moment.fromordinal(day)
    return date.year * 12 + date.month - 1


def _month_label(month: int) -> str:
    return f"{month // 12:04d}-{month % 12 + 1:02d}"


def _quarter_label(quarter: int) -> str:
    return f"{quarter // 4:04d}-Q{quarter % 4 + 1}"


def _years(count: int) -> _Level:
    def label(year: int) -> str:
        return f"{year:04d}–{year + count - 1:04d}"

    return f"{count} years", Rung(lambda year: year // count * count, label)


# A level of the calendar. Keys are whole numbers: a day, month, quarter or year.
_Level = tuple[str, Rung[int]]
_DAY: _Level = ("day", Rung(lambda day: day, _day_label))
_MONTH = ("month", Rung(_month, _month_label))
_QUARTER = ("quarter", Rung(lambda month: month // 3, _quarter_label))
_YEAR_OF_MONTH = ("year", Rung(lambda month: month // 12, "{:04d}".format))
_YEAR_OF_QUARTER = ("year", Rung(lambda quarter: quarter // 4, "{:04d}".format))
_FIVE_YEARS = _years(5)
_TEN_YEARS = _years(10)


def _has_year_and_month(pattern: str) -> bool:
    """Does the format have year and month? Otherwise strptime would make them up."""
    letters = set(re.findall(r"%([a-zA-Z%])", pattern.replace("%%", "")))
    return bool(letters & set("YyGcx")) and bool(letters & set("mbBjcxVUW"))
