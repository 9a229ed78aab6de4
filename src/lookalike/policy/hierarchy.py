"""What a hierarchy must be able to do: tabulate a column, describe its levels, be written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from lookalike.counts.level_table import LevelTable, Value


@runtime_checkable
class Hierarchy(Protocol):
    """How the values of one column are made less specific, step by step, up to ``*``."""

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        """Tabulate over ``values``: the column's distinct values, row i of the result for value i.

        ``None`` is a null: its own leaf, labelled ``None`` on every level below ``*``. Raises
        PolicyError with every fault found (values not covered, levels that do not nest …), with
        counts in the problem and the values themselves only in ``Fault.values``.
        """
        ...

    def describe(self, level: int) -> str:
        """A few words on what a level shows: ``as it is``, ``bands of 10``."""
        ...

    def to_dict(self) -> Mapping[str, object]:
        """The hierarchy as a policy file writes it: ``{"bands": [5, 10, 20]}``."""
        ...
