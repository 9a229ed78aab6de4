"""Laws that every hierarchy keeps, whatever its levels; and how tests read a level table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookalike.counts.level_table import TOP, LevelTable, Value
from lookalike.errors import PolicyError
from lookalike.policy.cell_text import is_null, text
from lookalike.policy.hierarchy import Hierarchy
from lookalike.policy.policy_file import from_dict


def shown(table: LevelTable, leaf: int) -> list[str | None]:
    """What a release would show for one value, level by level."""
    return [table.labels[level][code] for level, code in enumerate(table.codes[leaf])]


def climbs(hierarchy: Hierarchy, value: Value) -> list[str | None]:
    """The same for a column that holds nothing else."""
    return shown(hierarchy.tabulate("column", [value]), 0)


def keeps_the_laws(hierarchy: Hierarchy, values: Sequence[Value]) -> LevelTable:
    assert isinstance(hierarchy, Hierarchy)
    table = hierarchy.tabulate("column", values)
    assert table.leaves == len(values)
    for level in range(table.height + 1):
        codes, labels = table.codes[:, level], table.labels[level]
        assert level == table.height or set(codes.tolist()) == set(range(len(labels)))
        assert level == 0 or len(set(labels)) == len(labels), "a label stands for one code"
        assert isinstance(hierarchy.describe(level), str)
        if level:
            below = table.codes[:, level - 1]
            pairs = set(zip(below.tolist(), codes.tolist(), strict=True))
            assert len(pairs) == len(set(below.tolist())), "levels nest"
            counted = np.zeros(len(labels), dtype=np.int64)
            for child, parent in pairs:
                counted[parent] += table.leaves_under[level - 1][child]
            assert (counted <= table.leaves_under[level]).all(), "no leaf is lost on the way up"
    for leaf, value in enumerate(values):
        labels = shown(table, leaf)
        assert labels[-1] == TOP
        if is_null(value):
            assert set(labels[:-1]) == {None}
        else:
            assert labels[0] == text(value)
            assert None not in labels
    if table.order is not None:
        assert sorted(table.order.tolist()) == list(range(len(values)))
    assert from_dict(hierarchy.to_dict()) == hierarchy
    return table


def refusal(hierarchy: Hierarchy, values: Sequence[Value]) -> PolicyError:
    """The error of a hierarchy that must not take these values."""
    try:
        hierarchy.tabulate("column", values)
    except PolicyError as error:
        return error
    raise AssertionError("the hierarchy took values that it should refuse")
