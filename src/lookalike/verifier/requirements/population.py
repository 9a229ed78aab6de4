"""The population, read afresh: how many people look like each class.

Whoever shows the same labels looks alike, as the policy's hierarchies give them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.policy.policy import Policy
from lookalike.tables.open import open_table

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Persons:
    """Tuples of the population as text, and how many people each is."""

    texts: tuple[tuple[str | None, ...], ...]  # by column, by tuple
    people: Whole

    @staticmethod
    def of(policy: Policy) -> Persons:
        population = policy.population
        assert population is not None
        names = [*policy.names, *([population.count] if population.count else [])]
        *columns, rows = open_table(population.place).distinct_text(names).columns
        people = rows.to_numpy().astype(np.int64)
        if population.count:
            people = people * np.array([int(text) for text in columns.pop().to_pylist()])
        return Persons(tuple(tuple(column.to_pylist()) for column in columns), people)

    def like(
        self, policy: Policy, levels: Sequence[int], shown: Sequence[Sequence[str | None]]
    ) -> tuple[Whole, int]:
        """People who look like each class at a node, and those who look like none.

        ``shown`` are the labels of the classes, column by column.
        """
        looking: dict[tuple[str | None, ...], int] = {}
        theirs = zip(*map(self._labels, range(len(levels)), levels, [policy] * len(levels)),
                     strict=True)  # fmt: skip
        for labels, people in zip(theirs, self.people.tolist(), strict=True):
            looking[labels] = looking.get(labels, 0) + people
        found = [looking.get(labels, 0) for labels in zip(*shown, strict=True)]
        return np.array(found, dtype=np.int64), int(self.people.sum()) - sum(found)

    def levels_of(self, policy: Policy, shown: Sequence[Sequence[str | None]]) -> tuple[int, ...]:
        """The levels at which a table seems to be: where most of its labels are people's too."""
        found = []
        for a, name in enumerate(policy.names):
            values = list(dict.fromkeys(self.texts[a]))
            table = policy.hierarchies[name].tabulate(name, values)
            known = [sum(label in labels for label in shown[a]) for labels in table.labels]
            found.append(known.index(max(known)))
        return tuple(found)

    def _labels(self, a: int, level: int, policy: Policy) -> list[str | None]:
        """What each tuple shows in a column at a level."""
        name, values = policy.names[a], list(dict.fromkeys(self.texts[a]))
        table = policy.hierarchies[name].tabulate(name, values)
        codes = table.codes[:, level].tolist()
        label = dict(zip(values, (table.labels[level][code] for code in codes), strict=True))
        return [label[text] for text in self.texts[a]]
