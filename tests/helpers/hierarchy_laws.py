"""Laws that every hierarchy keeps, whatever its levels; and how tests read a level table."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.counts.level_table import LevelTable, Value
from lookalike.errors import PolicyError
from lookalike.policy.hierarchy import Hierarchy
from lookalike.policy.policy_file import from_dict
from lookalike.testing.hierarchy_contract import check_levels


def shown(table: LevelTable, leaf: int) -> list[str | None]:
    """What a release would show for one value, level by level."""
    return [table.labels[level][code] for level, code in enumerate(table.codes[leaf])]


def climbs(hierarchy: Hierarchy, value: Value) -> list[str | None]:
    """The same for a column that holds nothing else."""
    return shown(hierarchy.tabulate("column", [value]), 0)


def keeps_the_laws(hierarchy: Hierarchy, values: Sequence[Value]) -> LevelTable:
    table = check_levels(hierarchy, values)
    assert from_dict(hierarchy.to_dict()) == hierarchy
    return table


def refusal(hierarchy: Hierarchy, values: Sequence[Value]) -> PolicyError:
    """The error of a hierarchy that must not take these values."""
    try:
        hierarchy.tabulate("column", values)
    except PolicyError as error:
        return error
    raise AssertionError("the hierarchy took values that it should refuse")
