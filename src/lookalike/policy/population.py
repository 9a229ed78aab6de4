"""The population to which a table belongs; k-map and δ-presence count lookalikes in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from lookalike.errors import Fault, PolicyError
from lookalike.name_suggestions import unknown_keys

KEYS = ("table", "count")


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """A table with the quasi-identifiers of everybody, including the people of the released table.

    Parameters
    ----------
    table
        The table, in any of the forms that lookalike reads.
    count : str, optional
        A column with the number of people that each row stands for; without it, each row is one
        person.
    base : path
        The folder to which a relative path belongs.

    Examples
    --------
    >>> import lookalike as la
    >>> policy = la.Policy(
    ...     quasi_identifiers={"age": la.bands(10)}, require=la.KMap(5),
    ...     population=la.Population("city.csv", count="people"),
    ... )
    >>> policy.population.count
    'people'
    """

    table: Any
    count: str | None = None
    base: Path = Path()

    @property
    def place(self) -> Any:
        """The table; a path is completed with ``base``."""
        if isinstance(self.table, str | PathLike) and "://" not in fspath(self.table):
            return self.base / fspath(self.table)
        return self.table

    def to_dict(self) -> Mapping[str, object]:
        """The form in a policy file.

        Returns
        -------
        dict

        Raises
        ------
        PolicyError
            If the table is in memory.
        """
        if not isinstance(self.table, str | PathLike):
            problem = "a table in memory cannot be written to a policy file"
            raise PolicyError(Fault("population", problem, "save it to a file, and give the path"))
        written: dict[str, object] = {"table": fspath(self.table)}
        return written | ({"count": self.count} if self.count is not None else {})


def population_from(section: Mapping[str, object], base: Path) -> Population | None:
    """The population that a [population] section names; None if the section is empty."""
    if not section:
        return None
    faults = unknown_keys("population", section, KEYS)
    table, count = section.get("table"), section.get("count")
    if not isinstance(table, str):
        faults.append(Fault("population.table", "not a path", 'use table = "population.csv"'))
    if count is not None and not isinstance(count, str):
        fix = 'name the column with the number of people, for example count = "people"'
        faults.append(Fault("population.count", "not a column", fix))
    if faults:
        raise PolicyError(faults)
    return Population(table, count, base)  # type: ignore[arg-type]  # checked above
