"""An exact search for a finer cell-level table.

*Finer* is Sweeney's ≤ (2002, section 3.2) with rows kept apart: every row shows labels at or below
those it showed, one of them strictly below. Suppressed rows stay suppressed.

``finer_table`` tries single steps first, then everything. The exact search relies on three facts.
(1) What a row moves to is shown by k rows, so tuples that fewer than k rows could show are out.
(2) If every class of a finer table shows the lowest labels that its rows share, the table is finer
still. So of several tuples that the same rows could show, only the lowest is needed. (3) A finer
table moves some row to some tuple. Each such move is tried as the first, with all tables that
contain it, and is excluded when there are none.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.papers.label_paths import (
    MAX_DEPTH,
    MAX_STEPS,
    Pieces,
    Shown,
    StepBudget,
    Undecided,
    label_paths,
    shared_tuples,
)
from lookalike.solution.recoding import CellMap

Moves = dict[tuple[int, Shown], int]  # piece and what it is to show -> how many of its rows


def finer_table(problem: Problem, recoding: CellMap, budget: StepBudget) -> CellMap | None:
    """A strictly finer table that meets the policy; None if there is none. May raise Undecided."""
    start = StartTable(problem, recoding)
    nearby = _one_step_finer(start, StepBudget(budget.left // 4))
    return nearby if nearby is not None else RefinementSearch(start, budget).run()


def finer_table_nearby(problem: Problem, recoding: CellMap) -> CellMap | None:
    """A finer table that is one step away; None if none is found, though there may be one."""
    return _one_step_finer(StartTable(problem, recoding), StepBudget(MAX_STEPS))


def _one_step_finer(start: StartTable, budget: StepBudget) -> CellMap | None:
    with suppress(Undecided):
        for moves in single_steps(start, budget):
            budget.spend(len(start.own))
            table = start.after(moves)
            if start.problem.evaluate(table).meets:
                return table
    return None


class StartTable:
    """The table in question: its released pieces, and what each of them shows."""

    def __init__(self, problem: Problem, recoding: CellMap) -> None:
        self.problem = problem
        self.recoding = recoding
        self.group = problem.canonical[recoding.group]
        self.kept = np.flatnonzero(~recoding.gone)
        leaves = problem.counts.codes[self.group[self.kept]]
        paths = label_paths(problem, leaves, recoding.levels[self.kept])
        self.pieces = Pieces(recoding.rows[self.kept].tolist(), paths)
        self.own = [self.pieces.own(piece) for piece in range(len(paths))]
        self.least = problem.smallest
        self.exempt = self._exempt()

    def _exempt(self) -> Shown | None:
        """The tuple of stars, if rows that show it are not judged by k."""
        conventions = self.problem.policy.conventions
        starred_too = conventions.suppressed == "star" and len(self.kept) < len(self.group)
        if conventions.stars == "wildcard" or starred_too:
            return tuple(int(numbers[-1].max()) for numbers in self.problem.label_numbers)
        return None

    def needs_lookalikes(self, shown: Shown) -> bool:
        """Must at least k rows show this tuple?"""
        return shown != self.exempt

    def after(self, moves: Moves) -> CellMap:
        """The table with these moves made."""
        at = self.kept[[piece for piece, _ in moves]]
        moved = np.array(list(moves.values()), dtype=np.int64)
        levels = [self.pieces.levels(piece, shown) for piece, shown in moves]
        rows = self.recoding.rows.copy()
        np.subtract.at(rows, at, moved)
        left = rows > 0
        return cell_map(
            self.problem,
            np.concatenate([self.group[left], self.group[at]]),
            np.concatenate([rows[left], moved]),
            np.vstack([self.recoding.levels[left], np.array(levels, dtype=np.int16)]),
        )


def single_steps(start: StartTable, budget: StepBudget) -> Iterator[Moves]:
    """A class, or part of it, goes one label down in a column; or a row joins a finer class.

    A class that loses rows keeps none or at least k.
    """
    pieces, least = start.pieces, start.least
    size: dict[Shown, int] = defaultdict(int)
    for piece, own in enumerate(start.own):
        size[own] += pieces.rows[piece]
    spare = {
        own: rows - least if start.needs_lookalikes(own) else rows for own, rows in size.items()
    }
    for a in range(len(start.problem.names)):
        below: dict[tuple[Shown, Shown], list[int]] = defaultdict(list)  # one label down in a
        for piece, own in enumerate(start.own):
            budget.spend()
            labels = list(pieces.paths[piece][a])
            if len(labels) > 1:
                below[own, (*own[:a], labels[-2], *own[a + 1 :])].append(piece)
        for (own, shown), members in below.items():
            total = sum(pieces.rows[piece] for piece in members)
            going = total if total == size[own] else min(total, spare[own])
            if going >= least:
                yield _take(pieces, members, shown, going)
    for piece, own in enumerate(start.own):
        if spare[own] > 0:
            for shown in itertools.product(*pieces.paths[piece]):
                budget.spend()
                if shown != own and shown in size:
                    yield {(piece, shown): min(pieces.rows[piece], spare[own])}


def _take(pieces: Pieces, members: Sequence[int], shown: Shown, rows: int) -> Moves:
    """A number of rows of these pieces, taken in their order."""
    moves: Moves = {}
    for piece in members:
        going = min(rows, pieces.rows[piece])
        if going:
            moves[piece, shown] = going
        rows -= going
    return moves


class RefinementSearch:
    """Searches all finer tables by moves of rows: a row that has not moved stays until it must go.

    A *key* is what one of the policy's sets of columns shows; with one set, it is the tuple. A key
    is *short* if rows that show it need lookalikes and there are fewer than k. If a decided row
    shows a short key, more rows must join; otherwise its rows may also leave. The branches at a
    short key exclude each other and cover all cases.
    """

    def __init__(self, start: StartTable, budget: StepBudget) -> None:
        self.start, self.budget, self.least = start, budget, start.least
        self.rows = start.pieces.rows
        self.free = list(self.rows)  # rows that stay and might yet go, by piece
        self.moves: Moves = {}
        self.open: list[set[Shown]] = [set() for _ in self.rows]  # where they might go
        self.shown: dict[Shown, int] = defaultdict(int)  # rows, by key
        self.loose: dict[Shown, int] = defaultdict(int)  # those that need lookalikes and are free
        self.decided: dict[Shown, int] = defaultdict(int)  # that need lookalikes and are decided
        self.short: set[Shown] = set()
        self.home: dict[Shown, list[int]] = defaultdict(list)  # pieces that show a key now
        self.takers: dict[Shown, list[tuple[int, Shown]]] = defaultdict(list)  # moves to a key
        self.depth = -1  # 0 at the first move
        for piece, own in enumerate(start.own):
            for key in self._keys(own):
                self.home[key].append(piece)
                self.shown[key] += self.rows[piece]
                self.loose[key] += self.rows[piece] * start.needs_lookalikes(own)

    def run(self) -> CellMap | None:
        """The first finer table found that meets the policy."""
        for piece, shown in self._first_moves():
            if shown not in self.open[piece]:
                continue
            if (table := self._search_after(piece, shown, 1)) is not None:
                return table
            self.open[piece].discard(shown)  # no finer table contains this move
        return None

    def _first_moves(self) -> list[tuple[int, Shown]]:
        """All possible moves, first those to tuples that the fewest pieces could show."""
        problem, pieces = self.start.problem, self.start.pieces
        tuples = dict(shared_tuples(pieces, self.least if problem.one_set else 1, self.budget))
        if problem.one_set:
            tuples = _lowest_only(pieces, tuples)
        moves = []
        for shown, members in sorted(tuples.items(), key=lambda item: len(item[1])):
            for piece in members:
                own = self.start.own[piece]
                if shown != own:
                    self.open[piece].add(shown)
                    moves.append((piece, shown))
                    for key in set(self._keys(shown)) - set(self._keys(own)):
                        self.takers[key].append((piece, shown))
        return moves

    def _search(self) -> CellMap | None:
        """A table that contains the moves made, and none of those excluded."""
        self.budget.spend(1 + sum(len(self.takers[key]) for key in self.short))
        if self.depth >= MAX_DEPTH:
            raise Undecided(f"one move requires more than {MAX_DEPTH} others")
        if not self.short:
            return self._accept()
        key = self._tightest()
        if key is None:
            return None
        return self._fill(key) if self.decided[key] else self._decide(self._undecided(key)[0])

    def _search_after(self, piece: int, shown: Shown, rows: int) -> CellMap | None:
        """The same after one more move, which is taken back if there is none."""
        self._move(piece, shown, rows)
        self.depth += 1
        table = self._search()
        self.depth -= 1
        if table is None:
            self._move(piece, shown, -rows)
        return table

    def _accept(self) -> CellMap | None:
        table = self.start.after(self.moves)
        if self.start.problem.evaluate(table).meets:
            return table
        for piece, free in enumerate(self.free):  # a requirement beyond k: try every row
            if free and self.open[piece]:
                return self._decide(piece)
        return None

    def _tightest(self) -> Shown | None:
        """The short key with the fewest choices; None if some key has none."""
        best, fewest = None, math.inf
        for key in self.short:
            ways = self._ways(key)
            room = sum(self.free[piece] for piece in {piece for piece, _ in ways})
            full = self.shown[key] + room >= self.least
            stuck = any(not self.open[piece] for piece in self._undecided(key))
            if not full and (self.decided[key] or stuck):
                return None
            choices = len(ways) if self.decided[key] else len(ways) + len(self.rows)
            if choices < fewest:
                best, fewest = key, choices
        return best

    def _ways(self, key: Shown) -> list[tuple[int, Shown]]:
        """Moves that would add a row."""
        return [
            (piece, shown)
            for piece, shown in self.takers[key]
            if self.free[piece] and shown in self.open[piece]
        ]

    def _undecided(self, key: Shown) -> list[int]:
        """Pieces whose free rows show the key and need lookalikes; fewest choices first."""
        pieces = [
            piece
            for piece in self.home[key]
            if self.free[piece] and self.start.needs_lookalikes(self.start.own[piece])
        ]
        return sorted(pieces, key=lambda piece: len(self.open[piece]))

    def _fill(self, key: Shown) -> CellMap | None:
        """Rows join until there are k: by each move as many as are needed, or fewer, or none."""
        excluded = []
        for piece, shown in self._ways(key):
            most = min(self.free[piece], self.least - self.shown[key])
            for going in range(most, 0, -1):
                if going < most:
                    self.open[piece].discard(shown)
                if (table := self._search_after(piece, shown, going)) is not None:
                    return table
            self.open[piece].discard(shown)
            excluded.append((piece, shown))
        for piece, shown in excluded:
            self.open[piece].add(shown)
        return None

    def _decide(self, piece: int) -> CellMap | None:
        """Decide the free rows of a piece: how many go to each tuple open to them."""
        excluded = sorted(self.open[piece], key=lambda shown: -self.shown[shown])
        for shown in excluded:
            self.open[piece].discard(shown)
            for going in range(self.free[piece], 0, -1):
                if (table := self._search_after(piece, shown, going)) is not None:
                    return table
        table = self._search_after(piece, self.start.own[piece], self.free[piece])  # these stay
        if table is None:
            self.open[piece].update(excluded)
        return table

    def _move(self, piece: int, shown: Shown, rows: int) -> None:
        """Rows go there, or stay for good if they show that now; the reverse if negative."""
        own = self.start.own[piece]
        self.free[piece] -= rows
        moved = self.moves.pop((piece, shown), 0) + rows
        if moved and shown != own:
            self.moves[piece, shown] = moved
        for key in self._keys(own):
            self.shown[key] -= rows
            self.loose[key] -= rows * self.start.needs_lookalikes(own)
        for key in self._keys(shown):
            self.shown[key] += rows
            self.decided[key] += rows * self.start.needs_lookalikes(shown)
        for key in (*self._keys(own), *self._keys(shown)):
            in_need = self.decided[key] + self.loose[key] > 0
            if in_need and self.shown[key] < self.least:
                self.short.add(key)
            else:
                self.short.discard(key)

    def _keys(self, shown: Shown) -> list[Shown]:
        if self.start.problem.one_set:
            return [shown]
        return [
            (number, *(shown[a] for a in columns))
            for number, columns in enumerate(self.start.problem.sets)
        ]


def _lowest_only(pieces: Pieces, tuples: dict[Shown, list[int]]) -> dict[Shown, list[int]]:
    """Without tuples that are above another tuple which the same pieces could show."""
    by_members: dict[tuple[int, ...], list[Shown]] = defaultdict(list)
    for shown, members in tuples.items():
        by_members[tuple(members)].append(shown)
    kept: dict[Shown, list[int]] = {}
    for same, shared in by_members.items():
        levels = {shown: sum(pieces.levels(same[0], shown)) for shown in shared}
        lowest = min(shared, key=levels.__getitem__)
        for shown in shared:
            if shown == lowest or not _is_below(pieces, same, lowest, shown):
                kept[shown] = list(same)
    return kept


def _is_below(pieces: Pieces, members: Sequence[int], lower: Shown, upper: Shown) -> bool:
    """Is the one tuple at or below the other in every cell of these pieces?"""
    return all(
        a <= b
        for piece in members
        for a, b in zip(pieces.levels(piece, lower), pieces.levels(piece, upper), strict=True)
    )
