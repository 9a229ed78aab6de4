"""Ground distances: how far apart two values are, and a class's distribution from the release's.

The three ground distances of Li, Li and Venkatasubramanian 2007, each with its closed form of the
Earth Mover's Distance (EMD). They work on sparse entries: a class takes time for the values it
holds, not for those it lacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable, Value
from lookalike.counts.sensitive_spread import Spread, Whole, tally
from lookalike.errors import Fault, PolicyError
from lookalike.name_suggestions import unknown_word
from lookalike.registry import HIERARCHIES

Floats = NDArray[np.float64]


class GroundDistance:
    """Base class of ground distances, which are from 0 to 1 for any two values."""

    name: ClassVar[str] = ""

    def from_release(self, spread: Spread, sizes: Whole) -> Floats:
        """(classes,) the Earth Mover's Distance of each class from the whole release."""
        raise NotImplementedError

    def floor(self, spread: Spread, classes: int) -> Floats:
        """(classes,) a lower bound on the distance of any part, whatever is suppressed."""
        return np.zeros(classes)

    def fault(self, column: str, values: tuple[Value, ...]) -> str | None:
        """A sentence on why these values cannot be compared; None if they can."""
        return None

    def words(self) -> str:
        """The distance in words, for the sentence of a requirement."""
        raise NotImplementedError

    def to_policy(self, *, whole: bool = False) -> dict[str, Any]:
        """What a policy file writes beside its name; ``whole`` writes a tree out, not its path."""
        return {}


@dataclass(frozen=True, slots=True)
class Equal(GroundDistance):
    """Any two different values are 1 apart: for categories without an order.

    EMD = ½ Σ |p − q|, which is Σ (q − p) over values with q > p. A part of a class holds no other
    values than the class, so all else must be moved to them: the distance of a part is at least 1
    minus the share that the class's values have in the release.

    Examples
    --------
    >>> import lookalike as la
    >>> la.TCloseness("diagnosis", 0.3, la.Equal()).t
    0.3
    """

    name: ClassVar[str] = "equal"

    def from_release(self, spread: Spread, sizes: Whole) -> Floats:
        over = spread.count / sizes[spread.of] - spread.known[spread.code]
        return spread.summed(np.maximum(over, 0), len(sizes))

    def floor(self, spread: Spread, classes: int) -> Floats:
        held = spread.summed(spread.total[spread.code].astype(float), classes)
        return 1 - held / max(1, spread.fewest)

    def words(self) -> str:
        return "any two different values are equally far apart"


