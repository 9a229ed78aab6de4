"""``Hierarchy``: the base class of every way to make a column less specific, step by step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from lookalike.counts.level_table import LevelTable, Value
from lookalike.errors import Fault, PolicyError


class Hierarchy(ABC):
    """How the values of one column are made less specific, level by level, up to ``*``.

    The verifier reads the labels of the built-in hierarchies with its own code. A hierarchy of
    another package also defines ``covers``, which the verifier uses instead.
    """

    __slots__ = ()

    name: ClassVar[str]  # its key in policy files
    options: ClassVar[tuple[str, ...]] = ()  # keys that may accompany it
    example: ClassVar[str] = "true"  # a value of its key, as a policy file writes it

    @classmethod
    @abstractmethod
    def from_dict(cls, spec: Mapping[str, Any], base: Path) -> Hierarchy:
        """The inverse of ``to_dict``; paths are relative to ``base``. Raises PolicyError."""

    @abstractmethod
    def to_dict(self) -> Mapping[str, object]:
        """The form in a policy file: ``{"bands": [5, 10, 20]}``."""

    @abstractmethod
    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        """Tabulate over ``values``: the column's distinct values, row i of the result for value i.

        ``None`` is a null: its own leaf, with the label ``None`` on every level below ``*``. Raises
        PolicyError with every fault (values not covered, levels that do not nest …), with
        counts in the problem and the values themselves only in ``Fault.values``.
        """

    @abstractmethod
    def describe(self, level: int) -> str:
        """A few words on what a level shows: ``unchanged``, ``bands of 10``."""

    @property
    def by_value(self) -> bool:
        """Do levels and labels depend on each value alone, whatever else the column holds?

        Differential privacy needs this. The cautious answer is no.
        """
        return False

    def covers(self, label: str, value: Value) -> bool:
        """Is this label, other than ``*``, true of this value? By the label's own text."""
        return False


def check_true(spec: Mapping[str, object], key: str) -> None:
    """Raise unless the key is ``true``, for hierarchies that need no other value."""
    if spec[key] is not True:
        raise PolicyError(Fault(key, "neither an option nor true", f"use {key} = true"))


def read_list(spec: Mapping[str, object], key: str, example: str = "[2, 4]") -> list[Any]:
    """The list of numbers or texts at a key; empty if the key is missing."""
    given = spec.get(key, [])
    if not isinstance(given, list) or any(isinstance(item, list | dict) for item in given):
        raise PolicyError(Fault(key, "not a list", f"use {key} = {example}"))
    return given
