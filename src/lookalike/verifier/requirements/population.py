"""The population, read again by the verifier: how many people look like each class.

People look like a class if they show the same labels, as the policy's hierarchies give them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.tables.open import open_table
from lookalike.verifier.requirements.sensitive_counts import CountedClasses, Whole


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Distinct tuples of the population as text, and how many people each stands for."""

    policy: Policy
    texts: tuple[tuple[str | None, ...], ...]  # per column (tuples,)
    counts: Whole  # (tuples,) people

    @staticmethod
    def of(policy: Policy) -> People:
        """Read from the policy's table of the population."""
        population = policy.population
        assert population is not None
        names = [*policy.names, *([population.count] if population.count else [])]
        *columns, rows = open_table(population.place).distinct_text(names).columns
        counts = rows.to_numpy().astype(np.int64)
        if population.count:
            counts = counts * np.array([int(text) for text in columns.pop().to_pylist()])
        return People(policy, tuple(tuple(column.to_pylist()) for column in columns), counts)

    def among(
        self,
        classes: CountedClasses,
        shown: Sequence[Sequence[str | None]],
        levels: Sequence[int],
    ) -> CountedClasses:
        """The classes of a node, with the people who look like each.

        ``shown`` are the labels of the classes, column by column.
        """
        labels = [self._labels(a, level) for a, level in enumerate(levels)]
        people: Counter[tuple[str | None, ...]] = Counter()
        for cells, count in zip(zip(*labels, strict=True), self.counts.tolist(), strict=True):
            people[cells] += count
        population = np.array([people[cells] for cells in zip(*shown, strict=True)], dtype=np.int64)
        outside = int(self.counts.sum()) - int(population.sum())
        return replace(classes, population=population, outside=outside)

    def levels_of(self, shown: Sequence[Sequence[str | None]]) -> tuple[int, ...]:
        """The levels at which a table seems to be: those where most of its labels are known."""
        levels = []
        for a, labels_shown in enumerate(shown):
            labels_by_level = self._tabulate(a)[1].labels
            known = [sum(label in labels for label in labels_shown) for labels in labels_by_level]
            levels.append(known.index(max(known)))
        return tuple(levels)

    def _labels(self, a: int, level: int) -> list[str | None]:
        """(tuples,) what each shows in a column at a level."""
        values, table = self._tabulate(a)
        codes = table.codes[:, level].tolist()
        label = dict(zip(values, (table.labels[level][code] for code in codes), strict=True))
        return [label[text] for text in self.texts[a]]

    def _tabulate(self, a: int) -> tuple[list[str | None], LevelTable]:
        """The distinct values of a column, and its hierarchy over them."""
        values, name = list(dict.fromkeys(self.texts[a])), self.policy.names[a]
        return values, self.policy.hierarchies[name].tabulate(name, values)
