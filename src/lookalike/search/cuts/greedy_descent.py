"""A good recoding by cuts, quickly: add the best cut while that helps, then exchange cuts.

The long column is cut in the best way at every step, so only cuts of the other columns are chosen.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from lookalike.search.cuts.k_optimize_layout import Instance

FAR = 1 << 60
LOOKS = 200
State = NDArray[np.int8]


def descend(
    instance: Instance, mind: Callable[[], None] = lambda: None, looks: int = LOOKS
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Each cost lower than the one before, with its cuts (as ``Instance.recoding`` takes them).

    When no single cut more helps, one or two are left out and others let grow in their place.
    ``mind`` is called now and then, to raise at a limit; after about so many ``looks`` it ends.
    """
    best, flags, state = _grow(instance, instance.state, ())
    if best < FAR:
        yield best, flags
    helps = True
    while helps and looks > 0:
        helps = False
        own = np.flatnonzero((state == 1) & (instance.state == 0)).tolist()
        for out in itertools.chain(itertools.combinations(own, 1), itertools.combinations(own, 2)):
            mind()
            value, others, grown = _grow(instance, _without(instance, state, out), out)
            looks -= 2 + len(out)  # on the whole
            if value < best:
                best, flags, state = value, others, grown
                yield best, flags
                helps = True
            if helps or looks <= 0:
                break


def _grow(
    instance: Instance, state: State, shunned: Iterable[int]
) -> tuple[int, NDArray[np.bool_], State]:
    """Add the best cut as long as it helps, of those that are not shunned."""
    value, flags, with_one = _look(instance, state)
    while len(with_one):
        with_one[list(shunned)] = FAR
        cut = int(np.argmin(with_one))
        if with_one[cut] >= value:
            break
        more = _with(instance, state, cut)
        grown, others, then = _look(instance, more)
        if grown >= value:
            break  # it would be cheaper, were it not for the limit on suppressed rows
        value, flags, with_one, state = grown, others, then, more
    return value, flags, state


def _look(instance: Instance, state: State) -> tuple[int, NDArray[np.bool_], NDArray[np.int64]]:
    from lookalike.search.cuts.greedy_descent_kernels import look  # late: loads numba

    value, flags, with_one = look(
        instance.metric, instance.k, instance.limit, instance.rows, instance.cost, instance.first,
        instance.width, instance.banned, instance.profile, instance.weight, instance.planes,
        instance.places, state,
    )  # fmt: skip
    return int(value), flags, with_one


def _with(instance: Instance, state: State, cut: int) -> State:
    from lookalike.search.cuts.k_optimize_bound_kernels import put

    grown = state.copy()
    put(grown, cut, instance.needs)
    return grown


def _without(instance: Instance, state: State, cuts: Iterable[int]) -> State:
    """The same without some cuts, and without those that need them."""
    less: State = instance.state.copy()
    gone = set(cuts)
    while True:
        more = {
            int(other)
            for other in np.flatnonzero(state == 1)
            if gone & set(instance.needs[other].tolist())
        }
        if more <= gone:
            break
        gone |= more
    for other in np.flatnonzero(state == 1):
        if int(other) not in gone:
            less[other] = 1
    return less