@dataclass(frozen=True, slots=True)
class Ordered(GroundDistance):
    """Two values are as far apart as their ranks: for numbers, dates and ordered categories.

    The distance of the i-th and the j-th of the release's m values is |i − j| / (m − 1), and
    EMD = Σ |P_i − Q_i| / (m − 1) over the cumulative shares.

    Parameters
    ----------
    order : tuple of str, optional
        The values as text, in their order. Without it the values have to be all numbers or all
        dates, which have an order of their own.

    Examples
    --------
    >>> import lookalike as la
    >>> la.TCloseness("grade", 0.3, la.Ordered(("low", "mid", "high"))).distance.order
    ('low', 'mid', 'high')
    """

    order: tuple[str, ...] | None = None

    name: ClassVar[str] = "ordered"

    def from_release(self, spread: Spread, sizes: Whole) -> Floats:
        ranks = _ranks(spread.values, self.order)
        held = np.zeros(len(ranks))
        held[ranks] = spread.total
        there = held > 0
        place = np.maximum(np.cumsum(there) - 1, 0)[ranks]  # among values that the release holds
        known = np.cumsum(held[there]) / max(1.0, held.sum())
        m = len(known)
        if m < 2:
            return np.zeros(len(sizes))
        before = np.concatenate([[0.0], np.cumsum(known)])  # before[i]: the sum of known[:i]
        order = np.lexsort([place[spread.code], spread.of])
        of, at = spread.of[order], place[spread.code[order]]
        so_far = np.cumsum(spread.count[order])
        first = np.searchsorted(of, np.arange(len(sizes)))
        start = np.concatenate([[0], so_far])[first]
        share = (so_far - start[of]) / sizes[of]
        # From each entry to the next of its class, the class's cumulative share stays the same.
        end = np.full(len(of), m - 1)
        same = of[1:] == of[:-1]
        end[:-1][same] = at[1:][same]
        turn = np.clip(np.searchsorted(known, share), at, end)
        each = share * (2 * turn - at - end) + before[at] + before[end] - 2 * before[turn]
        total = np.bincount(of, weights=each, minlength=len(sizes))
        has = np.bincount(of, minlength=len(sizes)) > 0
        total[has] += before[at[first[has]]]
        return total / (m - 1)

    def fault(self, column: str, values: tuple[Value, ...]) -> str | None:
        if any(value is None for value in values):
            return f"{column} has nulls, which have no rank"
        if self.order is not None:
            missing = {str(value) for value in values} - set(self.order)
            if missing:
                return f"{len(missing)} values of {column} are not in the order given"
            return None
        if _sorting(values) is None:
            return f"the values of {column} are not all numbers, nor all dates such as 2026-12-31"
        return None

    def words(self) -> str:
        return "two values are as far apart as their ranks"

    def to_policy(self, *, whole: bool = False) -> dict[str, Any]:
        return {} if self.order is None else {"order": list(self.order)}


@runtime_checkable
class Tabulates(Protocol):
    """What a ground distance needs of a hierarchy."""

    def tabulate(self, name: str, values: Sequence[Value]) -> LevelTable:
        """The level of generalization of each value, as a table."""


@dataclass(frozen=True, slots=True)
class Hierarchical(GroundDistance):
    """Two values are as far apart as the level of the tree that joins them.

    The distance is the level of the lowest label that both values share, divided by the height of
    the tree. EMD = Σ over labels N of level(N) / height · min(surplus, deficit of its children).

    Parameters
    ----------
    tree : Hierarchy
        A hierarchy of the column, for example made by ``la.tree``.

    Raises
    ------
    TypeError
        If ``tree`` is not a hierarchy.

    Examples
    --------
    >>> import lookalike as la
    >>> diseases = la.tree({"lung": ["asthma", "flu"], "heart": ["angina"]})
    >>> print(la.TCloseness("disease", 0.4, la.Hierarchical(diseases)).distance.words())
    two values are as far apart as the level of the tree that joins them
    """

    tree: Tabulates

    name: ClassVar[str] = "hierarchical"

    def __post_init__(self) -> None:
        if isinstance(self.tree, type) or not isinstance(self.tree, Tabulates):
            raise TypeError("the tree is not a hierarchy; make one with la.tree({...})")

    def from_release(self, spread: Spread, sizes: Whole) -> Floats:
        codes = _climbed(self.tree, spread.values)  # type: ignore[arg-type]  # hierarchies are frozen
        height = codes.shape[1] - 1
        class_count, known = len(sizes), spread.known
        of, code, count = spread.of, spread.code, spread.count
        node, cost = codes[code, 0], np.zeros(class_count)
        for level in range(1, height + 1):
            width = int(codes[:, level - 1].max(initial=0)) + 1
            of, node, count = tally(of, node, count, class_count, width)
            share = np.bincount(codes[:, level - 1], weights=known, minlength=width)
            over = count / sizes[of] - share[node]
            parent = _parents(codes, level)
            wide = int(codes[:, level].max(initial=0)) + 1
            key = of * wide + parent[node]
            groups, inside = np.unique(key, return_inverse=True)
            inside = inside.reshape(-1)
            too_much = np.bincount(inside, weights=np.maximum(over, 0), minlength=len(groups))
            held = np.bincount(inside, weights=count, minlength=len(groups))
            group_of, group = groups // wide, groups % wide
            above = np.bincount(codes[:, level], weights=known, minlength=wide)
            too_little = too_much - (held / sizes[group_of] - above[group])
            moved = np.maximum(np.minimum(too_much, too_little), 0) * level / height
            cost += np.bincount(group_of, weights=moved, minlength=class_count)
            node = parent[node]
        return cost

    def fault(self, column: str, values: tuple[Value, ...]) -> str | None:
        try:
            self.tree.tabulate(column, values)
        except PolicyError as error:
            return f"the tree of {column} does not fit: {error.faults[0].problem}"
        return None

    def words(self) -> str:
        return "two values are as far apart as the level of the tree that joins them"

    def to_policy(self, *, whole: bool = False) -> dict[str, Any]:
        tree, rows = self.tree, getattr(self.tree, "rows", None)
        if rows is None or not isinstance(tree, HIERARCHIES.load("tree")):
            problem = "a hierarchical distance is written to files with a tree only"
            raise PolicyError(Fault("require.t_closeness", problem, "use la.tree(...)"))
        return {"tree": [list(row) for row in rows]} if whole else dict(tree.to_dict())


