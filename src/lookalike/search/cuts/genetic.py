"""Genetic search over sets of cuts, after Iyengar 2002.

There is a population of sets of cuts, best first. Two parents are chosen at random, better sets
more often. Their child takes the cuts of each column from one of them, or mixes them at a place;
some of its cuts change at random. It replaces the worst set if it is better and new (as in
Whitley's GENITOR, which Iyengar extended).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.search.algorithm_options import whole_number
from lookalike.search.cuts.local_search import Flags, LocalSearch, Steps
from lookalike.search.option_checks import check_number, check_whole
from lookalike.search.run import Run


@dataclass(frozen=True, slots=True)
class Genetic(LocalSearch):
    """Randomized heuristic over cuts of ordered columns: a genetic algorithm.

    Parameters
    ----------
    population : int
        Sets of cuts that are kept.
    children : int
        Sets of cuts that are created in all.
    mutation : float
        Cuts that change in a child, on average.

    References
    ----------
    Iyengar 2002. Transforming data to satisfy privacy constraints.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(
    ...     quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3),
    ...     metric="discernibility",
    ... )
    >>> la.solve(la.prepare(table, policy), la.Genetic(children=200))
    <Solution: optimal, cuts, genetic, cost 18>
    """

    population: int = 100
    children: int = 10_000
    mutation: float = 1.5
    name = "genetic"
    options = (whole_number("children"), whole_number("population"))
    promise = "Genetic search meets the policy. It does not promise a low cost."

    def __post_init__(self) -> None:
        check_whole("Genetic(population=...)", self.population, 1)
        check_whole("Genetic(children=...)", self.children)
        check_number("Genetic(mutation=...)", self.mutation)

    def search(self, run: Run) -> None:
        table = Steps.of(run.problem)
        rng = np.random.default_rng(run.seed)
        flags = table.space.forced.copy()
        steps_to = [(table.value(flags), flags)]
        table.offer(run, flags)
        if not len(table.free):
            return
        for _ in range(self.population - 1):
            run.mind_limits()
            flags = table.at_random(rng, float(rng.choice([0.02, 0.05, 0.1, 0.2])))
            steps_to.append((table.value(flags), flags))
        people = sorted(steps_to, key=lambda one: one[0])
        table.offer(run, people[0][1])
        for _ in range(self.children):
            run.mind_limits()
            run.looked()
            mother, father = (people[self._rank(rng)][1] for _ in range(2))
            child = self._mutated(table, rng, self._crossed(table, rng, mother, father))
            value = table.value(child)
            if value >= people[-1][0] or any(
                value == other and np.array_equal(child, flags) for other, flags in people
            ):
                continue
            if value < people[0][0]:
                table.offer(run, child)
            people[-1] = (value, child)
            people.sort(key=lambda one: one[0])

    def _rank(self, rng: np.random.Generator) -> int:
        """The first is twice as likely as the middle one, the last not at all."""
        return int(self.population * (1 - np.sqrt(rng.random())))

    def _crossed(
        self, table: Steps, rng: np.random.Generator, mother: Flags, father: Flags
    ) -> Flags:
        if rng.random() < 0.5:  # column by column
            from_mother = rng.random(len(table.space.names)) < 0.5
            return np.where(from_mother[table.space.column], mother, father)
        place = rng.integers(len(mother) + 1)
        return np.where(np.arange(len(mother)) < place, mother, father)

    def _mutated(self, table: Steps, rng: np.random.Generator, child: Flags) -> Flags:
        child = child.copy()
        change = table.free[rng.random(len(table.free)) < self.mutation / len(table.free)]
        child[change] = ~child[change]
        return table.repaired(child)
