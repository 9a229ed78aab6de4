"""The population that a table is part of: what k-map and δ-presence count lookalikes in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from lookalike.errors import Fault, PolicyError
from lookalike.policy.name_suggestions import unknown_keys

KEYS = ("table", "count")


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """A table with the quasi-identifiers of everybody, those of the released table included.

    ``table`` is whatever a verb takes for a table: a path, a frame. Each row is a person, or as
    many people as ``count`` says, if that names a column with numbers.
    """

    table: Any
    count: str | None = None
    base: Path = Path()  # what a path is relative to

    @property
    def place(self) -> Any:
        """The table, a path in full."""
        if isinstance(self.table, str | PathLike) and "://" not in fspath(self.table):
            return self.base / fspath(self.table)
        return self.table

    def to_dict(self) -> Mapping[str, object]:
        """As a policy file writes it; a frame in memory has no name there."""
        if not isinstance(self.table, str | PathLike):
            problem = "a table in memory cannot be written to a policy file"
            raise PolicyError(Fault("population", problem, "write it to a file and name that"))
        written: dict[str, object] = {"table": fspath(self.table)}
        return written | ({"count": self.count} if self.count is not None else {})


def population_from(section: Mapping[str, object], base: Path) -> Population | None:
    """From the [population] section; None if there is none."""
    if not section:
        return None
    found = unknown_keys("population", section, KEYS)
    table, count = section.get("table"), section.get("count")
    if not isinstance(table, str):
        found.append(Fault("population.table", "not a path", 'use table = "population.csv"'))
    if count is not None and not isinstance(count, str):
        fix = 'name the column with numbers of people, as count = "people"'
        found.append(Fault("population.count", "not a column", fix))
    if found:
        raise PolicyError(found)
    return Population(table, count, base)  # type: ignore[arg-type]  # looked at above
