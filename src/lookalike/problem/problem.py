"""A policy met with counts: what a search works on."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import Costing, CountedNode, NodeCost, TableFacts
from lookalike.counts.classes import Classes
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.kernel_layout import Encoded, encode
from lookalike.counts.level_table import TOP, LevelTable
from lookalike.counts.remote_counts import Node
from lookalike.policy.policy import Policy
from lookalike.problem.cell_evaluation import CellEvaluation, evaluate_cells, numbers
from lookalike.problem.cut_evaluation import CutsEvaluation, evaluate_cuts
from lookalike.problem.cut_space import CutSpace, cut_space, unordered
from lookalike.problem.population import People
from lookalike.problem.requirement_checks import Rules
from lookalike.problem.sensitive_texts import as_texts
from lookalike.solution.interval_labels import ShownColumn, shown_column
from lookalike.solution.recoding import CellMap, Cuts, Recoding


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What is known of a node once it has been counted."""

    levels: tuple[int, ...]
    meets: bool  # may it be released?
    finer_meet: bool  # may any finer node? False closes the whole down-set
    suppressed: int
    classes: int  # released classes
    reading: NodeCost
    lost: int = 0  # of the suppressed, rows that every finer node suppresses too

    @property
    def cost(self) -> float:
        return self.reading.cost


NOTHING = NodeCost(math.inf, -math.inf, np.zeros((0, 0)))


