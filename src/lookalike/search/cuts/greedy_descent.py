"""A good recoding by cuts, quickly: add the best cut while that helps, then exchange cuts.

The long column is cut in the best way at every step, so only branching cuts are chosen.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from lookalike.search.cuts.k_optimize_arrays import FAR, IN, OPEN, Frame, State, Workspace
from lookalike.search.cuts.k_optimize_layout import CutInstance
from lookalike.search.cuts.k_optimize_tree import with_and_without

MAX_LOOKS = 200  # sets of cuts that are priced, about

Flags = NDArray[np.bool_]


def descend(
    instance: CutInstance, check_limits: Callable[[], None] = lambda: None
) -> Iterator[tuple[int, Flags]]:
    """Recodings, each cheaper than the one before: the cost, and flags of the cuts.

    When no single cut more helps, one or two cuts are left out and others added in their place.
    ``check_limits`` is called now and then, and raises at a limit.
    """
    descent = _Descent(instance)
    best, flags, state = descent.grow(instance.state, ())
    if best < FAR:
        yield best, flags
    helps, looks = True, MAX_LOOKS
    while helps and looks > 0:
        helps = False
        own = np.flatnonzero((state == IN) & (instance.state == OPEN)).tolist()
        for out in itertools.chain(itertools.combinations(own, 1), itertools.combinations(own, 2)):
            check_limits()
            cost, others, grown = descent.grow(descent.without(state, out), out)
            looks -= 2 + len(out)  # on average
            if cost < best:
                best, flags, state = cost, others, grown
                yield best, flags
                helps = True
            if helps or looks <= 0:
                break


class _Descent:
    """One table, and the arrays to price it in."""

    def __init__(self, instance: CutInstance) -> None:
        self.instance = instance
        places = len(instance.places)
        self.space = Workspace.begin(instance.table, places)
        self.frame = Frame(
            instance.state, instance.places, np.arange(1, places + 1), np.full(places, places - 1),
            instance.table.codes, instance.table.rows_at(instance.places),
        )  # fmt: skip

    def grow(self, state: State, shunned: Iterable[int]) -> tuple[int, Flags, State]:
        """Add the best cut as long as it helps, among those that are not shunned."""
        cost, flags, with_cut = self._look(state)
        while len(with_cut):
            with_cut[list(shunned)] = FAR
            cut = int(np.argmin(with_cut))
            if with_cut[cut] >= cost:
                break
            more, _ = with_and_without(state, cut, self.instance.table.needs)
            grown, others, then = self._look(more)
            if grown >= cost:
                break  # without the limit on suppressed rows it would be cheaper
            cost, flags, with_cut, state = grown, others, then, more
        return cost, flags, state

    def _look(self, state: State) -> tuple[int, Flags, NDArray[np.int64]]:
        from lookalike.search.cuts.greedy_descent_kernels import price_neighbors  # late: numba

        frame = self.frame._replace(state=state)
        return price_neighbors(self.instance.table, frame, self.space)

    def without(self, state: State, cuts: Iterable[int]) -> State:
        """The same without some cuts, and without those that need them."""
        needs, made = self.instance.table.needs, state == IN
        gone = np.zeros(len(state) + 1, dtype=np.bool_)  # the last is for −1, no need
        gone[list(cuts)] = True
        while (needing := made & ~gone[:-1] & gone[needs].any(axis=1)).any():
            gone[:-1] |= needing
        return np.where(made & ~gone[:-1], IN, self.instance.state).astype(np.int8)
