"""Re-check the claim of optimality, or the bound, without repeating the search.

The proof names lattice nodes. They are counted here, by Arrow's hashing, with formulas written down
once more: what each costs, how many rows it suppresses, and from that what every other node costs
at least. If some node could be cheaper than the bound claimed, the proof is refused. Shares no code
with ``counts/gather``, ``cost`` or ``search``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.solution.proof import By, Proof
from lookalike.solution.recoding import CellMap, Cuts, Levels, Space
from lookalike.solution.solution import Solution, Status
from lookalike.verifier.claim.cells.cell_proof import least_by_cell
from lookalike.verifier.claim.cells.recoding import check_cells
from lookalike.verifier.claim.cells.support_bound import cell_ground
from lookalike.verifier.claim.cuts.recoding import check_cuts
from lookalike.verifier.claim.cuts.tree_proof import cut_bound_holds
from lookalike.verifier.claim.lattice.floor_counts import Alone, Floor
from lookalike.verifier.claim.metrics import CellByCell, Measure, Node, measure_for
from lookalike.verifier.finding import ANOTHER_TABLE, Finding
from lookalike.verifier.requirements.definitions import judge
from lookalike.verifier.requirements.population import Persons
from lookalike.verifier.requirements.sensitive_counts import Held, held_by
from lookalike.verifier.requirements.suppression import kept_as_a_whole, must_go, never_released

ROUNDING = 1e-9
KEPT = 20_000_000  # codes of groups
LARGEST = 20_000_000  # nodes for which a bound is kept, three arrays of them

Floats = NDArray[np.float64]


def check_claim(
    counts: FrequencySet,
    tables: Sequence[LevelTable],
    policy: Policy,
    solution: Solution,
    floor: Floor = (),
    alone: Alone | None = None,
) -> list[Finding]:
    """The cost and the bound of a solution, recomputed on the original's counts.

    With a ``floor``, ``counts`` has no groups, and nodes are counted from the floor's; ``alone``
    are the rows that stand out at nodes not above it.
    """
    checker = Checker(counts, tables, policy, floor, alone or {})
    if (floor or solution.proof.floor or solution.proof.refuted) and not checker.covers(solution):
        sentence = "The solution or its proof names nodes that its floor does not count."
        return [Finding("cost", False, sentence), Finding("bound", False, sentence)]
    found = []
    if isinstance(solution.recoding, Levels) and solution.cost is not None:
        found.append(checker.cost_holds(solution))
    if isinstance(solution.recoding, CellMap) and solution.cost is not None:
        found.append(check_cells(counts, tables, policy, solution))
    if isinstance(solution.recoding, Cuts) and solution.cost is not None:
        found.append(check_cuts(counts, tables, policy, solution))
    if solution.status is Status.UNMET:
        return found
    if solution.space is Space.CUTS:
        found.append(cut_bound_holds(counts, tables, policy, solution))
    else:
        found.append(checker.bound_holds(solution))
    return found


@dataclass(slots=True)
class Checker:
    """Counts nodes; knows the policy, not the search."""

    counts: FrequencySet
    tables: Sequence[LevelTable]
    policy: Policy
    floor: Floor = ()  # what nodes are counted from, if not from the table's own tuples
    alone: Alone = field(default_factory=dict)
    kept: _Shown | None = None
    persons: Persons | None = None

    def covers(self, solution: Solution) -> bool:
        """Is each node that has to be counted above one of the floor?"""
        levels = [solution.recoding.levels] if isinstance(solution.recoding, Levels) else []
        nodes = [*solution.proof.nodes, *levels]
        return (
            solution.space is Space.FULL_DOMAIN
            and bool(self.floor)
            and all(map(self._base, nodes))
            and self.alone.keys() == set(solution.proof.refuted)
        )

    def _base(self, levels: Sequence[int]) -> tuple[tuple[int, ...], FrequencySet] | None:
        """Of the floor's nodes below this one, the smallest."""
        below = [
            one
            for one in self.floor or (((0,) * len(self.tables), self.counts),)
            if len(one[0]) == len(levels)
            and all(level <= asked for level, asked in zip(one[0], levels, strict=True))
        ]
        return min(below, key=lambda one: one[1].groups, default=None)

    def _floor_of(self, levels: Sequence[int]) -> tuple[int, ...]:
        found = self._base(levels)
        assert found is not None
        return found[0]

    @property
    def low(self) -> tuple[int, ...]:
        return tuple(self.policy.bounds(t.name, t.height)[0] for t in self.tables)

    @property
    def high(self) -> tuple[int, ...]:
        return tuple(self.policy.bounds(t.name, t.height)[1] for t in self.tables)

    def count(self, levels: Sequence[int]) -> Node:
        """Classes of a node: number the recoded tuples, add up those of a number."""
        found = self._base(levels)
        assert found is not None
        base, counts = found
        of_group = self._alike(counts, levels, range(len(levels)))
        sizes = np.bincount(of_group, weights=counts.counts).astype(np.int64)
        if not self.policy.by_size:
            return self._judged(counts, tuple(levels), of_group, sizes)
        small = self._standing_out(counts, levels, of_group, sizes)
        gone = int(sizes[small].sum())
        return Node(tuple(levels), counts, base, of_group, sizes, small, gone, small)

    def _judged(
        self,
        counts: FrequencySet,
        levels: tuple[int, ...],
        of_group: NDArray[np.int64],
        sizes: NDArray[np.int64],
    ) -> Node:
        """Classes of which more is asked than a size."""
        held = self._held(counts, levels, of_group, sizes)
        member = np.zeros(len(sizes), dtype=np.int64)
        member[of_group] = np.arange(counts.groups)
        names = [table.name for table in self.tables]
        sets = [
            self._alike(counts, levels, [names.index(name) for name in one])[member]
            for one in self.policy.sets
        ]
        dropped = self.policy.conventions.suppressed == "drop"
        stays = counts.rows - (self.policy.allowance(counts.rows) if dropped else 0)
        gone = must_go(self.policy, held, sets, stays)
        lost = gone & never_released(self.policy, held, sets, stays)
        suppressed = int(sizes[gone].sum())
        base = (0,) * len(levels)
        return Node(levels, counts, base, of_group, sizes, gone, suppressed, lost, held)

    def _held(
        self,
        counts: FrequencySet,
        levels: tuple[int, ...],
        of_group: NDArray[np.int64],
        sizes: NDArray[np.int64],
    ) -> Held:
        held = held_by(counts, self.policy.judged, of_group, sizes)
        if self.policy.population is None:
            return held
        if self.persons is None:
            self.persons = Persons.of(self.policy)
        member = np.zeros(len(sizes), dtype=np.int64)
        member[of_group] = np.arange(counts.groups)
        shown = []
        for a, (table, level) in enumerate(zip(self.tables, levels, strict=True)):
            codes = table.codes[:, level][counts.codes[member, a]].tolist()
            shown.append([table.labels[level][code] for code in codes])
        people, others = self.persons.like(self.policy, levels, shown)
        return replace(held, people=people, others=others)

    def _standing_out(
        self,
        counts: FrequencySet,
        levels: Sequence[int],
        of_group: NDArray[np.int64],
        sizes: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Classes with a set of columns over which they are alone, or are left alone by others."""
        names = [table.name for table in self.tables]
        sets = [[names.index(name) for name in one] for one in self.policy.sets]
        if sets == [list(range(len(names)))]:
            return sizes < self.policy.smallest
        gone = np.zeros(counts.groups, dtype=bool)
        over = [self._alike(counts, levels, columns) for columns in sets]
        changed = True
        while changed:
            changed = False
            for of in over:
                held = np.bincount(of, weights=np.where(gone, 0, counts.counts))[of]
                now = gone | (held < self.policy.smallest)
                changed = changed or bool((now != gone).any())
                gone = now
        small = np.zeros(len(sizes), dtype=bool)
        small[of_group[gone]] = True
        return small

    def _alike(
        self, counts: FrequencySet, levels: Sequence[int], columns: Sequence[int]
    ) -> NDArray[np.int64]:
        """The class of each group over some of the columns."""
        alike = np.zeros(counts.groups, dtype=np.int64)
        if self.kept is None or self.kept.counts is not counts:
            self.kept = _Shown(counts, self.tables)
        for a in columns:
            level = levels[a]
            codes = self.kept.at(a, level)
            width = len(self.tables[a].labels[level])
            if int(alike.max(initial=0) + 1) * width >= 2**62:
                alike = _numbered(alike)
            alike = alike * width + codes
        return _numbered(alike)

    def too_many(self, node: Node) -> bool:
        """More rows suppressed than allowed, or all of them."""
        return self._too_many(node.suppressed)

    def too_many_below(self, node: Node) -> bool:
        """The same of every finer node.

        Of a class that breaks monotone rules a part does at every finer node, and that is a row at
        least, if what it is held against stays the same.
        """
        sure = node.lost_rows
        rules = self.policy.require
        moves = self.policy.conventions.suppressed == "drop" and self.policy.allowance(
            self.counts.rows
        )
        fixed = not moves or not any(rule.compares_to_release for rule in rules)
        one_set = self.policy.sets == (self.policy.names,)
        if fixed and one_set and all(rule.monotone for rule in rules):
            sure += int((node.small & ~node.lost).sum())
        return self._too_many(sure)

    def _too_many(self, suppressed: int) -> bool:
        rows = self.counts.rows
        return suppressed > self.policy.allowance(rows) or (rows > 0 and suppressed == rows)

    def meets(self, node: Node) -> bool:
        if self.too_many(node):
            return False
        starred = self.policy.conventions.suppressed == "star"
        counts_them = self.policy.conventions.stars == "own"
        if node.held is not None:
            return self._kept_as_a_whole(
                node.held, node.small, together=starred and counts_them and node.suppressed > 0
            )
        alone = 0 < node.suppressed < self.policy.smallest
        return not (starred and counts_them and alone)

    def _kept_as_a_whole(self, held: Held, gone: NDArray[np.bool_], *, together: bool) -> bool:
        """What is asked of the release as a whole, and of starred rows as one class of it."""
        kept, shown = ~gone, held
        if self.policy.conventions.suppressed == "star" and gone.any():
            shown = held.joined(np.where(gone, 0, np.cumsum(kept)))
            kept = np.ones(len(shown), dtype=bool)
        rules, stays = self.policy.require, self.counts.rows
        if not all(kept_as_a_whole(rule, shown, kept) for rule in rules):
            return False
        return not (together and any(judge(rule, shown, stays).broken[0] for rule in rules))

    def cost_holds(self, solution: Solution) -> Finding:
        assert isinstance(solution.recoding, Levels)
        assert solution.cost is not None
        levels = solution.recoding.levels
        if not self._inside(levels):
            return Finding("cost", False, "The recoding is outside the levels the policy allows.")
        node = self.count(levels)
        cost = measure_for(self.policy.metric, self.counts, self.tables, self.policy).cost(node)
        agrees = (
            self.meets(node)
            and node.suppressed == solution.suppressed
            and int((~node.small).sum()) == solution.classes
            and solution.metric == self.policy.metric.name
            and math.isclose(cost, solution.cost, rel_tol=ROUNDING, abs_tol=ROUNDING)
        )
        if agrees:
            return Finding("cost", True, f"Recomputed: {self.policy.metric.sentence(cost)}.")
        return Finding(
            "cost",
            False,
            "Cost, suppressed rows, classes or requirement are not what the solution claims.",
        )

    def bound_holds(self, solution: Solution) -> Finding:
        """Could any node that meets the policy be cheaper than the bound?"""
        check = "optimality" if solution.status is Status.OPTIMAL else "bound"
        if solution.proof.fingerprint != self.counts.fingerprint():
            return Finding(check, False, ANOTHER_TABLE)
        if not all(self._inside(node) for node in solution.proof.nodes):
            return Finding(check, False, "The proof names nodes that are not in the lattice.")
        claimed = solution.cost if solution.status is Status.OPTIMAL else solution.bound
        assert claimed is not None
        measure = measure_for(self.policy.metric, self.counts, self.tables, self.policy)
        if solution.space is Space.CELL_LEVEL:
            least = self._least_by_cell(solution.proof, measure, claimed)
        else:
            least = self._least_cost(solution.proof.nodes, measure)
        holds = (
            least >= claimed - ROUNDING * max(1.0, abs(claimed))
            if claimed < math.inf
            else (math.isinf(least))
        )
        if not holds:
            return Finding(
                check,
                False,
                "The proof does not show what it claims: a recoding that it leaves open could be "
                "cheaper.",
                "solve the problem again",
            )
        return Finding(check, True, solution.claim())

    def _inside(self, levels: Sequence[int]) -> bool:
        return len(levels) == len(self.tables) and all(
            low <= level <= high
            for low, level, high in zip(self.low, levels, self.high, strict=True)
        )

    def _least_by_cell(self, proof: Proof, measure: Measure, claimed: float) -> float:
        """No cell-level recoding costs less than this, by the kind of bound that is named."""
        least = measure.to_cost(
            sum(float(measure.beforehand[a][low]) for a, low in enumerate(self.low))
        )
        if (
            proof.by in (By.NODES, By.TREE)
            or self.policy.sets != (self.policy.names,)  # k rows need not share several sets
            or not isinstance(measure, CellByCell)
        ):
            return least
        ground = cell_ground(self.counts, self.tables, self.policy, measure)
        if not ground.scannable:
            return least
        return max(least, least_by_cell(self.counts, ground, proof, measure, claimed))

    def _least_cost(self, proof: Sequence[tuple[int, ...]], measure: Measure) -> float:
        """No node that meets the policy costs less than this, as far as the proof shows."""
        shape = tuple(high - low + 1 for low, high in zip(self.low, self.high, strict=True))
        if math.prod(shape) > LARGEST:
            return measure.to_cost(
                sum(float(measure.beforehand[a][low]) for a, low in enumerate(self.low))
            )
        base = _outer([measure.beforehand[a][low:] for a, low in enumerate(self.low)], shape)
        extra = np.zeros(shape)
        ruled_out = np.zeros(shape, dtype=bool)
        least = math.inf
        for levels in sorted(proof, key=self._floor_of):
            node = self.count(levels)
            at = tuple(level - low for level, low in zip(levels, self.low, strict=True))
            finer = tuple(slice(0, a + 1) for a in at)
            coarser = tuple(slice(a, None) for a in at)
            ruled_out[at] = True  # counted: it is judged by its own cost
            if self.meets(node):
                least = min(least, measure.cost(node))
            if self.too_many_below(node):
                ruled_out[finer] = True  # a row alone here is alone at every finer node
            else:
                vectors = [
                    np.where(np.arange(len(v)) < base_level, 0.0, v)[low:]  # unknown below the base
                    for v, low, base_level in zip(
                        measure.spared_nowhere(node), self.low, node.base, strict=True
                    )
                ]
                extra[finer] = np.maximum(extra[finer], _outer(vectors, tuple(a + 1 for a in at)))
            base[coarser] = np.maximum(base[coarser], measure.undone_nowhere(node))
        for levels, rows in self.alone.items():
            one_set = self.policy.sets == (self.policy.names,)  # else alone over all is not alone
            if one_set and self._inside(levels) and self._too_many(rows):
                up = [level - low + 1 for level, low in zip(levels, self.low, strict=True)]
                ruled_out[tuple(map(slice, up))] = True  # more stand out at each finer node
        open_nodes = ~ruled_out
        if open_nodes.any():
            scores = (base + extra)[open_nodes]
            least = min(least, measure.to_cost(float(scores.min())))
        return least


@dataclass(slots=True)
class _Shown:
    """By column and level what each group shows, for nodes that are counted one after the other."""

    counts: FrequencySet
    tables: Sequence[LevelTable]
    known: dict[tuple[int, int], NDArray[np.int32]] = field(default_factory=dict)

    def at(self, a: int, level: int) -> NDArray[np.int32]:
        if (a, level) in self.known:
            return self.known[a, level]
        codes: NDArray[np.int32] = self.tables[a].codes[:, level][self.counts.codes[:, a]]
        if (len(self.known) + 1) * self.counts.groups < KEPT:
            self.known[a, level] = codes
        return codes


def _numbered(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Equal keys the same number, from 0 on."""
    span = int(keys.max(initial=0)) + 1
    if span <= 8 * len(keys):
        there = np.zeros(span, dtype=np.bool_)
        there[keys] = True
        return (np.cumsum(there) - 1)[keys]
    found: NDArray[np.int64] = pa.array(keys).dictionary_encode().indices.to_numpy()
    return found.astype(np.int64)


def _outer(vectors: Sequence[Floats], shape: tuple[int, ...]) -> Floats:
    """One value a node: the sum over attributes of the value at its level."""
    total = np.zeros(shape)
    for a, vector in enumerate(vectors):
        along = [1] * len(shape)
        along[a] = shape[a]
        total += vector[: shape[a]].reshape(along)
    return total
