"""All ways to give the sensitive values of a class to its people, or a sample of them.

People who cannot be told apart are one *cell*. A *world* says how many people of each cell have
each value; it stands for as many assignments as there are ways to choose them. Every assignment is
equally probable before the attack (the random worlds of Wong et al. 2007 and Kifer 2009).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
SAMPLED_WORLDS = 2000  # worlds that are drawn if there are too many to list
MAX_CELLS = 200  # of a class whose worlds are listed, and values of it


@dataclass(frozen=True, slots=True, eq=False)
class Worlds:
    """Worlds of one class, or of several classes together."""

    rows: Whole  # (worlds, cells, values)
    weight: Floats  # (worlds,) probabilities
    exact: bool = True  # are these all worlds?


def list_worlds(people: Sequence[int], values: Sequence[int], limit: int) -> Worlds | None:
    """All worlds of cells of ``people``, if ``values`` rows hold each value; None if too many."""
    if max(len(people), len(values)) > MAX_CELLS:
        return None
    rows: list[list[tuple[int, ...]]] = []
    weights: list[int] = []
    for world in _worlds(tuple(people), tuple(values)):
        if len(rows) == limit:
            return None
        rows.append(world)
        weights.append(math.prod(map(_ways, world)))
    total = sum(weights)
    shape = (len(rows), len(people), len(values))
    return Worlds(
        np.array(rows, dtype=np.int64).reshape(shape),
        np.array([weight / total for weight in weights]),
    )


def draw_worlds(people: Sequence[int], values: Sequence[int], seed: int) -> Worlds:
    """A sample of the worlds, each with its probability."""
    random = np.random.default_rng(seed)
    cell = np.repeat(np.arange(len(people)), people)
    value = np.repeat(np.arange(len(values)), values)
    rows = np.empty((SAMPLED_WORLDS, len(people), len(values)), dtype=np.int64)
    for world in rows:
        held = np.bincount(cell * len(values) + random.permutation(value), minlength=world.size)
        world[:] = held.reshape(world.shape)
    return Worlds(rows, np.full(SAMPLED_WORLDS, 1 / SAMPLED_WORLDS), exact=False)


def together(parts: Sequence[Worlds], limit: int) -> Worlds | None:
    """The worlds of several classes at once; None if there are too many."""
    if math.prod(len(part.weight) for part in parts) > limit:
        return None
    rows, weight = np.zeros((1, 0, parts[0].rows.shape[2]), dtype=np.int64), np.ones(1)
    for part in parts:
        before, more = len(weight), len(part.weight)
        left = np.repeat(rows, more, axis=0)
        rows = np.concatenate([left, np.tile(part.rows, (before, 1, 1))], axis=1)
        weight = np.repeat(weight, more) * np.tile(part.weight, before)
    return Worlds(rows, weight, all(part.exact for part in parts))


def _worlds(people: tuple[int, ...], values: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    if len(people) == 1:
        yield [values]
        return
    for row in _choices(people[0], values):
        left = tuple(have - take for have, take in zip(values, row, strict=True))
        for rest in _worlds(people[1:], left):
            yield [row, *rest]


def _choices(size: int, values: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The ways to take ``size`` rows, by how many of each value."""
    if len(values) == 1:
        yield (size,)
        return
    behind = sum(values[1:])
    for take in range(max(0, size - behind), min(size, values[0]) + 1):
        for rest in _choices(size - take, values[1:]):
            yield (take, *rest)


def _ways(row: tuple[int, ...]) -> int:
    """The orders in which the people of a cell can have these values."""
    return math.factorial(sum(row)) // math.prod(map(math.factorial, row))
