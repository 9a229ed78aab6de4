"""What an attacker sees who has only the release: its classes, and the values that labels cover.

The attacker knows the release, the policy with its hierarchies, the algorithm, and which values
occur in each column (the domain). This is the worst case that is usual in the field: the method is
public, only the table is secret. The domain comes from the original table, or else from a list of
people; it says which values there are, not who has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.labels.column_match import match_column
from lookalike.attacking.labels.label_parsing import texts
from lookalike.attacking.parameters import paired
from lookalike.counts.frequency_set import FrequencySet, Histogram
from lookalike.counts.level_table import LevelTable, Value
from lookalike.errors import Fault, PolicyError
from lookalike.policy.policy import Policy
from lookalike.problem.sensitive_texts import text_histogram
from lookalike.tables.table import Table

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
NO_LEVEL = -1  # a label that no level of the hierarchy shows, for example an interval of cuts


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedColumn:
    """One quasi-identifier: the labels that occur in the release, and the values they cover."""

    table: LevelTable  # the hierarchy over the domain
    labels: tuple[str | None, ...]
    covers: Flags  # (labels, leaves)
    level: Whole  # (labels,) the lowest level at which these values look alike, or NO_LEVEL

    @property
    def name(self) -> str:
        """The column."""
        return self.table.name


@dataclass(frozen=True, slots=True, eq=False)
class ReleaseView:
    """A release as the attacker sees it: one entry for each distinct released tuple (class)."""

    policy: Policy
    columns: tuple[ReleasedColumn, ...]  # the quasi-identifiers, in the order of the policy
    codes: Whole  # (classes, columns) the label of each class, as an index into ``labels``
    rows: Whole  # (classes,)
    sensitive: Mapping[str, Histogram]  # by column, as texts; groups are classes
    algorithm: str = ""  # as the certificate names it; "" if unknown
    suppressed: int = 0  # rows, as the certificate says
    node: tuple[int, ...] | None = None  # the level of each column, if all classes show the same
    known_people: FrequencySet | None = field(default=None)  # all people by their values, if public

    @property
    def classes(self) -> int:
        """Distinct released tuples."""
        return len(self.rows)

    def fits(self, leaves: Sequence[int] | Whole) -> Flags:
        """(classes,) could a person with these values be in each class?"""
        fitting = np.ones(self.classes, dtype=np.bool_)
        for at, column in enumerate(self.columns):
            fitting &= column.covers[self.codes[:, at], leaves[at]]
        return fitting


def view_release(
    released: Table,
    policy: Policy,
    domain: FrequencySet,
    *,
    sensitive: Sequence[str] | None = None,
    algorithm: str = "",
    suppressed: int = 0,
    known_people: FrequencySet | None = None,
) -> ReleaseView:
    """Count a released table and read its labels.

    ``domain`` has the values of the quasi-identifiers. Of ``sensitive`` columns (by default those
    of the policy) the values are counted in each class.
    """
    wanted = tuple(policy.sensitive if sensitive is None else sensitive)
    counted = released.count_groups(policy.names, wanted)
    columns = tuple(
        _column(policy, name, counted.values[at], domain.values[domain.names.index(name)])
        for at, name in enumerate(policy.names)
    )
    levels = [column.level[np.unique(counted.codes[:, at])] for at, column in enumerate(columns)]
    same = all(len(set(of.tolist())) == 1 and of[0] != NO_LEVEL for of in levels)
    return ReleaseView(
        policy,
        columns,
        counted.codes.astype(np.int64),
        counted.counts,
        {name: text_histogram(histogram) for name, histogram in counted.sensitive.items()},
        algorithm,
        suppressed,
        tuple(int(of[0]) for of in levels) if same else None,
        known_people,
    )


def view_from_outside(
    released: Table,
    policy: Policy,
    *,
    sensitive: Sequence[str] | None = None,
    people: Table | None = None,
    on: Sequence[str] | Mapping[str, str] | None = None,
    original: Table | None = None,
    algorithm: str = "",
    suppressed: int = 0,
) -> ReleaseView:
    """The view of somebody who may have a list of everybody, or even the original.

    The domain comes from the original, or else from the list; without either, the attacker knows
    only the values that the release shows.
    """
    names = policy.names
    lacking = [
        Fault(f"quasi_identifiers.{name}", "the release has no such column", "give its own policy")
        for name in names
        if name not in released.columns
    ]
    if lacking:
        raise PolicyError(lacking)
    known = None if people is None else _known_people(people, names, on)
    domain = known or no_people(names)
    if original is not None:
        domain = original.eligible_rows(policy.eligible).count_groups(names)
    return view_release(
        released, policy, domain,
        sensitive=sensitive, algorithm=algorithm, suppressed=suppressed, known_people=known,
    )  # fmt: skip


def no_people(names: Sequence[str]) -> FrequencySet:
    """What an attacker counts who knows no values but those that a release shows."""
    groups = np.zeros((0, len(names)), np.int32)
    return FrequencySet(tuple(names), ((),) * len(names), groups, np.zeros(0, np.int64))


def _known_people(
    people: Table, names: Sequence[str], on: Sequence[str] | Mapping[str, str] | None
) -> FrequencySet:
    """A public list, counted by the quasi-identifiers; it must have them all."""
    theirs = {name: name for name in names} | dict(paired(on or {}))
    lacking = [
        Fault(f"on.{name}", "the list of people has no such column", "name the column that it is")
        for name in names
        if theirs[name] not in people.columns
    ]
    if lacking:
        raise PolicyError(lacking)
    counted = people.count_groups([theirs[name] for name in names])
    return FrequencySet(tuple(names), counted.values, counted.codes, counted.counts)


def _column(
    policy: Policy, name: str, labels: Sequence[Value], values: Sequence[Value]
) -> ReleasedColumn:
    hierarchy = policy.hierarchies[name]
    table = hierarchy.tabulate(name, values)
    match = match_column(name, labels, values, hierarchy)
    covers: Flags = match.rows(match.kind).T.copy()
    return ReleasedColumn(table, tuple(texts(labels)), covers, _levels(table, covers))


def _levels(table: LevelTable, covers: Flags) -> Whole:
    """(labels,) the lowest level at which exactly the covered values look alike."""
    lowest = np.full(len(covers), NO_LEVEL, dtype=np.int64)
    for at, covered in enumerate(covers):
        leaves = np.flatnonzero(covered)
        for level in range(table.height + 1 if len(leaves) else 0):
            alike = table.codes[:, level] == table.codes[leaves[0], level]
            if np.array_equal(alike, covered):
                lowest[at] = level
                break
    return lowest
