"""Build the level table of a hierarchy: take the key of each value up to ``*``, level by level."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP, LevelTable, Value
from lookalike.errors import Fault, PolicyError
from lookalike.policy.cell_text import is_null, text

MAX_LABELS = 12_000_000
UNCHANGED = "unchanged"
SUPPRESSED = f"suppressed ({TOP})"

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Rung(Generic[Key]):
    """One level between the value and ``*``."""

    up: Callable[[Key], Key]  # from the key one level below to the key here
    label: Callable[[Key], str]  # what a release shows; different keys have different labels
    leaves: Callable[[Key], int] | None = None  # declared leaves below; None: those that occur


def climb(
    name: str,
    values: Sequence[Value],
    keys: Sequence[Key | None],  # one for each value; None for a null
    rungs: Sequence[Rung[Key]],
    *,
    order: NDArray[np.int32] | None = None,
    declared: int | None = None,  # leaves of the whole hierarchy; None: those that occur
) -> LevelTable:
    """Tabulate ``values`` by taking their keys up the rungs.

    Nulls keep a code of their own below ``*``. Each rung is called only for the distinct keys of
    the rung below, so most of the work is at the bottom.
    """
    count = len(values)
    if count * len(rungs) > MAX_LABELS:
        raise PolicyError(_too_many_labels(name, count, len(rungs)))
    codes = np.empty((count, len(rungs) + 2), dtype=np.int32)
    codes[:, 0] = np.arange(count)
    labels: list[tuple[str | None, ...]] = [
        tuple(None if key is None else text(value) for key, value in zip(keys, values, strict=True))
    ]
    leaves_under = [np.ones(count, dtype=np.int64)]
    is_declared = declared is not None or any(rung.leaves is not None for rung in rungs)
    beyond = _beyond_declared(keys) if is_declared else np.zeros(count, dtype=np.bool_)

    below: Sequence[Key | None] = keys
    for level, rung in enumerate(rungs, 1):
        up = rung.up
        parents = [None if key is None else up(key) for key in below]
        code_of = {key: code for code, key in enumerate(dict.fromkeys(parents))}
        parent = np.array([code_of[key] for key in parents], dtype=np.int32)
        codes[:, level] = parent[codes[:, level - 1]]
        below = list(code_of)
        labels.append(tuple(None if key is None else rung.label(key) for key in below))
        if rung.leaves is None:
            under = np.bincount(codes[:, level], minlength=len(below))
        else:
            under = np.bincount(codes[beyond, level], minlength=len(below))
            for code, key in enumerate(below):
                under[code] += 0 if key is None else rung.leaves(key)
        leaves_under.append(under.astype(np.int64))

    codes[:, -1] = 0
    labels.append((TOP,))
    total = count if declared is None else declared + int(beyond.sum())
    leaves_under.append(np.array([total], dtype=np.int64))
    return LevelTable(name, codes, tuple(labels), tuple(leaves_under), order)


def _too_many_labels(name: str, values: int, levels: int) -> Fault:
    """Each level of a column of millions of values has millions of labels, about 200 bytes each."""
    labels = values * levels
    fit = MAX_LABELS // values
    fewer = f"use a hierarchy of at most {fit} levels below *, or " if fit else ""
    return Fault(
        column_place(name),
        f"{values:,} distinct values on {levels} levels need {labels:,} labels, about "
        f"{labels * 200 // 10**9} GB; the limit is {MAX_LABELS:,} labels",
        f"{fewer}shorten or round the column beforehand, or do not release it",
    )


def _beyond_declared(keys: Sequence[Hashable | None]) -> NDArray[np.bool_]:
    """(values,) leaves that no declared hierarchy counts: nulls, and 1 next to "1"."""
    seen: set[Hashable] = {None}
    beyond = np.zeros(len(keys), dtype=np.bool_)
    for leaf, key in enumerate(keys):
        beyond[leaf] = key in seen
        seen.add(key)
    return beyond


def missing(value: Value) -> bool:
    """Is it null, a NaN of any kind, or the not-a-time of a data frame?"""
    if type(value) is str:
        return False
    if isinstance(value, Decimal):
        return value.is_nan()  # quiet or signaling; math.isnan raises on signaling ones
    if is_null(value):
        return True
    if isinstance(value, np.datetime64):
        return bool(np.isnat(value))
    if isinstance(value, np.floating):
        return math.isnan(value)
    return isinstance(value, datetime.datetime) and value != value  # noqa: PLR0124


def level_name(level: int, between: Sequence[str]) -> str:
    """A few words on a level; ``between`` are those on the levels between the value and ``*``."""
    names = (UNCHANGED, *between)
    return names[level] if level < len(names) else SUPPRESSED


def by_rank(ranks: Sequence[object | None]) -> NDArray[np.int32]:
    """(values,) leaf indexes sorted by rank; ties in the order given, nulls last."""
    known = [leaf for leaf, rank in enumerate(ranks) if rank is not None]
    known.sort(key=ranks.__getitem__)  # type: ignore[arg-type]
    nulls = [leaf for leaf, rank in enumerate(ranks) if rank is None]
    return np.array(known + nulls, dtype=np.int32)


def column_place(name: str) -> str:
    """The place of a column's hierarchy in a policy, as faults give it."""
    return f"quasi_identifiers.{name}"


def values_fault(
    name: str, values: Sequence[Value], plural: str, fix: str, singular: str = ""
) -> Fault:
    """A fault of some values of a column: ``3 distinct values are not dates``.

    The message has their number; the values themselves are shown only on request.
    """
    problem = f"{len(values)} distinct values are {plural}"
    if len(values) == 1:
        problem = f"1 distinct value is {singular or plural}"
    return Fault(column_place(name), problem, fix, tuple(text(value) for value in values))
