"""The best bounds on the rows of each tuple and finer label, by an integer program.

Its variables are the rows of each class with each tuple of values. Rules E and C are linear
constraints; a refusal by the rule on leftovers is a variable that is 0 or 1. Each bound is the
optimum of one program, solved with HiGHS.

The constraints are necessary, so the bounds are valid. They are also sufficient unless a refusal
interferes. So each optimum is replayed (``greedy_replay.py``): if the algorithm makes this release
of the table, the bound is attained, and nothing better can be deduced. If some bounds are not
attained and few tables are left, all of these are replayed. ``exact`` says whether every bound is
attained.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from lookalike.attacking.refinement.closed_classes import ClosedClasses
from lookalike.attacking.refinement.count_bounds import CountBounds
from lookalike.attacking.refinement.greedy_replay import GreedyReplay
from lookalike.attacking.release_view import Flags, Whole
from lookalike.counts.tuple_keys import numbered_tuples

MAX_REPLAYED = 2_000  # tables


def exact_counts(classes: ClosedClasses, bounds: CountBounds) -> CountBounds:
    """The best bounds that the program finds, and whether they are attained."""
    return _Search(classes, bounds).best()


class _Search:
    """The range of every quantity: of each pair of a class and a tuple, then of each label."""

    def __init__(self, classes: ClosedClasses, bounds: CountBounds) -> None:
        self.classes, self.bounds = classes, bounds
        self.program = _Program(classes, bounds)
        self.replay = GreedyReplay(classes) if classes.order.loss is not None else None
        pairs = len(bounds.of)
        parts = {(c, a): parts.part for c, a, parts in classes.labels()}
        labels = zip(
            bounds.label_of.tolist(),
            bounds.label_column.tolist(),
            bounds.label_part.tolist(),
            strict=True,
        )
        inside = [
            (bounds.of == c) & (parts[c, a][bounds.leaves[:, a]] == number)
            for c, a, number in labels
        ]
        # (quantities, pairs): which rows a quantity counts
        self.counted = np.concatenate([np.eye(pairs), *(own[None] for own in inside)])
        self.least = np.concatenate([bounds.least, bounds.label_least])
        self.most = np.concatenate([bounds.most, bounds.label_most])
        self.lowest = np.full(len(self.counted), np.iinfo(np.int64).max)  # attained so far
        self.highest = np.full(len(self.counted), -1)
        self.at = {
            (c, leaves): number
            for number, (c, leaves) in enumerate(
                zip(bounds.of.tolist(), map(tuple, bounds.leaves.tolist()), strict=True)
            )
        }

    def best(self) -> CountBounds:
        for number, counted in enumerate(self.counted):
            if self.highest[number] < self.most[number]:
                rows = self.program.optimum(-counted)
                self.most[number] = min(self.most[number], round(float(counted @ rows)))
                if self.highest[number] < self.most[number]:
                    self._attain(rows)
            if self.lowest[number] > self.least[number]:
                rows = self.program.optimum(counted)
                self.least[number] = max(self.least[number], round(float(counted @ rows)))
                if self.lowest[number] > self.least[number]:
                    self._attain(rows)
        replayable = self.replay is not None and self._tables() <= MAX_REPLAYED
        if replayable and not self._attained():
            self._replay_all()
        pairs = len(self.bounds.of)
        return replace(
            self.bounds,
            least=self.least[:pairs],
            most=self.most[:pairs],
            label_least=self.least[pairs:],
            label_most=self.most[pairs:],
            exact=self._attained(),
        )

    def _attained(self) -> bool:
        """Is there a table for every bound?"""
        return bool((self.lowest <= self.least).all() and (self.highest >= self.most).all())

    def _tables(self) -> int:
        """How many tables the bounds of tuples leave, at most."""
        possible = self.most[: len(self.bounds.of)] > 0
        return math.prod(
            math.comb(int((possible & (self.bounds.of == c)).sum()) + size - 1, size)
            for c, size in enumerate(self.classes.sizes.tolist())
        )

    def _replay_all(self) -> None:
        possible = self.most[: len(self.bounds.of)] > 0
        each = [
            itertools.combinations_with_replacement(
                np.flatnonzero(possible & (self.bounds.of == c)).tolist(), size
            )
            for c, size in enumerate(self.classes.sizes.tolist())
        ]
        for choice in itertools.product(*each):
            pairs = np.fromiter(itertools.chain(*choice), dtype=np.int64)
            self._attain(np.bincount(pairs, minlength=len(possible)))
        self.least, self.most = self.lowest, self.highest

    def _attain(self, rows: Whole) -> None:
        """Replay a table; what its classes have is possible."""
        if self.replay is None:
            return
        table: Counter[tuple[int, ...]] = Counter()
        for leaves, count in zip(self.bounds.leaves.tolist(), rows.tolist(), strict=True):
            table[tuple(leaves)] += count
        closed = self.replay.leads_to_release(table)
        if closed is None:
            return
        held = np.zeros(len(rows), dtype=np.int64)
        for c, own in enumerate(closed):
            for leaves, count in own.items():
                held[self.at[c, leaves]] = count
        counts = (self.counted @ held).astype(np.int64)
        self.lowest, self.highest = (
            np.minimum(self.lowest, counts),
            np.maximum(self.highest, counts),
        )


class _Program:
    """The integer program, with one objective after another."""

    def __init__(self, classes: ClosedClasses, bounds: CountBounds) -> None:
        import highspy

        self.classes, self.bounds = classes, bounds
        self.solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self.solver.setOptionValue("output_flag", False)
        self.solver.setOptionValue("threads", 1)  # must be the same for all solvers of a process
        self.solver.setOptionValue("mip_rel_gap", 0.0)
        self.pairs = self.variables = 0
        for most in bounds.most.tolist():
            self._add_variable(most)
        self.pairs = self.variables
        self.seen: set[bytes] = set()
        for c, size in enumerate(classes.sizes.tolist()):
            self._constrain(size, size, np.flatnonzero(bounds.of == c))
        for c, a, parts in classes.labels():
            part = parts.part[bounds.leaves[:, a]]
            for number in range(parts.count):
                alike = np.flatnonzero((bounds.of == c) & (part == number))
                self._constrain(0, int(classes.sizes[c]) - 1, alike)
        for later, alike in self._lookalikes():
            self._limit(later, alike, classes.k - 1)
        for c in np.flatnonzero(~classes.sure).tolist():
            self._limit(*self._in_labels(c), 0)

    def optimum(self, cost: Whole) -> Whole:
        """(pairs,) the rows of each in a solution of least cost."""
        from highspy import HighsModelStatus as Model

        columns = np.arange(self.pairs, dtype=np.int32)
        self.solver.changeColsCost(self.pairs, columns, cost.astype(np.float64))
        self.solver.run()
        if self.solver.getModelStatus() != Model.kOptimal:
            raise RuntimeError("no table leads to this release: it is not by lattice greedy")
        solution = np.array(self.solver.getSolution().col_value)[: self.pairs]
        return np.asarray(np.round(solution), dtype=np.int64)

    def _lookalikes(self) -> Iterator[tuple[Flags, Whole]]:
        """Rule C: at each node the classes closed later, and their tuples that look alike."""
        classes, bounds = self.classes, self.bounds
        codes = [column.table.codes for column in classes.view.columns]
        for node, before in zip(classes.order.nodes.tolist(), classes.before, strict=True):
            pairs = np.flatnonzero(before[bounds.of])
            shown = [codes[a][bounds.leaves[pairs, a], level] for a, level in enumerate(node)]
            group, first = numbered_tuples(shown, len(pairs))
            for number in range(len(first)):
                alike = pairs[group == number]
                same = classes.component == classes.component[bounds.of[alike[0]]]
                yield before & same, alike

    def _in_labels(self, c: int) -> tuple[Flags, Whole]:
        """Rule E of a class that may have been refused: tuples of later classes that it covers."""
        classes, bounds = self.classes, self.bounds
        later = classes.earlier[c] & (classes.component == classes.component[c])
        inside = later[bounds.of]
        for a, covers in enumerate(classes.covers):
            inside &= covers[c, bounds.leaves[:, a]]
        return later, np.flatnonzero(inside)

    def _limit(self, later: Flags, alike: Whole, most: int) -> None:
        """At most ``most`` of these rows, or all rows of later classes but k − 1: a refusal."""
        if not len(alike):
            return
        overlapping = np.zeros(len(later), dtype=np.bool_)
        overlapping[self.bounds.of[alike]] = True
        if not self.classes.may_be_refused(later, overlapping):
            self._constrain(0, most, alike)
            return
        rows = int(self.classes.sizes[later].sum())
        fewest = rows - self.classes.k + 1
        if fewest <= most + 1:
            return  # all numbers are possible
        refused = self._add_variable(1)
        self._constrain(-rows, most, alike, (refused, most - rows))
        self._constrain(0, rows, alike, (refused, -fewest))

    def _add_variable(self, most: int) -> int:
        import highspy

        self.solver.addVar(0.0, float(most))
        self.solver.changeColIntegrality(self.variables, highspy.HighsVarType.kInteger)
        self.variables += 1
        return self.variables - 1

    def _constrain(
        self, least: int, most: int, pairs: Whole, other: tuple[int, int] | None = None
    ) -> None:
        columns, values = pairs.astype(np.int32), np.ones(len(pairs))
        if other is None:
            key = np.array([least, most, *columns], dtype=np.int64).tobytes()
            if key in self.seen:
                return
            self.seen.add(key)
        else:
            columns = np.append(columns, other[0]).astype(np.int32)
            values = np.append(values, other[1])
        self.solver.addRow(float(least), float(most), len(columns), columns, values)
