"""Check several releases of the same people together: who is left with too few candidates?

An outsider who has two releases and knows a person in both looks for the people who share that
person's class in the one *and* in the other. Each class may have k rows, and their intersection
fewer. (For this reason Sweeney 2002 asks that all later releases build on the first.)

Each release is a set of pairs of a person and a class. The candidates of a person over several
releases are the people who are in the same class in each of them. A person in releases that all
promise k or more must have k candidates over them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ClassMembership:
    """Who is in which class of a release; suppressed rows are left out."""

    person: NDArray[np.bytes_]  # (rows,) digests
    of: Whole  # (rows,) the class
    k: int  # what the release promised

    def __len__(self) -> int:
        return len(self.person)


@dataclass(frozen=True, slots=True)
class JointExposure:
    """People left with fewer than k candidates by a new release and some earlier ones."""

    people: int
    fewest: int  # candidates of the most exposed person
    k: int
    releases: tuple[int, ...]  # the earlier ones, by their place


def joint_exposures(
    new: ClassMembership, earlier: Sequence[ClassMembership]
) -> list[JointExposure]:
    """Exposures by the new release together with earlier ones; an empty list if there is none.

    Combinations of earlier releases alone were checked when the last of them was made.
    """
    everybody = np.unique(new.person)
    releases = (new, *earlier)
    pairs = [_pairs(everybody, release) for release in releases]
    present = np.stack([np.bincount(who, minlength=len(everybody)) > 0 for who, _ in pairs], axis=1)
    exposures = []
    for k in sorted({release.k for release in releases if release.k <= new.k}):
        promising = np.array([release.k >= k for release in releases])
        patterns = np.unique(present & promising, axis=0)
        exposed, involved = [], np.zeros(len(pairs), dtype=bool)
        for pattern in patterns[patterns[:, 0] & (patterns.sum(axis=1) > 1)]:
            mine = ((present & promising) == pattern).all(axis=1)  # people in exactly these
            few = _fewest(pairs, np.flatnonzero(pattern), mine, k)
            if few is not None:
                exposed.append(few)
                involved |= pattern
        if exposed:
            people, fewest = zip(*exposed, strict=True)
            places = tuple((np.flatnonzero(involved)[1:] - 1).tolist())
            exposures.append(JointExposure(sum(people), min(fewest), k, places))
    return exposures


def _pairs(everybody: NDArray[np.bytes_], release: ClassMembership) -> tuple[Whole, Whole]:
    """Distinct pairs of a person of the new release and a class, sorted by person."""
    place = np.searchsorted(everybody, release.person)
    known = place < len(everybody)
    known[known] = everybody[place[known]] == release.person[known]
    classes = int(release.of.max(initial=0)) + 1
    keys = np.unique(place[known] * classes + release.of[known])
    return keys // classes, keys % classes


def _fewest(
    pairs: Sequence[tuple[Whole, Whole]], releases: Whole, mine: NDArray[np.bool_], k: int
) -> tuple[int, int] | None:
    """How many of ``mine`` have fewer than k candidates over these releases, and the fewest."""
    who, of = pairs[releases[0]]
    for release in releases[1:]:
        others, classes = pairs[release]
        first = np.searchsorted(others, who)
        count = np.searchsorted(others, who, side="right") - first
        each = np.repeat(np.arange(len(who)), count)
        at = np.arange(len(each)) - np.repeat(np.cumsum(count) - count, count) + first[each]
        both = of[each] * (int(classes.max(initial=0)) + 1) + classes[at]
        who, of = who[each], np.unique(both, return_inverse=True)[1].reshape(-1)
    candidates = np.bincount(of)[of]  # pairs are distinct, so these are people
    few = mine[who] & (candidates < k)
    if not few.any():
        return None
    return len(np.unique(who[few])), int(candidates[few].min())
