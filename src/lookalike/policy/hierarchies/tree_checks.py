"""What can be wrong with a tree before any table is seen; everything is found at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lookalike.errors import Fault

Row = Sequence[str]


def tree_faults(rows: Sequence[Row], where: str) -> list[Fault]:
    """Empty and uneven rows, unnamed groups, repeated leaves, and levels that do not nest."""
    full = [row for row in rows if row and (len(row) == 1 or any(row))]
    if not full:
        return [Fault(where, "there is no leaf", "give one row a leaf, as France;West;Europe")]
    found = []
    if len(full) < len(rows):
        problem = _some(len(rows) - len(full), "row is", "rows are") + " empty"
        found.append(Fault(where, problem, "take empty rows out"))
    found.extend(_uneven(full, where))
    found.extend(_unnamed(full, where))
    found.extend(_repeated(full, where))
    found.extend(_torn(full, where))
    return found


def _uneven(rows: Sequence[Row], where: str) -> Iterator[Fault]:
    usual = _usual_length(rows)
    odd = tuple(row[0] for row in rows if len(row) != usual)
    if odd:
        yield Fault(
            where,
            _some(len(odd), "row has", "rows have")
            + f" another number of fields than most, {usual}",
            "give every row one field a level",
            odd,
        )


def _unnamed(rows: Sequence[Row], where: str) -> Iterator[Fault]:
    unnamed = tuple(row[0] for row in rows if not all(row[1:]))
    if unnamed:
        yield Fault(
            where,
            _some(len(unnamed), "row has", "rows have") + " an empty group",
            "name the group, or take the last delimiter out",
            unnamed,
        )


def _repeated(rows: Sequence[Row], where: str) -> Iterator[Fault]:
    leaves = Counter(row[0] for row in rows)
    repeated = tuple(leaf for leaf, count in leaves.items() if count > 1)
    if repeated:
        yield Fault(
            where,
            _some(len(repeated), "leaf is", "leaves are") + " listed more than once",
            "list each leaf once",
            repeated,
        )


def _torn(rows: Sequence[Row], where: str) -> Iterator[Fault]:
    """Groups with more than one parent."""
    usual = _usual_length(rows)
    for level in range(1, usual - 1):
        parents: dict[str, set[str]] = {}
        for row in rows:
            if len(row) == usual:
                parents.setdefault(row[level], set()).add(row[level + 1])
        torn = tuple(group for group, above in parents.items() if len(above) > 1)
        if torn:
            yield Fault(
                where,
                _some(len(torn), f"group of level {level} lies", f"groups of level {level} lie")
                + f" in more than one group of level {level + 1}",
                "put each group into one group of the next level, or give it two names",
                torn,
            )


def _usual_length(rows: Sequence[Row]) -> int:
    return Counter(len(row) for row in rows).most_common(1)[0][0]


def _some(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
