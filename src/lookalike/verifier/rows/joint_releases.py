"""Several releases of the same people, held together: whom do they leave with too few candidates?

Whoever has two releases and knows a person in both looks for the people who share that person's
class in the one *and* in the other. Each class may have k rows and their intersection fewer. (This
is why Sweeney 2002 would have all later releases build on the first.)

Let each release be pairs of a person and a class. The candidates of a person, over the releases
that hold the person, are the people found in every one of the same classes. A person of a release
that promised k, and of others that promised at least as much, must have k candidates over them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """Who was in which class of a release; rows that were left out are not among them."""

    person: NDArray[np.bytes_]  # (rows,) digests
    of: Whole  # (rows,) the class
    k: int  # what the release promised

    def __len__(self) -> int:
        return len(self.person)


@dataclass(frozen=True, slots=True)
class Exposed:
    """People left with fewer than k candidates by this release and some earlier ones."""

    people: int
    fewest: int  # candidates of the one who is worst off
    k: int
    releases: tuple[int, ...]  # which earlier ones, by their place


def exposed_together(new: Grouped, earlier: Sequence[Grouped]) -> list[Exposed]:
    """All that holds of the new release together with earlier ones; nothing if all are safe.

    Combinations of earlier releases alone were looked at when the last of them was made.
    """
    everybody = np.unique(new.person)
    pairs = [_pairs(everybody, one) for one in (new, *earlier)]
    there = np.stack([np.bincount(who, minlength=len(everybody)) > 0 for who, _ in pairs], axis=1)
    found = []
    for k in sorted({one.k for one in (new, *earlier) if one.k <= new.k}):
        asked = np.array([one.k >= k for one in (new, *earlier)])
        patterns = np.unique(there & asked, axis=0)
        told, releases = [], np.zeros(len(pairs), dtype=bool)
        for pattern in patterns[patterns[:, 0] & (patterns.sum(axis=1) > 1)]:
            mine = ((there & asked) == pattern).all(axis=1)  # they are in these, and no others
            few = _fewest(pairs, np.flatnonzero(pattern), mine, k)
            if few is not None:
                told.append(few)
                releases |= pattern
        if told:
            people, fewest = (list(part) for part in zip(*told, strict=True))
            places = tuple((np.flatnonzero(releases)[1:] - 1).tolist())
            found.append(Exposed(sum(people), min(fewest), k, places))
    return found


def _pairs(everybody: NDArray[np.bytes_], one: Grouped) -> tuple[Whole, Whole]:
    """Distinct pairs of a person of the new release and a class, by person."""
    place = np.searchsorted(everybody, one.person)
    place = np.minimum(place, max(0, len(everybody) - 1))
    known = everybody[place] == one.person if len(everybody) else np.zeros(len(one), dtype=bool)
    classes = int(one.of.max(initial=0)) + 1
    keys = np.unique(place[known] * classes + one.of[known])
    return keys // classes, keys % classes


def _fewest(
    pairs: Sequence[tuple[Whole, Whole]], releases: Whole, mine: NDArray[np.bool_], k: int
) -> tuple[int, int] | None:
    """How many of ``mine`` have fewer than k candidates over some releases, and the fewest."""
    who, of = pairs[releases[0]]
    for release in releases[1:]:
        others, classes = pairs[release]
        first = np.searchsorted(others, who)
        many = np.searchsorted(others, who, side="right") - first
        each = np.repeat(np.arange(len(who)), many)
        at = np.arange(len(each)) - np.repeat(np.cumsum(many) - many, many) + first[each]
        both = of[each] * (int(classes.max(initial=0)) + 1) + classes[at]
        who, of = who[each], np.unique(both, return_inverse=True)[1].reshape(-1)
    candidates = np.bincount(of)[of]  # pairs are distinct, so these are people
    few = mine[who] & (candidates < k)
    if not few.any():
        return None
    return len(np.unique(who[few])), int(candidates[few].min())
