"""What was asked of an attack, checked against the tables: every fault at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lookalike.errors import Fault, PolicyError
from lookalike.tables.table import Table

Pairs = tuple[tuple[str, str], ...]  # column of the release, column of the outsiders


def paired(on: Sequence[str] | Mapping[str, str]) -> Pairs:
    """``["age", "zip"]``, or ``{"zip": "plz"}`` where the outsiders' names are others."""
    if isinstance(on, Mapping):
        return tuple(on.items())
    if isinstance(on, str) or not all(isinstance(one, str) for one in on):
        fix = 'name columns, as ["age", "zip"], or {"zip": "plz"} if the outsiders call it plz'
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
    """PolicyError with all that is wrong."""
    found = [] if on else [Fault("on", "it names no column", "name what an outsider knows")]
    found += _twice([ours for ours, _ in on]) + _twice([theirs for _, theirs in on])
    found += _lacks("on", "the release", release, [ours for ours, _ in on])
    found += _lacks("on", "the outsiders' table", outsiders, [theirs for _, theirs in on])
    found += _lacks("sensitive", "the release", release, sensitive)
    found += [
        Fault(f"sensitive.{one}", "an outsider knows it already", "leave it out of one of the two")
        for one in sensitive
        if one in [ours for ours, _ in on]
    ]
    if name is not None:
        found += _lacks("name", "the outsiders' table", outsiders, [name])
    if before is not None:
        found += _lacks("before", "the table before", before, [ours for ours, _ in on])
    if also is not None and on and not [one for one, _ in on if one in also.columns]:
        fix = f"it has: {', '.join(also.columns)}"
        found.append(Fault("also", "the other release has none of the columns of on", fix))
    if found:
        raise PolicyError(found)


def _lacks(where: str, what: str, table: Table, names: Sequence[str]) -> list[Fault]:
    fix = f"use one of: {', '.join(table.columns)}"
    return [
        Fault(f"{where}.{name}", f"{what} has no such column", fix)
        for name in names
        if name not in table.columns
    ]


def _twice(names: Sequence[str]) -> list[Fault]:
    again = dict.fromkeys(name for name in names if names.count(name) > 1)
    return [Fault(f"on.{name}", "the column is named twice", "name it once") for name in again]
