"""Several quasi-identifiers: sets of columns that different outsiders could know.

Sweeney 2002, section 4.1: the data steward groups columns into one or more quasi-identifiers, each
of which must be k-anonymous on its own, and gives each column a likelihood from 0 to 1 that it is
used for linking. A column of likelihood 0 is not counted; between 0 and 1, Datafly uses the
likelihood to choose the column to generalize first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from lookalike.errors import Fault

Linking = Mapping[str, Mapping[str, float]]  # quasi-identifier -> column -> likelihood


def linking_from(given: object) -> Linking | None:
    """The sets, from lists of columns or dicts to likelihoods; None if it is neither."""
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
    """Columns that a set lists twice; to be found before the list becomes a dict."""
    faults = []
    for name, columns in given.items():
        if isinstance(columns, Iterable) and not isinstance(columns, Mapping):
            for column, times in Counter(columns).items():
                if times > 1:
                    place = f"linking.{name}.{column}"
                    faults.append(Fault(place, "the column is in the set twice", "name it once"))
    return faults


def linking_faults(linking: Linking, names: Iterable[str]) -> list[Fault]:
    """What is wrong with the sets, for any table."""
    known = tuple(names)
    faults: list[Fault] = []
    seen: dict[str, str] = {}
    for set_name, columns in linking.items():
        where = f"linking.{set_name}"
        if not set_name.strip():
            fix = 'give it a name, for example voters = ["zip", "sex"]'
            faults.append(Fault("linking", "a set has no name", fix))
        if not columns:
            faults.append(Fault(where, "the set is empty", "name its columns, or remove it"))
        for column, likelihood in columns.items():
            if column not in known:
                fix = f"use one of: {', '.join(known)}"
                faults.append(Fault(f"{where}.{column}", "not a quasi-identifier", fix))
            elif column in seen:
                fix = "keep it in one of them, or join the two sets"
                problem = f"the column is also in {seen[column]}; sets must not overlap"
                faults.append(Fault(f"{where}.{column}", problem, fix))
            seen[column] = set_name
            if not is_share(likelihood):
                fix = "use 0 (never used for linking) to 1 (always used)"
                faults.append(Fault(f"{where}.{column}", "not a number from 0 to 1", fix))
        if columns and not any(columns.values()):
            fix = "give one of its columns a likelihood above 0, or remove the set"
            faults.append(Fault(where, "every likelihood is 0, so nothing is required", fix))
    if linking:
        for name in known:
            if name not in seen:
                fix = "add it to one; if nobody can link by it, give it likelihood 0 there"
                faults.append(Fault(f"linking.{name}", "the column is in no set", fix))
    return faults


def is_share(given: object) -> bool:
    """Is it a number from 0 to 1?"""
    return isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= 1
