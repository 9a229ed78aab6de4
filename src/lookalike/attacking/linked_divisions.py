"""Classes that share finer recodings: at least one class must break each, but which is unknown.

For each class, the *outcomes* say which divisions it breaks, with what probability, and how many
people of each cell then have each value. Classes that share divisions are combined: the outcomes in
which some class breaks every division stay, the others are ruled out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.value_assignments import Worlds

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
MAX_LINKED = 10  # divisions that are combined; others are left out, so less is deduced


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What may happen in one class, in one column."""

    column: str
    kinds: Whole  # (kinds,) of people of the class
    cell: Whole  # (kinds,) the cell of each
    codes: Whole  # (values,) that the class has
    divisions: Whole  # numbers of the divisions that divide the class
    fails: Flags  # (outcomes, divisions) all different
    weight: Floats  # (outcomes,) probabilities
    expected: Floats  # (outcomes, cells, values) people, times the probability
    exact: bool

    @classmethod
    def of(
        cls,
        column: str,
        kinds: Whole,
        cell: Whole,
        codes: Whole,
        divisions: Whole,
        fails: Flags,
        worlds: Worlds,
    ) -> Outcomes:
        """Put the worlds together in which the same divisions fail."""
        expected = worlds.weight[:, None, None] * worlds.rows
        one = cls(
            column, kinds, cell, codes, divisions, fails, worlds.weight, expected, worlds.exact
        )
        return one.only(np.ones(int(divisions.max()) + 1, dtype=np.bool_))

    def only(self, wanted: Flags) -> Outcomes:
        """With the wanted divisions alone."""
        kept = wanted[self.divisions]
        fails, of = np.unique(self.fails[:, kept], axis=0, return_inverse=True)
        weight = np.bincount(of.reshape(-1), self.weight, len(fails)).astype(np.float64)
        expected = np.zeros((len(fails), *self.expected.shape[1:]))
        np.add.at(expected, of.reshape(-1), self.expected)
        return replace(
            self, divisions=self.divisions[kept], fails=fails, weight=weight, expected=expected
        )

    def passing(self) -> Floats:
        """(divisions,) the probability that the class does not break each."""
        return np.asarray(((~self.fails) * self.weight[:, None]).sum(axis=0))


def linked(outcomes: Sequence[Outcomes]) -> list[list[Outcomes]]:
    """Groups of classes that share divisions, without divisions that tell nothing.

    A division tells nothing if a class certainly breaks it.
    """
    numbers = [int(number) for one in outcomes for number in one.divisions]
    tells = np.ones(max(numbers, default=-1) + 1, dtype=np.bool_)
    for one in outcomes:
        tells[one.divisions[one.passing() <= 0]] = False
    useful = [one.only(tells) for one in outcomes]
    useful = [one for one in useful if one.fails.any()]
    group = np.arange(len(tells))
    for one in useful:  # divisions that a class shares are in one group
        together = np.isin(group, group[one.divisions])
        group[together] = group[one.divisions[0]]
    groups: dict[int, list[Outcomes]] = {}
    for one in useful:
        groups.setdefault(int(group[one.divisions[0]]), []).append(one)
    return [_limited(members) for members in groups.values()]


def _limited(group: Sequence[Outcomes]) -> list[Outcomes]:
    """At most MAX_LINKED divisions: those that pass most probably tell most by failing."""
    numbers = np.unique(np.concatenate([one.divisions for one in group]))
    passing = np.ones(int(numbers.max()) + 1)
    for one in group:
        passing[one.divisions] *= one.passing()
    best = numbers[np.argsort(-passing[numbers], kind="stable")][:MAX_LINKED]
    wanted = np.zeros(len(passing), dtype=np.bool_)
    wanted[best] = True
    return [one.only(wanted) for one in group]


def combine(group: Sequence[Outcomes]) -> list[Floats] | None:
    """For each class (cells, values): the probability of each value, if every division fails.

    None if that is impossible. A set of divisions is a number, with a bit for each.
    """
    numbers = np.unique(np.concatenate([one.divisions for one in group]))
    place = {int(number): bit for bit, number in enumerate(numbers)}
    full = (1 << len(numbers)) - 1
    sets = [_sets(one, place) for one in group]
    before = [_nothing_fails(full)]
    for one, failing in zip(group, sets, strict=True):
        before.append(_with(before[-1], one, failing))
    after = _nothing_fails(full)
    beliefs: list[Floats] = []
    for one, failing, earlier in reversed(list(zip(group, sets, before, strict=False))):
        covering = _supersets(after)
        states = np.arange(full + 1)
        weight = np.array(
            [float((earlier * covering[full & ~(states | bits)]).sum()) for bits in failing]
        )
        expected = np.tensordot(weight, one.expected, axes=1)  # (cells, values)
        people = expected.sum(axis=1, keepdims=True)
        if (people <= 0).any():
            return None
        beliefs.append(expected / people)
        after = _with(after, one, failing)
    return beliefs[::-1]


def _sets(outcomes: Outcomes, place: dict[int, int]) -> list[int]:
    """The set of divisions that fail in each outcome."""
    bits = [1 << place[int(number)] for number in outcomes.divisions]
    return [sum(b for b, fails in zip(bits, row, strict=True) if fails) for row in outcomes.fails]


def _nothing_fails(full: int) -> Floats:
    """(sets,) the probability of each set of divisions that fail, before any class is seen."""
    state = np.zeros(full + 1)
    state[0] = 1
    return state


def _with(state: Floats, one: Outcomes, failing: Sequence[int]) -> Floats:
    """The same with one more class."""
    more = np.zeros_like(state)
    sets = np.arange(len(state))
    for bits, weight in zip(failing, one.weight, strict=True):
        np.add.at(more, sets | bits, state * weight)
    return more


def _supersets(state: Floats) -> Floats:
    """(sets,) the probability that all divisions of a set fail; sums of positive numbers only."""
    covering, size, bit = state.copy(), len(state), 1
    while bit < size:
        pairs = covering.reshape(-1, 2, bit)
        pairs[:, 0] += pairs[:, 1]
        bit *= 2
    return covering
