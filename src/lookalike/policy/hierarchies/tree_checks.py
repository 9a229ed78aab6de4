"""Faults of a tree that can be found without a table; all of them at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lookalike.errors import Fault

Row = Sequence[str]


def tree_faults(rows: Sequence[Row], where: str) -> list[Fault]:
    """Empty and uneven rows, unnamed groups, repeated leaves, and levels that do not nest."""
    full = [row for row in rows if row and (len(row) == 1 or any(row))]
    if not full:
        fix = "give one row for each leaf, for example France;West;Europe"
        return [Fault(where, "there are no leaves", fix)]
    faults = []
    if len(full) < len(rows):
        problem = _counted(len(rows) - len(full), "row is", "rows are") + " empty"
        faults.append(Fault(where, problem, "remove empty rows"))
    faults.extend(_uneven(full, where))
    faults.extend(_unnamed(full, where))
    faults.extend(_repeated(full, where))
    faults.extend(_not_nested(full, where))
    return faults


def _uneven(rows: Sequence[Row], where: str) -> Iterator[Fault]:
    usual = _usual_length(rows)
    odd = tuple(row[0] for row in rows if len(row) != usual)
    if odd:
        problem = _counted(len(odd), "row does", "rows do") + f" not have {usual} fields like most"
        yield Fault(where, problem, "give every row one field for each level", odd)


def _unnamed(rows: Sequence[Row], where: str) -> Iterator[Fault]:
    unnamed = tuple(row[0] for row in rows if not all(row[1:]))
    if unnamed:
        problem = _counted(len(unnamed), "row has", "rows have") + " a group without a name"
        yield Fault(where, problem, "name the group, or remove the last delimiter", unnamed)


def _repeated(rows: Sequence[Row], where: str) -> Iterator[Fault]:
    leaves = Counter(row[0] for row in rows)
    repeated = tuple(leaf for leaf, count in leaves.items() if count > 1)
    if repeated:
        problem = _counted(len(repeated), "leaf is", "leaves are") + " listed more than once"
        yield Fault(where, problem, "list each leaf once", repeated)


def _not_nested(rows: Sequence[Row], where: str) -> Iterator[Fault]:
    """Groups with more than one parent."""
    usual = _usual_length(rows)
    for level in range(1, usual - 1):
        parents: dict[str, set[str]] = {}
        for row in rows:
            if len(row) == usual:
                parents.setdefault(row[level], set()).add(row[level + 1])
        split = tuple(group for group, above in parents.items() if len(above) > 1)
        if split:
            level_of = f"of level {level}"
            problem = _counted(len(split), f"group {level_of} is", f"groups {level_of} are")
            problem += f" in more than one group of level {level + 1}"
            fix = "put each group into one group of the next level, or give it two names"
            yield Fault(where, problem, fix, split)


def _usual_length(rows: Sequence[Row]) -> int:
    return Counter(len(row) for row in rows).most_common(1)[0][0]


def _counted(count: int, singular: str, plural: str) -> str:
    return f"{count} {singular if count == 1 else plural}"
