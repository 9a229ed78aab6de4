"""A problem: a policy and the counts of a table, which is what a search works on."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import le
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import Costing, CountedNode, TableFacts
from lookalike.counts.classes import Classes
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.kernel_layout import Encoded, encode
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import Node
from lookalike.policy.policy import Policy
from lookalike.problem.evaluation import NOTHING, Evaluation, NodeFacts
from lookalike.problem.requirement_checks import Rules
from lookalike.problem.rollup import RollUp
from lookalike.problem.sensitive_texts import text_histogram
from lookalike.solution.recoding import Levels, Recoding, Space

if TYPE_CHECKING:
    from lookalike.problem.population import People
    from lookalike.problem.recodings.applied_recoding import AppliedRecoding
    from lookalike.problem.recodings.cut_space import CutSpace


@dataclass(frozen=True, slots=True)
class ProofFloor:
    """Nodes that were counted on the engine, and have to be counted there to check a proof."""

    nodes: tuple[Node, ...] = ()  # the floor: coarser nodes are counted from these
    refuted: tuple[Node, ...] = ()  # the engine only said that too many rows stand out

    def serves(self, node: Node) -> bool:
        """Can a node be counted from the floor?"""
        return any(all(map(le, base, node)) for base in self.nodes)


class Problem:
    """Policy, level tables and counts. Evaluates recodings; knows nothing about searching."""

    holds_all_tuples = True  # False if counts stay on the engine (``out_of_core.py``)

    def __init__(
        self,
        policy: Policy,
        counts: FrequencySet,
        tables: Sequence[LevelTable],
        costing: Costing | None = None,  # if known from a problem with the same marginals
        people: People | None = None,  # the population, if a requirement needs it
    ) -> None:
        self.policy = policy
        self.people = people
        self.counts = counts
        self.tables = tuple(tables)
        self.rows = counts.rows
        self.allowance = policy.allowance(self.rows)
        self.rules = Rules(policy, self.allowance)
        self.smallest = policy.smallest
        bounds = [policy.level_bounds(t.name, t.height) for t in self.tables]
        self.low = tuple(low for low, _ in bounds)
        self.high = tuple(high for _, high in bounds)
        self.sets = tuple(  # the columns of each set, by place; every set must meet the requirement
            tuple(counts.names.index(name) for name in columns) for columns in policy.sets
        )
        self.one_set = self.sets == (tuple(range(len(counts.names))),)
        weights = np.array([float(policy.weights.get(name, 1.0)) for name in counts.names])
        self.ground = TableFacts(
            self.tables,
            tuple(counts.marginal(a) for a in range(len(counts.names))),
            weights / weights.sum(),
            self.rows,
            self.smallest,
            self.low,
            self.rules.grow,
        )
        self.costing: Costing = costing or policy.metric.on(self.ground)
        required, label = policy.required_columns, policy.metric.class_column
        self.judged = {name: text_histogram(counts.sensitive[name]) for name in required}
        fewest = self.rows - (self.allowance if policy.conventions.suppressed == "drop" else 0)
        self.encoded: Encoded = encode(counts, self.tables, label, self.judged, fewest)

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.counts.names

    @property
    def groups(self) -> int:
        """Distinct tuples of the table."""
        return self.counts.groups

    @property
    def nodes(self) -> int:
        """Size of the lattice (Sweeney 2002, equation 1), within the policy's level bounds."""
        return math.prod(high - low + 1 for low, high in zip(self.low, self.high, strict=True))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the counts, by which a proof names its table."""
        return self.counts.fingerprint()

    @cached_property
    def canonical(self) -> NDArray[np.int64]:
        """The groups in the order in which cell maps number them."""
        return self.counts.canonical()

    @cached_property
    def label_numbers(self) -> tuple[NDArray[np.int64], ...]:
        """Per column (levels, leaves): the released label as a number."""
        from lookalike.problem.recodings.cell_evaluation import numbers

        return tuple(numbers(table) for table in self.tables)

    @cached_property
    def cut_space(self) -> CutSpace:
        """Where the columns may be cut, if all are ordered."""
        from lookalike.problem.recodings.cut_space import cut_space

        return cut_space(self)

    @cached_property
    def can_be_cut(self) -> bool:
        """Can every column be cut? If not, ``why_not_cut`` says why."""
        from lookalike.problem.recodings.cut_space import why_not_cut

        return why_not_cut(self) is None

    @property
    def least_cost(self) -> float:
        """A lower bound on the cost of every recoding of every space, before counting."""
        prior = self.costing.prior
        return self.costing.value(float(sum(prior[a, low] for a, low in enumerate(self.low))))

    def node_to_count(self, node: Node, counted: Container[Node]) -> Node:
        """The node to count first when a search asks for this one."""
        return node

    def node_evaluator(self) -> Callable[[Node], Evaluation]:
        """A function that evaluates many nodes quickly: it remembers what it has counted."""
        return RollUp(self).evaluate_node

    def is_known(self, node: Node) -> bool:
        """Can a node be judged without asking the engine?"""
        return True

    def in_memory(self, recoding: Recoding) -> Problem:
        """A problem that holds the counts which this recoding needs."""
        return self

    def proof_floor(self, settles: Callable[[Problem], bool]) -> ProofFloor:
        """The counts on the engine that a proof needs: none. ``settles`` says whether the counts of
        a problem still prove the result.
        """
        return ProofFloor()

    def release_memory(self) -> None:
        """Forget what was kept only to count faster."""

    def apply(self, recoding: Recoding) -> AppliedRecoding:
        """The recoding on this table: every kind of recoding answers the same questions."""
        if recoding.space is Space.FULL_DOMAIN:
            from lookalike.problem.recodings.levels import AppliedLevels

            return AppliedLevels(self, recoding)
        if recoding.space is Space.CUTS:
            from lookalike.problem.recodings.cuts import AppliedCuts

            return AppliedCuts(self, recoding)
        from lookalike.problem.recodings.cells import AppliedCells

        return AppliedCells(self, recoding)

    def evaluate(self, recoding: Recoding) -> Evaluation:
        """Count a recoding and judge it."""
        return self.apply(recoding).evaluation

    def evaluate_node(self, levels: Sequence[int]) -> Evaluation:
        """Count a lattice node and judge it."""
        return self.judge(tuple(levels), self.classes(levels))

    def rows_by_value(self, a: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """(values,) rows of each value of a column, from rows of each group."""
        leaves = self.tables[a].leaves
        return np.bincount(self.counts.codes[:, a], rows, leaves).astype(np.int64)

    def classes(self, levels: Sequence[int], source: Classes | None = None) -> Classes:
        """The equivalence classes of a node, counted from the ``source`` classes of a finer one."""
        from lookalike.counts.counting_kernels import gather  # late: loads numba

        node = np.array(levels, dtype=np.int64)
        classes = gather(self.encoded, source or self.encoded.ground, node)
        if self.people is None:
            return classes
        return self.people.among(classes, self.encoded.codes(node, classes.member), levels)

    def broken(self, classes: Classes, levels: Sequence[int]) -> NDArray[np.bool_]:
        """Which classes may not be released at a node."""
        return self.rules.broken(classes, self._set_codes(classes, levels))

    def _set_codes(self, classes: Classes, levels: Sequence[int]) -> list[NDArray[np.int32]]:
        """What each class shows in each set of columns, if there are several."""
        if self.one_set:
            return []
        codes = self.encoded.codes(np.array(levels, dtype=np.int64), classes.member)
        return [codes[:, columns] for columns in self.sets]

    def judge(self, levels: Node, classes: Classes) -> Evaluation:
        """Does a node meet the policy, and what does it cost, given its classes?"""
        node = np.array(levels, dtype=np.int64)
        sets = self._set_codes(classes, levels)
        broken = self.rules.broken(classes, sets)
        lost = self.rules.hopeless(classes, broken, sets)
        suppressed = lost_rows = sure = int(classes.sizes[broken].sum())
        if lost is not broken:
            lost_rows = int(classes.sizes[lost].sum())
            sure = lost_rows + self.rules.broken_below(broken & ~lost, self.one_set)
        within, finer_meet = self.may_suppress(suppressed), self.may_suppress(sure)
        if within or finer_meet or not self.costing.prior_is_base:
            counted = CountedNode(self.encoded, node, classes, broken, suppressed, lost)
            cost = self.costing.node(counted)
        else:
            cost = NOTHING  # it cannot be released, and its cost bounds no other node
        return Evaluation(
            Levels(self.names, levels),
            within and self.is_safe_without(classes, broken),
            suppressed,
            len(classes) - int(broken.sum()),
            cost.cost,
            NodeFacts(finer_meet, cost, lost_rows),
        )

    def is_safe_without(self, classes: Classes, broken: NDArray[np.bool_]) -> bool:
        """Does a release that suppresses the broken classes meet the requirements as a whole?"""
        if self.policy.conventions.suppressed == "drop" or not broken.any():
            return not self.rules.table_wide or self.rules.met(classes, ~broken)
        into = np.where(broken, 0, np.cumsum(~broken))  # the starred rows are one class
        sizes = np.bincount(into, weights=classes.sizes).astype(np.int64)
        whole = self.rules.met(classes.merged(into, sizes), np.ones(len(sizes), dtype=np.bool_))
        return whole and self.starred_are_safe(classes.only(broken))

    def may_suppress(self, rows: int) -> bool:
        """Are these rows no more than the policy allows, and not all?"""
        return rows <= self.allowance and (rows < self.rows or not self.rows)

    def starred_are_safe(self, starred: Classes | None) -> bool:
        """Do starred rows meet the requirements? They are a class, unless ``*`` is a wildcard."""
        conventions = self.policy.conventions
        if conventions.suppressed == "drop" or conventions.stars == "wildcard" or starred is None:
            return True
        return not bool(self.rules.unsafe(starred)[0])

    def enough_starred(self, rows: int) -> bool:
        """The same for requirements on size alone: none, or enough rows to be a class."""
        starred = Classes(np.array([rows]), np.zeros(1, np.int64))
        return self.starred_are_safe(starred if rows else None)
