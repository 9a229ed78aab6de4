"""Tree: a hierarchy of named groups, from a file, a dict or rows."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.counts.level_table import TOP, LevelTable, Value
from lookalike.errors import Fault, PolicyError
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.declared_domain import look_up
from lookalike.policy.hierarchies.level_builder import Rung, by_rank, climb, level_name
from lookalike.policy.hierarchies.tree_checks import tree_faults
from lookalike.policy.hierarchies.tree_dict import rows_of
from lookalike.policy.hierarchies.tree_file import Rows, read_rows
from lookalike.policy.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True)
class Tree(Hierarchy):
    """Each row is one leaf: the value as text, its group, the group of that group, …

    ``*`` is the last level whether or not the rows end in it: a top group with another name stays
    as a level below ``*``. Declared leaves count whether or not they occur in the table. The order
    of the leaves is the preorder of the tree: as declared, with the members of a group together.
    """

    rows: Rows
    source: str | None = None  # the path as the user gave it, if the rows came from a file

    name = "tree"
    example = '"hierarchies/job.csv"'

    def __post_init__(self) -> None:
        faults = tree_faults(self.rows, f"tree {self.source}" if self.source else "tree")
        if faults:
            raise PolicyError(faults)

    @property
    def _groups(self) -> int:
        """Levels between the value and ``*``."""
        width = len(self.rows[0])
        starred = width > 1 and all(row[-1] == TOP for row in self.rows)
        return width - 2 if starred else width - 1

    @property
    def by_value(self) -> bool:
        return True

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        leaf = {row[0]: row[0] for row in self.rows}
        keys = look_up(name, values, leaf)
        rank = self._preorder()
        order = by_rank([None if key is None else rank[key] for key in keys])
        rungs = [self._rung(level) for level in range(1, self._groups + 1)]
        return climb(name, values, keys, rungs, order=order, declared=len(self.rows))

    def describe(self, level: int) -> str:
        levels = list(zip(*self.rows, strict=True))[1 : self._groups + 1]
        sizes = [len(set(groups)) for groups in levels]
        return level_name(level, [f"{n} group{'s' if n > 1 else ''} of the tree" for n in sizes])

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], base: Path) -> Hierarchy:
        source = spec["tree"]
        if isinstance(source, list) and not all(isinstance(row, list) for row in source):
            source = None
        if not isinstance(source, str | Mapping | list):
            fix = f"use tree = {cls.example}"
            raise PolicyError(Fault("tree", "not a path, a table of groups, or rows", fix))
        return tree(source, base=base)

    def to_dict(self) -> Mapping[str, object]:
        if self.source is not None:
            return {"tree": self.source}
        return {"tree": [list(row) for row in self.rows]}

    def _rung(self, level: int) -> Rung[str]:
        parent = {row[level - 1]: row[level] for row in self.rows}
        leaves = Counter(row[level] for row in self.rows)
        return Rung(parent.__getitem__, str, leaves.__getitem__)

    def _preorder(self) -> dict[str, tuple[int, ...]]:
        """The rank of each leaf: where its groups first appear, top down, then its own place."""
        first: list[dict[str, int]] = []
        for level in range(len(self.rows[0])):
            appeared: dict[str, int] = {}
            for row in self.rows:
                appeared.setdefault(row[level], len(appeared))
            first.append(appeared)
        return {
            row[0]: tuple(first[level][row[level]] for level in reversed(range(len(row))))
            for row in self.rows
        }


def tree(
    source: str | os.PathLike[str] | Mapping[object, object] | Iterable[Sequence[Value]],
    *,
    base: str | os.PathLike[str] = ".",
) -> Tree:
    """A hierarchy of named groups, from a CSV file, a nested dict, or rows.

    Parameters
    ----------
    source : path, dict or iterable of rows
        A file has one row for each leaf, leaf first, for example ``France;West;Europe``, separated
        by ``;``, tab, ``|`` or ``,``, without a header. A dict has groups as keys and leaves in
        lists: ``{"Europe": {"West": ["France", "Spain"]}}``. Rows are like those of a file.
    base : path
        The folder to which a relative path belongs.

    Returns
    -------
    Hierarchy

    Raises
    ------
    PolicyError
        If the file cannot be read, rows differ in length, leaves repeat, or groups do not nest.

    Examples
    --------
    >>> import lookalike as la
    >>> countries = la.tree({"West": ["France", "Spain"], "North": ["Norway"]})
    >>> countries.tabulate("country", ["Norway", "Spain"]).labels[1]
    ('North', 'West')
    """
    if isinstance(source, str | os.PathLike):
        shown = os.fspath(source)
        return Tree(read_rows(Path(base) / shown, shown), shown)
    if isinstance(source, Mapping):
        return Tree(rows_of(source))
    return Tree(tuple(tuple(text(cell) for cell in row) for row in source))
