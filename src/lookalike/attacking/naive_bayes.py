"""Naive Bayes over the quasi-identifiers, learned from beliefs about people instead of from rows.

Kifer 2009, section 5: given the sensitive value, the quasi-identifiers of a person are independent
of each other. How often each of their values occurs with each sensitive value is counted from what
is believed so far. A prior count is added for each pair, so that nothing becomes impossible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.value_assignments import Worlds
from lookalike.counts.frequency_set import FrequencySet

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class NaiveBayes:
    """The columns to learn from, and the prior count."""

    codes: Whole  # (kinds, columns) the quasi-identifiers of each kind of people
    sizes: tuple[int, ...]  # values of each column
    prior: float

    @classmethod
    def over(cls, people: FrequencySet, columns: tuple[str, ...], prior: float) -> NaiveBayes:
        """Over some columns of a list of people."""
        at = [people.names.index(name) for name in columns]
        sizes = tuple(len(people.values[a]) for a in at)
        return cls(people.codes[:, at].astype(np.int64), sizes, prior)

    def log_likelihood(self, believed: Floats) -> Floats:
        """(kinds, values) log P(quasi-identifiers | value), from the people believed to have it."""
        held = believed.sum(axis=0)
        total = np.zeros_like(believed)
        for codes, size in zip(self.codes.T, self.sizes, strict=True):
            counts = np.zeros((size, believed.shape[1]))
            np.add.at(counts, codes, believed)
            total += np.log((counts + self.prior) / (held + self.prior * size))[codes]
        return total

    def log_evidence(self, worlds: Worlds, kinds: Whole) -> Floats:
        """(worlds,) log P(quasi-identifiers | the values of everybody), up to a constant.

        The parameters are integrated out (a Dirichlet prior). The cells of the worlds are kinds.
        """
        rows = worlds.rows
        people = int(rows[:1].sum())
        steps = np.log(self.prior + np.arange(people))
        rising = np.concatenate([[0.0], np.cumsum(steps)])  # log prior (prior + 1) … for each count
        total = np.zeros(len(rows))
        for codes, size in zip(self.codes[kinds].T, self.sizes, strict=True):
            held = (codes[:, None] == np.arange(size)).astype(np.int64)  # (cells, codes)
            counts = np.einsum("wcv,cs->wsv", rows, held)
            total += rising[counts].sum(axis=(1, 2))
        return total
