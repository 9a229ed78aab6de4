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
    usual = Counter(map(len, full)).most_common(1)[0][0]
    odd = tuple(row[0] for row in full if len(row) != usual)
    if odd:
        problem = _counted(len(odd), "row does", "rows do") + f" not have {usual} fields like most"
        faults.append(Fault(where, problem, "give every row one field for each level", odd))
    unnamed = tuple(row[0] for row in full if not all(row[1:]))
    if unnamed:
        problem = _counted(len(unnamed), "row has", "rows have") + " a group without a name"
        fix = "name the group, or remove the last delimiter"
        faults.append(Fault(where, problem, fix, unnamed))
    leaves = Counter(row[0] for row in full)
    repeated = tuple(leaf for leaf, count in leaves.items() if count > 1)
    if repeated:
        problem = _counted(len(repeated), "leaf is", "leaves are") + " listed more than once"
        faults.append(Fault(where, problem, "list each leaf once", repeated))
    return [*faults, *_not_nested(full, usual, where)]


def _not_nested(rows: Sequence[Row], usual: int, where: str) -> Iterator[Fault]:
    """Groups with more than one parent, in rows of the usual length."""
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


def _counted(count: int, singular: str, plural: str) -> str:
    return f"{count} {singular if count == 1 else plural}"
