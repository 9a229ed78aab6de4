"""Check the arguments of an attack against its tables; all faults at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lookalike.errors import Fault, PolicyError
from lookalike.tables.table import Table

Pairs = tuple[tuple[str, str], ...]  # column of the release, column of the outsiders


def paired(on: Sequence[str] | Mapping[str, str]) -> Pairs:
    """The pairs of ``["age", "zip"]``, or of ``{"zip": "plz"}`` if the outsider's names differ."""
    if isinstance(on, Mapping):
        return tuple(on.items())
    if isinstance(on, str) or not all(isinstance(column, str) for column in on):
        fix = 'name columns: ["age", "zip"], or {"zip": "plz"} if the outsider calls it plz'
        raise PolicyError(Fault("on", "not a list of columns", fix))
    return tuple((name, name) for name in on)


def check(
    release: Table,
    outsiders: Table,
    on: Pairs,
    sensitive: Sequence[str],
    before: Table | None,
    also: Table | None,
    name: str | None,
) -> None:
    """Raise PolicyError with all faults."""
    ours, theirs = [pair[0] for pair in on], [pair[1] for pair in on]
    faults = [] if on else [Fault("on", "it names no column", "name what the outsider knows")]
    faults += _repeated(ours) + _repeated(theirs)
    faults += _lacks("on", "the release", release, ours)
    faults += _lacks("on", "the outsiders' table", outsiders, theirs)
    faults += _lacks("sensitive", "the release", release, sensitive)
    fix = "remove it from on or from sensitive"
    faults += [
        Fault(f"sensitive.{column}", "the outsider knows it already", fix)
        for column in sensitive
        if column in ours
    ]
    if name is not None:
        faults += _lacks("name", "the outsiders' table", outsiders, [name])
    if before is not None:
        faults += _lacks("before", "the original table", before, ours)
    if also is not None and on and not any(column in also.columns for column in ours):
        fix = f"it has: {', '.join(also.columns)}"
        faults.append(Fault("also", "the other release has none of the columns of on", fix))
    if faults:
        raise PolicyError(faults)


def _lacks(where: str, what: str, table: Table, names: Sequence[str]) -> list[Fault]:
    fix = f"use one of: {', '.join(table.columns)}"
    return [
        Fault(f"{where}.{name}", f"{what} has no such column", fix)
        for name in names
        if name not in table.columns
    ]


def _repeated(names: Sequence[str]) -> list[Fault]:
    again = dict.fromkeys(name for name in names if names.count(name) > 1)
    return [Fault(f"on.{name}", "the column is named twice", "name it once") for name in again]
