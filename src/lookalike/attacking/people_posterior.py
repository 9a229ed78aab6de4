"""The probability of each sensitive value for each person, after an attack.

People with the same quasi-identifiers cannot be told apart, so they are one *kind* of person.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.attack_findings import EQUAL, ClassFinding, finding
from lookalike.attacking.release_view import ReleaseView
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import Value
from lookalike.problem.sensitive_texts import text_histogram

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


class Accuracy(NamedTuple):
    """The share of people whose value is guessed right, on the original table."""

    attack: float
    published: float  # by guessing the most frequent value among the rows that fit
    believed: float  # what the attacker expects of the attack


@dataclass(frozen=True, slots=True, eq=False)
class PeoplePosterior:
    """What is believed about each kind of person, in one sensitive column."""

    column: str
    values: tuple[Value, ...] = field(repr=False)
    kind: Whole = field(repr=False)  # (kinds,) as the list of people numbers them
    of: Whole = field(repr=False)  # (kinds,) the class of each, or the first that fits
    people: Whole = field(repr=False)  # (kinds,)
    chance: Floats = field(repr=False)  # (kinds, values)
    published: Floats = field(repr=False)  # (kinds, values) the rates of the rows that fit

    def findings(self, view: ReleaseView) -> Iterator[ClassFinding]:
        """What is learned in each class where the best guess beats the published rate."""
        best = self.chance.max(axis=1, initial=0)
        known = self.published.max(axis=1, initial=0)
        better = np.unique(self.of[best > known + EQUAL])
        for at in better.tolist():
            here = self.of == at
            class_finding = finding(view, at, self.people[here], best[here], known[here])
            if class_finding is not None:
                yield class_finding

    def accuracy(self, original: FrequencySet, people: FrequencySet) -> Accuracy:
        """How many people are guessed right; ``original`` has the sensitive column by group.

        Between equally probable values the attacker guesses at random.
        """
        histogram = text_histogram(original.sensitive[self.column])
        place = {value: at for at, value in enumerate(self.values)}
        code = np.array([place.get(value, -1) for value in histogram.values], dtype=np.int64)
        group = _same_tuples(original, people)[histogram.group]
        row = np.full(people.groups + 1, -1, dtype=np.int64)
        row[self.kind] = np.arange(len(self.kind))
        at, value = row[group], code[histogram.code]
        known = (at >= 0) & (value >= 0)
        at, value, rows = at[known], value[known], histogram.count[known]
        total = max(1, int(self.people.sum()))
        attack, published = (
            float((rows * _guesses(belief)[at, value]).sum() / total)
            for belief in (self.chance, self.published)
        )
        believed = float((self.people * self.chance.max(axis=1)).sum() / total)
        return Accuracy(attack, published, believed)


def _guesses(belief: Floats) -> Floats:
    """(kinds, values) the chance that each value is guessed."""
    best = belief >= belief.max(axis=1, keepdims=True) - EQUAL
    guesses: Floats = best / best.sum(axis=1, keepdims=True)
    return guesses


def _same_tuples(original: FrequencySet, people: FrequencySet) -> Whole:
    """(groups of the original,) the kind of each; the last number + 1 if the list lacks it."""
    columns = [people.names.index(name) for name in original.names]
    place = {
        tuple(
            people.values[at][code] for at, code in zip(columns, codes[columns], strict=True)
        ): row
        for row, codes in enumerate(people.codes)
    }
    tuples = (
        tuple(values[code] for values, code in zip(original.values, codes, strict=True))
        for codes in original.codes
    )
    return np.array([place.get(one, people.groups) for one in tuples], dtype=np.int64)
