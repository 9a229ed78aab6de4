"""Several quasi-identifiers: sets of columns that different outsiders could know.

Sweeney 2002, section 4.1: the data holder groups columns into one or more quasi-identifiers, each
of which must be k-anonymous on its own, and says of each column, from 0 to 1, how likely it is used
for linking. A column of likelihood 0 is not counted; between 0 and 1 the likelihood tells Datafly
which column to coarsen first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lookalike.errors import Fault

Linking = Mapping[str, Mapping[str, float]]  # quasi-identifier -> column -> likelihood


def linking_from(given: object) -> Linking | None:
    """Sets as lists of columns or as dicts to likelihoods; None if it is neither."""
    if not isinstance(given, Mapping):
        return None
    linking: dict[str, dict[str, float]] = {}
    for name, columns in given.items():
        if isinstance(columns, Mapping):
            linking[str(name)] = dict(columns)
        elif isinstance(columns, Iterable) and not isinstance(columns, str):
            listed = list(columns)
            if not all(isinstance(column, str) for column in listed):
                return None
            linking[str(name)] = dict.fromkeys(listed, 1.0)
        else:
            return None
    return linking


def twice_faults(given: Mapping[str, object]) -> list[Fault]:
    """Columns that a set lists twice: once it is a dict, that cannot be seen any more."""
    found = []
    for name, columns in given.items():
        if isinstance(columns, Mapping):
            continue
        listed = list(columns) if isinstance(columns, Iterable) else []
        for column in dict.fromkeys(listed):
            if listed.count(column) > 1:
                fix = "name it once"
                found.append(Fault(f"linking.{name}.{column}", "the column is in it twice", fix))
    return found


def linking_faults(linking: Linking, names: Iterable[str]) -> list[Fault]:
    """What is wrong with the sets, whatever the table."""
    known = tuple(names)
    found: list[Fault] = []
    seen: dict[str, str] = {}
    for one, columns in linking.items():
        where = f"linking.{one}"
        if not one.strip():
            fix = 'give it a name, as voters = ["zip", "sex"]'
            found.append(Fault("linking", "a set has no name", fix))
        if not columns:
            found.append(Fault(where, "the set is empty", "name its columns, or leave it out"))
        for column, likelihood in columns.items():
            if column not in known:
                fix = f"use one of: {', '.join(known)}"
                found.append(Fault(f"{where}.{column}", "not a quasi-identifier", fix))
            elif column in seen:
                fix = "keep it in one of them, or make the two sets one"
                problem = f"the column is in {seen[column]} too, and the sets must not overlap"
                found.append(Fault(f"{where}.{column}", problem, fix))
            seen[column] = one
            if not is_share(likelihood):
                fix = "use 0 (never used for linking) to 1 (surely used)"
                found.append(Fault(f"{where}.{column}", "not a number from 0 to 1", fix))
        if columns and not any(columns.values()):
            fix = "give one of its columns a likelihood above 0, or leave the set out"
            found.append(Fault(where, "every likelihood is 0, so nothing is asked", fix))
    if linking:
        for name in known:
            if name not in seen:
                fix = "add it to one; if nobody could link by it, give it likelihood 0 there"
                found.append(Fault(f"linking.{name}", "the column is in no set", fix))
    return found


def is_share(given: object) -> bool:
    """A number from 0 to 1."""
    return isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= 1