class Problem:
    """Policy, level tables and counts; evaluates recodings, knows nothing of searching."""

    def __init__(
        self,
        policy: Policy,
        counts: FrequencySet,
        tables: Sequence[LevelTable],
        costing: Costing | None = None,  # of a problem with the same marginals
        people: People | None = None,  # the population, if a rule asks for it
    ) -> None:
        self.policy = policy
        self.people = people
        self.counts = counts
        self.tables = tuple(tables)
        self.rows = counts.rows
        self.allowance = policy.allowance(self.rows)
        self.rules = Rules.of(policy, self.allowance)
        self.smallest = policy.smallest
        bounds = [policy.bounds(t.name, t.height) for t in self.tables]
        self.low = tuple(low for low, _ in bounds)
        self.high = tuple(high for _, high in bounds)
        self.sets = tuple(  # columns, by their place, that must each keep the requirement
            tuple(counts.names.index(name) for name in columns) for columns in policy.sets
        )
        self.one_set = self.sets == (tuple(range(len(counts.names))),)
        self.ground = self._table_facts()
        self.costing: Costing = costing or policy.metric.on(self.ground)
        self.judged = {name: as_texts(counts.sensitive[name]) for name in policy.judged}
        dropped = policy.conventions.suppressed == "drop"
        self.encoded: Encoded = encode(
            counts,
            self.tables,
            policy.metric.class_column,
            self.judged,
            self.rows - (self.allowance if dropped else 0),
        )

    @property
    def names(self) -> tuple[str, ...]:
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
        """A digest of the counts that a proof speaks about."""
        return self.counts.fingerprint()

    @cached_property
    def canonical(self) -> NDArray[np.int64]:
        """The groups in the order by which cell maps number them."""
        return self.counts.canonical()

    @cached_property
    def label_numbers(self) -> tuple[NDArray[np.int64], ...]:
        """Per column (levels, leaves): the released label as a number."""
        return tuple(numbers(table) for table in self.tables)

    @cached_property
    def cut_space(self) -> CutSpace:
        """Where the columns may be cut, if all are ordered."""
        return cut_space(self)

    @cached_property
    def can_be_cut(self) -> bool:
        """Are all columns ordered? If not, ``unordered`` says why."""
        return unordered(self) is None

    @property
    def floor(self) -> float:
        """What any recoding costs at least, of any space, before anything is counted."""
        prior = self.costing.prior
        return self.costing.value(float(sum(prior[a, low] for a, low in enumerate(self.low))))

    def _table_facts(self) -> TableFacts:
        weights = np.array([float(self.policy.weights.get(name, 1.0)) for name in self.names])
        return TableFacts(
            self.tables,
            tuple(self.counts.marginal(a) for a in range(len(self.names))),
            weights / weights.sum(),
            self.rows,
            self.smallest,
            self.low,
            self.rules.grow,
        )

    def node_to_count(self, node: Node, counted: Container[Node]) -> Node:
        """The node to count first when this one is asked for (``far.py`` may name another)."""
        return node

    def held(self, levels: Sequence[int]) -> Problem:
        """A problem that has the counts of this node at hand."""
        return self

    def evaluate(self, levels: Sequence[int], source: Classes | None = None) -> Evaluation:
        """Count a node afresh, or from the classes of a finer one, and judge it."""
        return self.judge(levels, self.classes(levels, source))

    def evaluate_cells(self, recoding: CellMap) -> CellEvaluation:
        """Count a cell-level recoding and judge it."""
        return evaluate_cells(self, recoding)

    def evaluate_cuts(self, recoding: Cuts) -> CutsEvaluation:
        """Count a recoding by cuts and judge it."""
        return evaluate_cuts(self, recoding)

    def cost_of(self, recoding: Recoding) -> float:
        """What any recoding of this table costs, whether or not it meets the policy."""
        if isinstance(recoding, CellMap):
            return self.evaluate_cells(recoding).cost
        if isinstance(recoding, Cuts):
            return self.evaluate_cuts(recoding).cost
        return self.evaluate(recoding.levels).cost

    def stars(self, recoding: Recoding) -> int:
        """Released cells that show nothing but ``*``."""
        heights = np.array([table.height for table in self.tables])
        if isinstance(recoding, CellMap):
            rows = recoding.rows * ~recoding.gone
            return int(rows @ (recoding.levels == heights).sum(axis=1))
        if isinstance(recoding, Cuts):
            kept = self.rows - self.evaluate_cuts(recoding).suppressed
            return kept * sum(column.labels == (TOP,) for column in self.shown(recoding))
        kept = self.rows - self.evaluate(recoding.levels).suppressed
        return kept * int((np.array(recoding.levels) == heights).sum())

    def shown(self, recoding: Cuts) -> tuple[ShownColumn, ...]:
        """What each column shows between its cuts."""
        return tuple(
            shown_column(table, values, self.policy.hierarchies[table.name], cuts, (low, high))
            for table, values, cuts, low, high in zip(
                self.tables, self.counts.values, recoding.cuts, self.low, self.high, strict=True
            )
        )

    def classes(self, levels: Sequence[int], source: Classes | None = None) -> Classes:
        """Who looks alike at a node."""
        from lookalike.counts.counting_kernels import gather  # late: loads numba

        node = np.array(levels, dtype=np.int64)
        found = gather(self.encoded, source or self.encoded.ground, node)
        if self.people is None:
            return found
        return self.people.among(found, self.encoded.codes(node, found.member), levels)

    def broken(self, classes: Classes, levels: Sequence[int]) -> NDArray[np.bool_]:
        """Which classes may not be released at a node."""
        return self.rules.broken(classes, self._set_codes(classes, levels))

    def _set_codes(self, classes: Classes, levels: Sequence[int]) -> list[NDArray[np.int32]]:
        """What each class shows in each set of columns, if there are several."""
        if self.one_set:
            return []
        codes = self.encoded.codes(np.array(levels, dtype=np.int64), classes.member)
        return [codes[:, columns] for columns in self.sets]

    def judge(self, levels: Sequence[int], classes: Classes) -> Evaluation:
        """Feasible or not, and what it costs, from the classes of a node."""
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
            reading = self.costing.node(counted)
        else:
            reading = NOTHING  # it cannot be released, and its cost would tell nothing new
        return Evaluation(
            tuple(node.tolist()),
            within and self.may_go(classes, broken),
            finer_meet,
            suppressed,
            len(classes) - int(broken.sum()),
            reading,
            lost_rows,
        )

    def may_go(self, classes: Classes, broken: NDArray[np.bool_]) -> bool:
        """Is a release without the broken classes safe as a whole, with those starred that stay?"""
        if self.policy.conventions.suppressed == "drop" or not broken.any():
            return not self.rules.table_wide or self.rules.met(classes, ~broken)
        into = np.where(broken, 0, np.cumsum(~broken))  # those starred are one class
        sizes = np.bincount(into, weights=classes.sizes).astype(np.int64)
        whole = self.rules.met(classes.merged(into, sizes), np.ones(len(sizes), dtype=np.bool_))
        return whole and self.starred_are_safe(classes.only(broken))

    def may_suppress(self, rows: int) -> bool:
        """No more than the policy allows, and never all of them."""
        return rows <= self.allowance and (rows < self.rows or not self.rows)

    def starred_are_safe(self, starred: Classes | None) -> bool:
        """Starred rows that stay are a class like any other, unless ``*`` is a wildcard."""
        conventions = self.policy.conventions
        if conventions.suppressed == "drop" or conventions.stars == "wildcard" or starred is None:
            return True
        return not bool(self.rules.unsafe(starred)[0])

    def enough_starred(self, rows: int) -> bool:
        """The same of rules on size alone: none, or enough to be a class."""
        return self.starred_are_safe(
            Classes(np.array([rows]), np.zeros(1, np.int64)) if rows else None
        )
