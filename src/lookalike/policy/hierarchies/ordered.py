"""Ordered: values in a declared order, in groups of neighbours, ``low–mid``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lookalike.counts.level_table import LevelTable, Value
from lookalike.errors import Fault, PolicyError
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.declared_domain import look_up
from lookalike.policy.hierarchies.level_builder import AS_IT_IS, SUPPRESSED, Rung, by_rank, climb


@dataclass(frozen=True, slots=True)
class Ordered:
    """Levels: the value, groups of each of ``widths`` neighbours, ``*``.

    Groups are counted off from the first value; the last group may be shorter. Values are declared
    as they read as text and count as leaves whether or not they occur.
    """

    values: tuple[str, ...]
    widths: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        found = _faults(self.values, self.widths)
        if found:
            raise PolicyError(found)

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        place = {value: index for index, value in enumerate(self.values)}
        keys = look_up(name, values, place)
        return climb(
            name,
            values,
            keys,
            [self._rung(width) for width in self.widths],
            order=by_rank(keys),
            declared=len(self.values),
        )

    def describe(self, level: int) -> str:
        if level == 0:
            return AS_IT_IS
        return f"groups of {self.widths[level - 1]}" if level <= len(self.widths) else SUPPRESSED

    def to_dict(self) -> Mapping[str, object]:
        written: dict[str, object] = {"ordered": list(self.values)}
        if self.widths:
            written["widths"] = list(self.widths)
        return written

    def _rung(self, width: int) -> Rung[int]:
        """Keys are places: a group's key is the place of its first value."""
        count = len(self.values)
        return Rung(
            up=lambda place: place // width * width,
            label=lambda place: _label(self.values[place : place + width]),
            leaves=lambda place: min(width, count - place),
        )


def ordered(values: Iterable[Value], widths: Sequence[int] = ()) -> Ordered:
    """Values in their order, as ``ordered(["low", "mid", "high", "top"], widths=[2])``.

    ``widths`` puts groups of so many neighbours between value and ``*``: low–mid, high–top. Each
    width must be a multiple of the one before.
    """
    if isinstance(values, str):
        raise PolicyError(
            Fault("ordered", "one text, not a list", 'give values as ["low", "high"]')
        )
    return Ordered(tuple(text(value) for value in values), tuple(widths))


def _label(group: Sequence[str]) -> str:
    return group[0] if len(group) == 1 else f"{group[0]}–{group[-1]}"


def _faults(values: Sequence[str], widths: Sequence[int]) -> list[Fault]:
    found = []
    if not values:
        found.append(Fault("ordered", "there is no value", 'give values as ["low", "high"]'))
    repeated = [value for value, count in Counter(values).items() if count > 1]
    if repeated:
        found.append(
            Fault(
                "ordered",
                f"{len(repeated)} value{'s' if len(repeated) > 1 else ''} listed more than once",
                "list each value once",
                tuple(repeated),
            )
        )
    if not all(isinstance(width, int) and not isinstance(width, bool) for width in widths):
        found.append(Fault("widths", "not whole numbers", "give sizes of groups, as 2, 4"))
        return found
    if any(
        wide <= narrow or wide % narrow for narrow, wide in zip((1, *widths), widths, strict=False)
    ):
        found.append(
            Fault(
                "widths",
                "not each a larger multiple of the one before",
                "give sizes of groups from 2 up, as 2, 4",
            )
        )
        return found
    for width in widths:
        labels = Counter(_label(values[at : at + width]) for at in range(0, len(values), width))
        alike = [label for label, count in labels.items() if count > 1]
        if alike and not repeated:
            found.append(
                Fault(
                    "ordered",
                    f"groups of {width} would share {len(alike)} label"
                    f"{'s' if len(alike) > 1 else ''}",
                    "rename values that contain –, or use tree to name the groups",
                    tuple(alike),
                )
            )
    return found
