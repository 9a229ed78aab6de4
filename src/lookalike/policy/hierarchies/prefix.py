"""Prefix: characters are hidden from one end, 02139 → 0213* → 021** → … → ``*``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

from lookalike.counts.level_table import TOP, LevelTable, Value
from lookalike.errors import Fault, PolicyError
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.level_builder import (
    SUPPRESSED,
    UNCHANGED,
    Rung,
    climb,
    column_place,
    missing,
)
from lookalike.policy.hierarchy import Hierarchy, check_true, read_list

Side = Literal["right", "left"]

_MAX_LEVELS = 100  # one level for each character of a long text is never what a steward wants


@dataclass(frozen=True, slots=True)
class Prefix(Hierarchy):
    """Levels: the value, then ``steps`` characters hidden, then ``*``.

    A hidden character is shown as ``*``, which stands for any one character or none. Above level 0,
    values are padded with ``*`` on the hidden side to the length of the longest value. So all
    labels have the same length, and 02 next to 02139 becomes 02***; labels that are equal at some
    level stay equal above it. A step that would hide all of the longest value is the last level,
    ``*``. A character is a Unicode code point. ``steps=()`` hides one more character at each level.
    A given ``length`` takes the place of the longest value; longer values are a fault.
    """

    steps: tuple[int, ...] = ()
    hide: Side = "right"
    length: int | None = None

    name = "prefix"
    options = ("steps", "hide", "length")

    def __post_init__(self) -> None:
        faults = []
        fix = "give the hidden characters at each level, from 1 up, for example 1, 2, 5"
        if self.hide not in get_args(Side):
            faults.append(Fault("hide", "unknown side", "use right or left"))
        if not all(isinstance(step, int) and not isinstance(step, bool) for step in self.steps):
            faults.append(Fault("steps", "not whole numbers", fix))
        elif any(narrow >= wide for narrow, wide in pairwise((0, *self.steps))):
            problem = "a level does not hide more characters than the one before"
            faults.append(Fault("steps", problem, fix))
        length: object = self.length
        if length is not None and (type(length) is not int or length < 1):
            example = "give the length of the longest code, for example 5"
            faults.append(Fault("length", "not a whole number from 1 up", example))
        if faults:
            raise PolicyError(faults)

    @property
    def by_value(self) -> bool:
        return self.length is not None

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        keys = [None if missing(value) else text(value) for value in values]
        longest = max((len(key) for key in keys if key is not None), default=0)
        length = longest if self.length is None else self.length
        if longest > length:
            problem = f"a value has {longest} characters, and length is {length}"
            raise PolicyError(Fault(column_place(name), problem, f"set length = {longest} or more"))
        steps = [step for step in self.steps or range(1, length) if step < length]
        if len(steps) > _MAX_LEVELS:
            problem = f"the longest value has {length} characters: too many for one level each"
            fix = "give the hidden characters at each level, for example steps = [1, 2, 5]"
            raise PolicyError(Fault(column_place(name), problem, fix))
        masks = [partial(_mask, length, step, self.hide) for step in steps]
        return climb(name, values, keys, [Rung(mask, str) for mask in masks])  # key and label

    def describe(self, level: int) -> str:
        if level == 0:
            return UNCHANGED
        if self.steps and level > len(self.steps):
            return SUPPRESSED
        hidden = self.steps[level - 1] if self.steps else level
        end = "last" if self.hide == "right" else "first"
        return f"{end} character hidden" if hidden == 1 else f"{end} {hidden} characters hidden"

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], base: Path) -> Hierarchy:
        check_true(spec, "prefix")
        return prefix(
            steps=read_list(spec, "steps"),
            hide=spec.get("hide", "right"),
            length=spec.get("length"),
        )

    def to_dict(self) -> Mapping[str, object]:
        written: dict[str, object] = {"prefix": True}
        if self.steps:
            written["steps"] = list(self.steps)
        if self.hide != "right":
            written["hide"] = self.hide
        if self.length is not None:
            written["length"] = self.length
        return written


def _mask(length: int, hidden: int, side: Side, shown: str) -> str:
    """Pad a text to ``length`` and hide characters. A masked text can be masked again."""
    if side == "right":
        return shown[: length - hidden].ljust(length, TOP)
    return shown.rjust(length, TOP)[hidden:].rjust(length, TOP)


def prefix(*, steps: Sequence[int] = (), hide: Side = "right", length: int | None = None) -> Prefix:
    """A hierarchy for codes, which hides characters: 02139, 0213*, 021**, 02***, 0****, ``*``.

    A numeric column is read as text. Store ZIP codes as text; as a number, 02139 has already become
    2139.

    Parameters
    ----------
    steps : sequence of int
        How many characters each level hides; by default one more at each level.
    hide : {"right", "left"}
        Hide the last or the first characters.
    length : int, optional
        The length of the longest code. By default that of the longest value, so that one value can
        change all labels; differential privacy needs it given.

    Returns
    -------
    Hierarchy

    Raises
    ------
    PolicyError
        If a level does not hide more characters than the one before.

    Examples
    --------
    >>> import lookalike as la
    >>> [labels[0] for labels in la.prefix(steps=(1, 3)).tabulate("zip", ["02139"]).labels]
    ['02139', '0213*', '02***', '*']
    """
    return Prefix(tuple(steps), hide, length)