def distance_from(spec: Mapping[str, Any], base: Path) -> GroundDistance:
    """The distance that a policy file gives: ``distance``, with ``order`` or ``tree``."""
    name = spec.get("distance", "equal")
    known = ("equal", "ordered", "hierarchical")
    if name not in known:
        raise PolicyError(unknown_word("distance", "no such distance", name, known))
    for key, owner in (("tree", "hierarchical"), ("order", "ordered")):
        if key in spec and name != owner:
            raise ValueError(f'{key} is only for distance = "{owner}"')
    if name == "ordered":
        order = spec.get("order")
        if order is not None and not isinstance(order, list):
            raise TypeError("order is not a list of values")
        return Ordered(None if order is None else tuple(map(str, order)))
    if name == "hierarchical":
        if "tree" not in spec:
            problem = 'missing, and distance = "hierarchical" needs it'
            fix = 'add it, for example tree = "diagnoses.csv"'
            raise PolicyError(Fault("tree", problem, fix))
        return Hierarchical(HIERARCHIES.load("tree").from_dict(spec, base))
    return Equal()


@lru_cache(maxsize=64)
def _ranks(values: tuple[Value, ...], order: tuple[str, ...] | None) -> Whole:
    """(values,) the rank of each value."""
    if order is not None:
        place = {text: i for i, text in enumerate(order)}
        keys: list[object] = [(place.get(str(value), len(place)), str(value)) for value in values]
    else:
        keys = list(_sorting(values) or map(str, values))
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[sorted(range(len(values)), key=keys.__getitem__)] = np.arange(len(values))  # type: ignore[arg-type]
    return ranks


def _sorting(values: tuple[Value, ...]) -> list[tuple[object, str]] | None:
    """Sort keys of numbers or dates; None if the values are neither."""
    for read in (_number, _day):
        keys = [read(str(value)) for value in values]
        if None not in keys:
            return list(zip(keys, map(str, values), strict=True))
    return None


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        return None


@lru_cache(maxsize=64)
def _climbed(tree: Tabulates, values: tuple[Value, ...]) -> NDArray[np.int64]:
    """(values, levels) the code of each value, up to the first level with one label for all."""
    table = tree.tabulate("", values)
    top = next(
        level
        for level in range(table.height + 1)
        if level == table.height
        or (len(table.labels[level]) == 1 and int(table.leaves_under[level][0]) >= table.declared)
    )
    return table.codes[:, : max(1, top) + 1].astype(np.int64)


def _parents(codes: NDArray[np.int64], level: int) -> Whole:
    parent = np.zeros(int(codes[:, level - 1].max(initial=0)) + 1, dtype=np.int64)
    parent[codes[:, level - 1]] = codes[:, level]
    return parent
