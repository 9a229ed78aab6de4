"""Is there a finer table, cell by cell? Searched until it is certain.

*Finer* is Sweeney's ≤ (2002, section 3.2) with rows kept apart: every row, with whatever else it
carries, shows labels at or below those it showed, one of them strictly. Rows left out stay left
out.

``finer_table`` tries single steps first, then everything. The exact search rests on three facts.
(1) Whatever a row moves to is shown by k rows, so a tuple that fewer than k rows could show is out.
(2) If every class of a finer table goes down to the lowest labels its rows share, the table is
finer still; so of several tuples that the same rows could show, only the lowest is needed. (3) A
finer table moves some row to some tuple: each such move is tried as the first, with all tables that
contain it, and is struck off when there are none.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.papers.label_paths import (
    DEEPEST,
    WORK,
    GaveUp,
    Pieces,
    Shown,
    Work,
    paths,
    shared_tuples,
)
from lookalike.solution.recoding import CellMap

Moves = dict[tuple[int, Shown], int]  # piece and what it is to show -> how many of its rows


def finer_table(problem: Problem, recoding: CellMap, work: Work) -> CellMap | None:
    """A table strictly finer that meets the policy; None if there is none. May raise GaveUp."""
    given = Given(problem, recoding)
    quick = _quickly(given, Work(work.left // 4))
    return quick if quick is not None else FinerSearch(given, work).run()


def quickly_finer(problem: Problem, recoding: CellMap) -> CellMap | None:
    """A finer table that is a single step away, if one is seen at once; None says nothing."""
    return _quickly(Given(problem, recoding), Work(WORK))


def _quickly(given: Given, work: Work) -> CellMap | None:
    try:
        for moves in quick_moves(given, work):
            work.spend(len(given.own))
            found = given.after(moves)
            if given.problem.evaluate(found).meets:
                return found
    except GaveUp:
        pass
    return None


class Given:
    """The table asked about: its released pieces, and what each of them shows."""

    def __init__(self, problem: Problem, recoding: CellMap) -> None:
        self.problem = problem
        self.recoding = recoding
        self.group = problem.canonical[recoding.group]
        self.kept = np.flatnonzero(~recoding.gone)
        leaves = problem.counts.codes[self.group[self.kept]]
        may = paths(problem, leaves, recoding.levels[self.kept])
        self.pieces = Pieces(recoding.rows[self.kept].tolist(), may)
        self.own = [self.pieces.own(piece) for piece in range(len(may))]
        self.least = problem.smallest
        self.spared = self._spared()

    def _spared(self) -> Shown | None:
        """All stars, where those who show nothing else are judged in another way than by k."""
        conventions = self.problem.policy.conventions
        starred_too = conventions.suppressed == "star" and len(self.kept) < len(self.group)
        if conventions.stars == "wildcard" or starred_too:
            return tuple(int(numbers[-1].max()) for numbers in self.problem.label_numbers)
        return None

    def needy(self, shown: Shown) -> bool:
        """Must those who show it be k?"""
        return shown != self.spared

    def after(self, moves: Moves) -> CellMap:
        """The table with these moves made."""
        rows = self.recoding.rows.copy()
        group, moved, levels = [], [], []
        for (piece, shown), count in moves.items():
            at = int(self.kept[piece])
            rows[at] -= count
            group.append(int(self.group[at]))
            moved.append(count)
            levels.append(self.pieces.levels(piece, shown))
        left = rows > 0
        return cell_map(
            self.problem,
            np.concatenate([self.group[left], np.array(group, dtype=np.int64)]),
            np.concatenate([rows[left], np.array(moved, dtype=np.int64)]),
            np.vstack([self.recoding.levels[left], np.array(levels, dtype=np.int16)]),
        )


def quick_moves(given: Given, work: Work) -> Iterator[Moves]:
    """Single steps: part of a class, or all of it, goes one label down; a row joins a finer class.

    They leave a class that loses rows with none or with k.
    """
    pieces, least = given.pieces, given.least
    size: dict[Shown, int] = defaultdict(int)
    for piece, own in enumerate(given.own):
        size[own] += pieces.rows[piece]
    spare = {own: rows - least if given.needy(own) else rows for own, rows in size.items()}
    for a in range(len(given.problem.names)):
        below: dict[tuple[Shown, Shown], list[int]] = defaultdict(list)  # one label down in a
        for piece, own in enumerate(given.own):
            work.spend()
            labels = list(pieces.may[piece][a])
            if len(labels) > 1:
                below[own, (*own[:a], labels[-2], *own[a + 1 :])].append(piece)
        for (own, shown), members in below.items():
            could = sum(pieces.rows[piece] for piece in members)
            going = could if could == size[own] else min(could, spare[own])
            if going >= least:
                yield _take(pieces, members, shown, going)
    for piece, own in enumerate(given.own):
        if spare[own] > 0:
            for shown in itertools.product(*pieces.may[piece]):
                work.spend()
                if shown != own and shown in size:
                    yield {(piece, shown): min(pieces.rows[piece], spare[own])}


def _take(pieces: Pieces, members: Sequence[int], shown: Shown, rows: int) -> Moves:
    """So many rows of these pieces, in their order."""
    moves: Moves = {}
    for piece in members:
        going = min(rows, pieces.rows[piece])
        if going:
            moves[piece, shown] = going
        rows -= going
    return moves


class FinerSearch:
    """All finer tables, by moves: a row that has not moved stays, until it must go.

    A *key* is what one of the policy's sets of columns shows; with one set, it is the tuple. A key
    is *short* if rows that show it need lookalikes and there are fewer than k. A short key that a
    decided row shows must be filled up; any other may be emptied too. The branches at a short key
    exclude each other and leave nothing out.
    """

    def __init__(self, given: Given, work: Work) -> None:
        self.given, self.work, self.least = given, work, given.least
        self.rows = given.pieces.rows
        self.free = list(self.rows)  # rows that stay and might yet go, by piece
        self.moves: Moves = {}
        self.open: list[set[Shown]] = [set() for _ in self.rows]  # where they might go
        self.shown: dict[Shown, int] = defaultdict(int)  # rows, by key
        self.loose: dict[Shown, int] = defaultdict(int)  # of them needy and free
        self.held: dict[Shown, int] = defaultdict(int)  # of them needy and decided
        self.short: set[Shown] = set()
        self.home: dict[Shown, list[int]] = defaultdict(list)  # pieces that show a key now
        self.takers: dict[Shown, list[tuple[int, Shown]]] = defaultdict(list)  # moves to a key
        self.depth = 0
        for piece, own in enumerate(given.own):
            for key in self._keys(own):
                self.home[key].append(piece)
                self.shown[key] += self.rows[piece]
                self.loose[key] += self.rows[piece] * given.needy(own)

    def run(self) -> CellMap | None:
        """The first finer table found that meets the policy."""
        for piece, shown in self._first_moves():
            if shown not in self.open[piece]:
                continue
            self._move(piece, shown, 1)
            found = self._search()
            if found is not None:
                return found
            self._move(piece, shown, -1)
            self.open[piece].discard(shown)  # no finer table contains it
        return None

    def _first_moves(self) -> list[tuple[int, Shown]]:
        """All moves there are, those with the fewest companions first."""
        problem, pieces = self.given.problem, self.given.pieces
        found = dict(shared_tuples(pieces, self.least if problem.one_set else 1, self.work))
        if problem.one_set:
            found = _lowest_only(pieces, found)
        firsts = []
        for shown, members in sorted(found.items(), key=lambda item: len(item[1])):
            for piece in members:
                own = self.given.own[piece]
                if shown != own:
                    self.open[piece].add(shown)
                    firsts.append((piece, shown))
                    for key in set(self._keys(shown)) - set(self._keys(own)):
                        self.takers[key].append((piece, shown))
        return firsts

    def _search(self) -> CellMap | None:
        """A table that contains the moves made, and none of those struck off."""
        self.work.spend(1 + sum(len(self.takers[key]) for key in self.short))
        if self.depth >= DEEPEST:
            raise GaveUp(f"one move takes more than {DEEPEST} others")
        if not self.short:
            return self._accept()
        key = self._tightest()
        if key is None:
            return None
        self.depth += 1
        found = self._fill(key) if self.held[key] else self._decide(self._undecided(key)[0])
        self.depth -= 1
        return found

    def _accept(self) -> CellMap | None:
        found = self.given.after(self.moves)
        if self.given.problem.evaluate(found).meets:
            return found
        for piece, free in enumerate(self.free):  # a rule beyond k: nothing tells who should go
            if free and self.open[piece]:
                self.depth += 1
                better = self._decide(piece)
                self.depth -= 1
                return better
        return None

    def _tightest(self) -> Shown | None:
        """The short key with the fewest ways out; None if one has none."""
        best, fewest = None, math.inf
        for key in self.short:
            ways = self._ways(key)
            room = sum(self.free[piece] for piece in {piece for piece, _ in ways})
            full = self.shown[key] + room >= self.least
            stuck = any(not self.open[piece] for piece in self._undecided(key))
            if not full and (self.held[key] or stuck):
                return None
            choices = len(ways) if self.held[key] else len(ways) + len(self.rows)
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
        """Pieces whose free rows show it and need lookalikes; fewest choices first."""
        found = [
            piece
            for piece in self.home[key]
            if self.free[piece] and self.given.needy(self.given.own[piece])
        ]
        return sorted(found, key=lambda piece: len(self.open[piece]))

    def _fill(self, key: Shown) -> CellMap | None:
        """Rows join until there are k: each way as many as it takes, or just so many, or none."""
        struck = []
        for piece, shown in self._ways(key):
            most = min(self.free[piece], self.least - self.shown[key])
            for going in range(most, 0, -1):
                self._move(piece, shown, going)
                if going < most:
                    self.open[piece].discard(shown)
                found = self._search()
                if found is not None:
                    return found
                self._move(piece, shown, -going)
            self.open[piece].discard(shown)
            struck.append((piece, shown))
        for piece, shown in struck:
            self.open[piece].add(shown)
        return None

    def _decide(self, piece: int) -> CellMap | None:
        """Settle the free rows of a piece: just so many go to each tuple open to them."""
        struck = sorted(self.open[piece], key=lambda shown: -self.shown[shown])
        for shown in struck:
            self.open[piece].discard(shown)
            for going in range(self.free[piece], 0, -1):
                self._move(piece, shown, going)
                found = self._search()
                if found is not None:
                    return found
                self._move(piece, shown, -going)
        staying = self.free[piece]
        self._settle(piece, staying)
        found = self._search()
        if found is None:
            self._settle(piece, -staying)
            self.open[piece].update(struck)
        return found

    def _move(self, piece: int, shown: Shown, rows: int) -> None:
        """Rows go there, or come back if ``rows`` is negative."""
        own = self.given.own[piece]
        self.free[piece] -= rows
        self.moves[piece, shown] = self.moves.get((piece, shown), 0) + rows
        if not self.moves[piece, shown]:
            del self.moves[piece, shown]
        for key in self._keys(own):
            self.shown[key] -= rows
            self.loose[key] -= rows * self.given.needy(own)
        for key in self._keys(shown):
            self.shown[key] += rows
            self.held[key] += rows * self.given.needy(shown)
        self._look_at(own, shown)

    def _settle(self, piece: int, rows: int) -> None:
        """Rows stay for good, or are free again if ``rows`` is negative."""
        own = self.given.own[piece]
        self.free[piece] -= rows
        for key in self._keys(own):
            self.loose[key] -= rows * self.given.needy(own)
            self.held[key] += rows * self.given.needy(own)
        self._look_at(own)

    def _look_at(self, *tuples: Shown) -> None:
        for shown in tuples:
            for key in self._keys(shown):
                needy = self.held[key] + self.loose[key] > 0
                if needy and self.shown[key] < self.least:
                    self.short.add(key)
                else:
                    self.short.discard(key)

    def _keys(self, shown: Shown) -> list[Shown]:
        if self.given.problem.one_set:
            return [shown]
        return [
            (number, *(shown[a] for a in columns))
            for number, columns in enumerate(self.given.problem.sets)
        ]


def _lowest_only(pieces: Pieces, found: dict[Shown, list[int]]) -> dict[Shown, list[int]]:
    """Without the tuples above another that the same pieces could show."""
    alike: dict[tuple[int, ...], list[Shown]] = defaultdict(list)
    for shown, members in found.items():
        alike[tuple(members)].append(shown)
    kept: dict[Shown, list[int]] = {}
    for same, tuples in alike.items():
        levels = {shown: sum(pieces.levels(same[0], shown)) for shown in tuples}
        lowest = min(tuples, key=levels.__getitem__)
        for shown in tuples:
            if shown == lowest or not _below(pieces, same, lowest, shown):
                kept[shown] = list(same)
    return kept


def _below(pieces: Pieces, members: Sequence[int], one: Shown, other: Shown) -> bool:
    """Is it at or below the other in every cell of these pieces?"""
    return all(
        a <= b
        for piece in members
        for a, b in zip(pieces.levels(piece, one), pieces.levels(piece, other), strict=True)
    )
