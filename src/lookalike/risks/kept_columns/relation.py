"""A relation between kept columns and one generalized or dropped column, measured as an attack.

An attacker knows the true value of the column (the target) for one person, and the relation, for
example that one column is the logarithm of another. The attacker picks the rows whose kept cells
fit. If the relation holds for the person's row, this row is among them; if they are fewer than k,
the row has fallen below k, whatever the release does to the target.

A relation counts only if it passes two tests, so that chance and plain correlation do not.

*Nearly exact.* The share of rows for which it holds is corrected for chance as Cohen's kappa is:
(share - chance) / (1 - chance), with the share that it would reach if the target were shuffled. It
must be at least ``MIN_ABOVE_CHANCE``.

*Supported.* The relation must shorten the description of the target. Under the hypothesis that the
target is shuffled at random, every order of its values needs ln n!/(c1! c2! …) nats; a code that
states the relation, its parameters and its exceptions first can be shorter by b nats with a
probability of at most e^-b (Kraft's inequality; P. Grünwald, The Minimum Description Length
Principle, 2007, section 3.3). A relation is supported if b exceeds ln(100 × tests): over all tests
made on a table, one table without relations in a hundred or fewer has one, and most of these are
not nearly exact. A column in which every value is different determines every other column, but the
code has to list what it determines, so nothing is saved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from lookalike.risks.kept_columns.coded_table import CodedTable, Flags, Real, Whole
from lookalike.risks.kept_columns.findings import Kind

MIN_ABOVE_CHANCE = (
    0.8  # how far above chance: about the share of people for whom the attacker is right
)
SAMPLE_TOLERANCE = 0.1  # by which a sample may be worse than the table
NO_CLASSES: Whole = np.zeros(0, dtype=np.int64)
FALSE_ALARMS = 1e-2  # tables without any relation that may show one, by the bound above


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A relation that holds for some rows, with how many rows fit what the attacker knows."""

    kind: Kind
    kept: tuple[str, ...]
    target: str
    holds: Flags  # (tuples,)
    candidates: Whole  # (tuples,) rows that fit the true value of the target
    classes: Whole  # (tuples,) a number for what the attacker sees in place of the target
    share: float  # of the rows where no cell is null
    above_chance: float  # the share corrected for chance
    evidence: float  # nats saved

    def rows_below(self, k: int, counts: Whole) -> int:
        """Rows for which the relation holds and that fewer than k rows fit."""
        return int(counts[self.holds & (self.candidates < k)].sum())

    def is_credible(self, tests: int) -> bool:
        """Is it nearly exact, and supported after this number of tests?"""
        enough = math.log(max(1, tests) / FALSE_ALARMS)
        return self.above_chance >= MIN_ABOVE_CHANCE and self.evidence > enough


def fitted_relation(
    table: CodedTable,
    kind: Kind,
    kept: tuple[str, ...],
    target: str,
    shown: Real,
    wanted: Real,
    tolerance: float,
    parameters: float,
) -> Relation:
    """The relation |shown - wanted| ≤ tolerance, between numbers of the kept and the known side.

    ``shown`` (tuples,) is computed from the kept columns, ``wanted`` from the target; NaN means
    that a cell is null. ``parameters`` is the length in nats of what was fitted to the data.
    """
    known = np.isfinite(shown) & np.isfinite(wanted)
    holds = np.zeros(len(known), dtype=np.bool_)
    holds[known] = np.abs(shown[known] - wanted[known]) <= tolerance
    candidates = np.zeros(len(known), dtype=np.int64)
    share = table.counts[holds].sum() / max(1, table.counts[known].sum())
    if share < MIN_ABOVE_CHANCE - SAMPLE_TOLERANCE:  # chance can only make it less
        return Relation(kind, kept, target, holds, candidates, NO_CLASSES, share, share, 0.0)
    order = np.argsort(shown[known])
    ordered = shown[known][order]
    total = np.append(0, np.cumsum(table.counts[known][order]))
    values, places = np.unique(wanted[known], return_inverse=True)
    first = np.searchsorted(ordered, values - tolerance, side="left")
    last = np.searchsorted(ordered, values + tolerance, side="right")
    candidates[known] = (total[last] - total[first])[places.reshape(-1)]
    relation = measured_relation(
        table, kind, kept, target, known, holds, candidates, NO_CLASSES, parameters
    )
    if relation.above_chance < MIN_ABOVE_CHANCE:
        return relation  # it will not be used together with others
    return replace(relation, classes=window_classes(shown, tolerance))


def window_classes(shown: Real, tolerance: float) -> Whole:
    """Equal windows of twice the tolerance: what can be told apart, for use with other columns."""
    filled = np.where(np.isfinite(shown), shown, np.inf)
    if tolerance > 0:
        filled = np.floor(filled / (2 * tolerance))
    return np.unique(filled, return_inverse=True)[1].reshape(-1).astype(np.int64)


def measured_relation(
    table: CodedTable,
    kind: Kind,
    kept: tuple[str, ...],
    target: str,
    known: Flags,
    holds: Flags,
    candidates: Whole,
    classes: Whole,
    parameters: float,
    chance: float = 0.0,
) -> Relation:
    """A relation with a known number of candidates for each row, of which ``chance`` is the least.

    A row of a shuffled table is among the candidates of a target with a probability of candidates /
    rows. So a row for which the relation holds saves ln(rows / candidates) nats.
    """
    counts = table.counts
    rows = int(counts[known].sum())
    holding = int(counts[holds].sum())
    if not holding:
        return Relation(kind, kept, target, holds, candidates, classes, 0.0, 0.0, 0.0)
    shares = np.maximum(candidates / rows, max(chance, 1e-300))
    by_chance = float((counts[known] * shares[known]).sum() / rows)
    share = holding / rows
    above = (share - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0
    saved = float((counts[holds] * -np.log(np.minimum(shares[holds], 1.0))).sum())
    evidence = saved - parameters - exceptions_length(rows, rows - holding)
    return Relation(kind, kept, target, holds, candidates, classes, share, above, evidence)


def exceptions_length(rows: int, exceptions: int) -> float:
    """Nats that say how many rows are exceptions, and which."""
    which = math.lgamma(rows + 1) - math.lgamma(exceptions + 1) - math.lgamma(rows - exceptions + 1)
    return 2 * math.log(exceptions + 1) + math.log(2) + which
