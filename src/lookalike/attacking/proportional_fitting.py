"""Which person has which row: beliefs that respect how many people and how many values there are.

Beliefs are people for each entry: a kind of people, with a value, in a class that fits. Every kind
has a known number of people, and every class a known number of rows with each value. Starting from
the likelihood of each entry, both are made to fit in turns (iterative proportional fitting, Deming
and Stephan 1940), which gives the beliefs of maximum entropy. For small classes, the probabilities
can also be added up over all assignments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
ROUNDS = 200
FITTED = 1e-6  # people, at most, by which a number may be wrong when fitting ends


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Who could have which value where; ``OUTSIDE`` entries are people without a row."""

    kind: Whole  # (entries,)
    value: Whole  # (entries,) −1 outside
    cell: Whole  # (entries,) a number for each class and value; the last one is outside
    people: Floats  # (kinds,)
    rows: Floats  # (cells,)

    def fit(self, likelihood: Floats) -> Floats:
        """(entries,) people, from the ``likelihood`` (kinds, values) of each value."""
        inside = self.value >= 0
        start = np.where(inside, likelihood[self.kind, self.value], 0.0)
        start[~inside] = likelihood[self.kind[~inside]].mean(axis=1)
        by_kind, by_cell = np.ones(len(self.people)), np.ones(len(self.rows))
        for _ in range(ROUNDS):
            by_kind = _scale(self.people, self.kind, start * by_cell[self.cell])
            fitted = start * by_kind[self.kind]
            held = np.bincount(self.cell, fitted * by_cell[self.cell], len(self.rows))
            if np.abs(held - self.rows).max(initial=0) <= FITTED:
                break
            by_cell = _scale(self.rows, self.cell, fitted)
        return np.asarray(start * by_kind[self.kind] * by_cell[self.cell])

    def believed(self, entries: Floats, values: int) -> Floats:
        """(kinds, values) the people of each kind who are believed to have each value."""
        inside = self.value >= 0
        key = self.kind[inside] * values + self.value[inside]
        people = np.bincount(key, entries[inside], len(self.people) * values)
        return people.astype(np.float64).reshape(-1, values)


def _scale(wanted: Floats, of: Whole, entries: Floats) -> Floats:
    """The factors by which the entries of each number add up to what is wanted."""
    held = np.bincount(of, entries, len(wanted))
    return np.asarray(np.divide(wanted, held, out=np.zeros(len(wanted)), where=held > 0))


def count_assignments(people: Sequence[int], rows: Sequence[int], likelihood: Floats) -> Floats:
    """(kinds, values) the probability of each value in one class, over all assignments.

    ``likelihood`` (kinds, values) is that of one person. One person after the other takes a value;
    a state says how many rows of each value are taken.
    """
    persons = np.repeat(np.arange(len(people)), people)
    shape = tuple(have + 1 for have in rows)
    before = [_only(shape, (0,) * len(rows))]
    for kind in persons:
        state = np.zeros(shape)
        for value, weight in enumerate(likelihood[kind]):
            state[_after(value)] += weight * before[-1][_before(value)]
        before.append(state / state.sum())
    chance = np.zeros_like(likelihood)
    after = _only(shape, tuple(rows))
    for kind, earlier in zip(persons[::-1], before[-2::-1], strict=True):
        state, taken = np.zeros(shape), np.zeros(len(rows))
        for value, weight in enumerate(likelihood[kind]):
            step = weight * after[_after(value)]
            state[_before(value)] += step
            taken[value] = (earlier[_before(value)] * step).sum()
        chance[kind] += taken / taken.sum()
        after = state / state.sum()
    return np.asarray(chance / np.array(people)[:, None])


def _only(shape: tuple[int, ...], state: tuple[int, ...]) -> Floats:
    alone = np.zeros(shape)
    alone[state] = 1
    return alone


def _after(value: int) -> tuple[slice, ...]:
    """The states in which a row of this value is taken."""
    return (*[slice(None)] * value, slice(1, None))


def _before(value: int) -> tuple[slice, ...]:
    """The same states before it is taken."""
    return (*[slice(None)] * value, slice(None, -1))
