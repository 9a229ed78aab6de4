"""Ordered: values in a declared order, in groups of neighbors such as ``low–mid``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from lookalike.counts.level_table import LevelTable, Value
from lookalike.errors import Fault, PolicyError
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.declared_domain import look_up
from lookalike.policy.hierarchies.level_builder import Rung, by_rank, climb, level_name
from lookalike.policy.hierarchy import Hierarchy, read_list


@dataclass(frozen=True, slots=True)
class Ordered(Hierarchy):
    """Levels: the value, groups of neighbors, one level for each of ``widths``, ``*``.

    Groups are formed from the first value on; the last group may be smaller. Values are compared as
    text, and count as leaves whether or not they occur in the table.
    """

    values: tuple[str, ...]
    widths: tuple[int, ...] = ()

    name = "ordered"
    options = ("widths",)
    example = '["low", "mid", "high"]'

    def __post_init__(self) -> None:
        faults = _faults(self.values, self.widths)
        if faults:
            raise PolicyError(faults)

    @property
    def by_value(self) -> bool:
        return True

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        place = {value: index for index, value in enumerate(self.values)}
        keys = look_up(name, values, place)
        rungs = [self._rung(width) for width in self.widths]
        return climb(name, values, keys, rungs, order=by_rank(keys), declared=len(self.values))

    def describe(self, level: int) -> str:
        return level_name(level, [f"groups of {width}" for width in self.widths])

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], base: Path) -> Hierarchy:
        return ordered(read_list(spec, "ordered", cls.example), read_list(spec, "widths"))

    def to_dict(self) -> Mapping[str, object]:
        written: dict[str, object] = {"ordered": list(self.values)}
        if self.widths:
            written["widths"] = list(self.widths)
        return written

    def _rung(self, width: int) -> Rung[int]:
        """Keys are positions: the key of a group is the position of its first value."""
        count = len(self.values)
        return Rung(
            up=lambda place: place // width * width,
            label=lambda place: _label(self.values[place : place + width]),
            leaves=lambda place: min(width, count - place),
        )


def ordered(values: Iterable[Value], widths: Sequence[int] = ()) -> Ordered:
    """A hierarchy of values in a given order, in groups of neighbors.

    Parameters
    ----------
    values : iterable
        All values that the column may have, in their order; they are compared as text.
    widths : sequence of int
        How many neighbors form a group, one number for each level between the value and ``*``. Each
        is a multiple of the one before.

    Returns
    -------
    Hierarchy

    Raises
    ------
    PolicyError
        If values repeat, or the widths do not nest.

    Examples
    --------
    >>> import lookalike as la
    >>> grades = la.ordered(["low", "mid", "high", "top"], widths=[2])
    >>> grades.tabulate("grade", ["low", "mid", "high", "top"]).labels[1]
    ('low–mid', 'high–top')
    """
    if isinstance(values, str):
        raise PolicyError(
            Fault("ordered", "a text, not a list", 'give a list, for example ["low", "high"]')
        )
    return Ordered(tuple(text(value) for value in values), tuple(widths))


def _label(group: Sequence[str]) -> str:
    return group[0] if len(group) == 1 else f"{group[0]}–{group[-1]}"


def _faults(values: Sequence[str], widths: Sequence[int]) -> list[Fault]:
    faults = []
    if not values:
        fix = 'give a list, for example ["low", "high"]'
        faults.append(Fault("ordered", "no values are given", fix))
    repeated = [value for value, count in Counter(values).items() if count > 1]
    if repeated:
        problem = f"{len(repeated)} value{'s' if len(repeated) > 1 else ''} listed more than once"
        faults.append(Fault("ordered", problem, "list each value once", tuple(repeated)))
    if not all(isinstance(width, int) and not isinstance(width, bool) for width in widths):
        fix = "give sizes of groups, for example 2, 4"
        faults.append(Fault("widths", "not whole numbers", fix))
        return faults
    if any(wide <= narrow or wide % narrow for narrow, wide in pairwise((1, *widths))):
        problem = "a width is not a larger multiple of the one before"
        fix = "give sizes of groups from 2 up, for example 2, 4"
        faults.append(Fault("widths", problem, fix))
        return faults
    for width in widths:
        labels = Counter(_label(values[at : at + width]) for at in range(0, len(values), width))
        alike = [label for label, count in labels.items() if count > 1]
        if alike and not repeated:
            problem = f"groups of {width} share {len(alike)} label{'s' if len(alike) > 1 else ''}"
            fix = "rename values that contain –, or use tree to name the groups"
            faults.append(Fault("ordered", problem, fix, tuple(alike)))
    return faults
