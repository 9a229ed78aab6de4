"""Prefix: characters hidden from one end, 02139 → 0213* → 021** → … → ``*``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from lookalike.counts.level_table import TOP, LevelTable, Value
from lookalike.errors import Fault, PolicyError
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.level_builder import (
    AS_IT_IS,
    SUPPRESSED,
    Rung,
    climb,
    column,
    missing,
)

Side = Literal["right", "left"]

_MOST_LEVELS = 100  # a level a character of a long text is surely not what was meant


@dataclass(frozen=True, slots=True)
class Prefix:
    """Levels: the value as it is, then ``steps`` characters hidden, then ``*``.

    A hidden character shows as ``*``, which stands for any one character or none. Above level 0
    values are padded with ``*`` on the hidden side to the length of the longest, so labels have one
    length and 02 beside 02139 is 02***; from the level at which two labels meet they stay together.
    A step that would hide the whole of the longest value is the last level, ``*``. A character is a
    Unicode code point. ``steps=()`` hides one more character at each level.
    """

    steps: tuple[int, ...] = ()
    hide: Side = "right"

    def __post_init__(self) -> None:
        found = []
        if self.hide not in get_args(Side):
            found.append(Fault("hide", "no such side", "use right or left"))
        if not all(isinstance(step, int) and not isinstance(step, bool) for step in self.steps):
            found.append(Fault("steps", "not whole numbers", "give characters hidden, as 1, 2, 5"))
        elif any(
            narrow >= wide for narrow, wide in zip((0, *self.steps), self.steps, strict=False)
        ):
            found.append(
                Fault(
                    "steps",
                    "each level must hide more characters than the one before",
                    "give characters hidden at each level, from 1 up, as 1, 2, 5",
                )
            )
        if found:
            raise PolicyError(found)

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        keys = [None if missing(value) else text(value) for value in values]
        length = max((len(key) for key in keys if key is not None), default=0)
        steps = [step for step in self.steps or range(1, length) if step < length]
        if len(steps) > _MOST_LEVELS:
            raise PolicyError(
                Fault(
                    column(name),
                    f"the longest value has {length} characters, and one level each is too many",
                    "give steps, the characters hidden at each level, as steps = [1, 2, 5]",
                )
            )
        return climb(name, values, keys, [self._rung(length, step) for step in steps])

    def describe(self, level: int) -> str:
        if level == 0:
            return AS_IT_IS
        if self.steps and level > len(self.steps):
            return SUPPRESSED
        hidden = self.steps[level - 1] if self.steps else level
        end = "last" if self.hide == "right" else "first"
        return f"{end} character hidden" if hidden == 1 else f"{end} {hidden} characters hidden"

    def to_dict(self) -> Mapping[str, object]:
        written: dict[str, object] = {"prefix": True}
        if self.steps:
            written["steps"] = list(self.steps)
        if self.hide != "right":
            written["hide"] = self.hide
        return written

    def _rung(self, length: int, hidden: int) -> Rung[str]:
        mask = _Mask(length, hidden, self.hide)
        return Rung(mask, str)  # the masked text is key and label in one


@dataclass(frozen=True, slots=True)
class _Mask:
    """Pad to ``length``, then hide; masks compose, so a longer one may start from a shorter."""

    length: int
    hidden: int
    side: Side

    def __call__(self, shown: str) -> str:
        kept = self.length - self.hidden
        if self.side == "right":
            return shown[:kept].ljust(self.length, TOP)
        return shown.rjust(self.length, TOP)[self.hidden :].rjust(self.length, TOP)


def prefix(*, steps: Sequence[int] = (), hide: Side = "right") -> Prefix:
    """Characters hidden from one end, one more a level: 02139, 0213*, 021**, 02***, 0****, ``*``.

    ``steps=(1, 2, 5)`` gives the characters hidden at each level; ``hide="left"`` hides the first
    characters instead. A numeric column is read as text: zip codes should be stored as text, or
    02139 has already become 2139.
    """
    return Prefix(tuple(steps), hide)
