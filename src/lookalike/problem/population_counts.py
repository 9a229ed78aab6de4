"""Count the population of a policy, and read its values by the policy's hierarchies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.errors import Fault, LookalikeError
from lookalike.policy.cell_text import text
from lookalike.policy.policy import Policy
from lookalike.problem.population import People, codes_in
from lookalike.tables.cache.count_cache import cached_counts
from lookalike.tables.open import open_table


def count_people(
    policy: Policy, tables: Sequence[LevelTable], rows: int
) -> tuple[People | None, list[Fault]]:
    """The people by their tuples, or the faults of the population."""
    population = policy.population
    assert population is not None
    table = open_table(population.place)
    wanted = [*policy.names, *([population.count] if population.count else [])]
    lacking = [name for name in wanted if name not in table.columns]
    if lacking:
        problem = f"the population has no column {', '.join(lacking)}"
        fix = "give it the same names as the table's quasi-identifiers"
        return None, [Fault("population", problem, fix)]
    counts = cached_counts(table, tuple(wanted))
    faults: list[Fault] = []
    people = counts.counts
    if population.count:
        each, faults = _numbers(counts, population.count)
        people = people * each
    codes = []
    for a, mine in enumerate(tables):
        try:
            theirs = policy.hierarchies[mine.name].tabulate(mine.name, counts.values[a])
        except LookalikeError as error:
            faults += [replace(f, where=f"population.{mine.name}") for f in error.faults]
            continue
        if theirs.height != mine.height:
            problem = "its hierarchy does not have the same height as in the table"
            fix = "write the values in the same form in both: postal codes of one length"
            faults.append(Fault(f"population.{mine.name}", problem, fix))
        codes.append(codes_in(mine, theirs))
    if not faults and int(people.sum()) < rows:
        problem = f"it has {int(people.sum()):,} people, but the table has {rows:,} rows"
        fix = "give a table of all people, including those of the table"
        faults.append(Fault("population", problem, fix))
    if faults:
        return None, faults
    return People(tuple(codes), counts.codes[:, : len(tables)], people), []


def _numbers(counts: FrequencySet, column: str) -> tuple[NDArray[np.int64], list[Fault]]:
    """The people of each row, from the column that counts them."""
    texts = ["" if value is None else text(value).strip() for value in counts.values[-1]]
    read = [int(cell) if cell.isascii() and cell.isdigit() else None for cell in texts]
    each = np.array([people or 0 for people in read], dtype=np.int64)[counts.codes[:, -1]]
    wrong = read.count(None)
    if not wrong:
        return each, []
    some = "a value is" if wrong == 1 else f"{wrong} values are"
    problem = f"{some} not a whole number of 0 or more"
    return each, [Fault(f"population.{column}", problem, "give each row a number of people")]
