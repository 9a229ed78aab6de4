"""The people of each class, if a public list has all of them by their values.

The list says who could be in a class. If nobody else fits a class and it has as many rows as people
who fit, then its people are known one by one, and only the assignment of the values is secret.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.record_linkage import match_tables
from lookalike.attacking.release_view import ReleaseView
from lookalike.counts.frequency_set import FrequencySet

Whole = NDArray[np.int64]
NOWHERE, SEVERAL = -1, -2  # no class fits; more than one class fits


@dataclass(frozen=True, slots=True, eq=False)
class ClassMembers:
    """Kinds of people (distinct tuples of the list), and the class of each."""

    of: Whole  # (kinds,) the class, NOWHERE or SEVERAL
    people: Whole  # (kinds,) people of each kind
    complete: NDArray[np.bool_]  # (classes,) is each of its people known?
    pairs: tuple[Whole, Whole]  # (pairs,) a kind and a class that fits it

    def kinds(self) -> Whole:
        """The kinds of people in complete classes."""
        placed = self.of >= 0
        known: Whole = np.flatnonzero(placed)[self.complete[self.of[placed]]]
        return known

    def by_class(self) -> list[tuple[int, Whole]]:
        """Each complete class with its kinds of people."""
        kinds = self.kinds()
        order = kinds[np.argsort(self.of[kinds], kind="stable")]
        start = np.flatnonzero(np.diff(self.of[order], prepend=-1))
        parts = np.split(order, start[1:])
        return [(int(self.of[part[0]]), part) for part in parts if len(part)]


def in_order_of(view: ReleaseView, people: FrequencySet) -> FrequencySet:
    """The list of people with its columns in the order of the policy."""
    at = [people.names.index(name) for name in view.policy.names]
    values = tuple(people.values[a] for a in at)
    return FrequencySet(view.policy.names, values, people.codes[:, at], people.counts)


def class_members(view: ReleaseView, people: FrequencySet) -> ClassMembers:
    """Find the class of each kind of people on a list."""
    released = FrequencySet(
        view.policy.names,
        tuple(column.labels for column in view.columns),
        view.codes.astype(np.int32),
        view.rows,
    )
    match = match_tables(released, people, view.policy.hierarchies)
    fits = np.zeros(people.groups, dtype=np.int64)
    of = np.full(people.groups, NOWHERE, dtype=np.int64)
    shared = np.zeros(view.classes, dtype=np.bool_)  # a person fits it and another class
    pairs = [np.zeros((2, 0), dtype=np.int64)]
    for chunk in match.candidates(match.kinds()).chunks():
        fits += np.bincount(chunk.person, minlength=people.groups)
        of[chunk.person] = chunk.tuple
        pairs.append(np.stack([chunk.person, chunk.tuple]))
        shared[chunk.tuple[fits[chunk.person] > 1]] = True
    of[fits > 1] = SEVERAL
    placed = of >= 0
    held = np.bincount(of[placed], people.counts[placed], view.classes)
    kind, at = np.concatenate(pairs, axis=1)
    return ClassMembers(of, people.counts, ~shared & (held == view.rows), (kind, at))
