"""Functional dependencies, exact and nearly exact, from one or two kept columns or to one.

A kept column determines a target if rows that agree on the first agree on the second: an attacker
who knows the table of the function (a code list, a directory of postal codes) restores the target.
The other direction counts too: the attacker applies the function to what is known about a person,
and looks the result up in the kept column. Approximate dependencies are measured as g3, the least
share of rows to remove (J. Kivinen and H. Mannila, Approximate inference of functional dependencies
from relations, Theoretical Computer Science 149, 1995).

g3 alone would accept every column of many values, because a value that occurs once determines
everything. So one row for each value is free, as one degree of freedom, and the rest is compared
with always guessing the most frequent value of the target: errors / ((rows - values) (1 - mode)).
The second test is the length of the code in ``relation.py``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lookalike.risks.kept_columns.coded_table import CodedTable, Flags, Whole
from lookalike.risks.kept_columns.findings import Kind
from lookalike.risks.kept_columns.relation import Relation, exceptions_length

SAMPLE_TUPLES = 16_384  # tuples of a sample that rules out most columns
MIN_EXPECTED = 40  # errors that a guess would make in a sample, from which on the sample decides
CORRELATED_SHARE = 0.6  # share of the rows for which a correlation may be right
MAX_CHANCE = 0.05
MANY_REPEATED = 500  # rows, from which on the shares themselves are sure
SCREEN_ERRORS = 0.3  # of those; a relation that is kept has fewer than 0.2 in the whole table


@dataclass(frozen=True, slots=True, eq=False)
class FunctionFit:
    """The best function from sources to target: for each source the most frequent target."""

    predicted: Whole  # (tuples,) the code of the target
    sources: int  # distinct source values
    rows: int
    errors: int  # rows
    mode: int  # rows with the most frequent target
    labels: Whole  # (sources,) the code of the target
    agreeing: Whole  # (sources,) rows that have it
    frequency: Whole  # (target values,) rows

    @property
    def above_chance(self) -> float:
        """1 for an exact function, 0 for one that is only as good as a guess."""
        expected = (self.rows - self.sources) * (1 - self.mode / self.rows) if self.rows else 0
        return 1 - self.errors / expected if expected > 0 else 0.0

    @property
    def is_sure(self) -> bool:
        """Do enough rows repeat a source to tell a nearly exact function from a correlation?

        With a correlation that is right for a share of 0.6 of the repeated rows, so few errors must
        have a probability of at most 0.05 (Clopper and Pearson 1934).
        """
        repeated = self.rows - self.sources
        if repeated > MANY_REPEATED:
            return True
        few = (
            math.comb(repeated, wrong)
            * (1 - CORRELATED_SHARE) ** wrong
            * CORRELATED_SHARE ** (repeated - wrong)
            for wrong in range(min(self.errors, repeated) + 1)
        )
        return sum(few) <= MAX_CHANCE

    @property
    def evidence(self) -> float:
        """Nats saved by stating the exceptions, then one target for each source, not for each row.

        The sources are listed from the most frequent on, and a target costs -ln(rows / all rows)
        of what is not stated yet. If every source has one row, that is the length without a
        function: nothing is saved.
        """
        sizes, labels = self.agreeing, self.labels
        order = np.argsort(-sizes, kind="stable")
        left = _still_to_state(sizes[order], np.zeros_like(order))
        of_label = _still_to_state(sizes[order], labels[order])
        listed = float(np.log(left / of_label).sum())
        values = int(np.count_nonzero(self.frequency))
        others = self.errors * math.log(max(2, values))
        exceptions = exceptions_length(self.rows, self.errors)
        return _arrangements(self.frequency) - listed - others - exceptions


def fit_function(source: Whole, target: Whole, width: int, counts: Whole) -> FunctionFit:
    """Fit a function to tuples with these source keys and target codes, all below ``width``."""
    order = np.argsort(source * width + target)  # equal ones in any order: not stable, but faster
    keys, codes, rows = source[order], target[order], counts[order]
    new_key = np.append(True, keys[1:] != keys[:-1])
    starts = np.flatnonzero(new_key | np.append(True, codes[1:] != codes[:-1]))
    cell_rows = np.add.reduceat(rows, starts)
    group = np.cumsum(new_key[starts]) - 1  # of each cell
    firsts = np.flatnonzero(new_key[starts])
    most = np.maximum.reduceat(cell_rows, firsts)
    modal = np.flatnonzero(cell_rows == most[group])
    modal = modal[np.append(True, group[modal][1:] != group[modal][:-1])]  # the first of equals
    label = codes[starts][modal]  # (sources,)
    predicted = np.empty(len(target), dtype=np.int64)
    predicted[order] = label[np.cumsum(new_key) - 1]
    frequency = np.bincount(target, weights=counts, minlength=width).astype(np.int64)
    total = int(counts.sum())
    return FunctionFit(
        predicted,
        len(most),
        total,
        total - int(most.sum()),
        int(frequency.max(initial=0)),
        label,
        most,
        frequency,
    )


def may_be_function(sample: CodedTable, source: Whole, target: str, known: Flags) -> bool:
    """Does a sample leave it open whether the sources nearly determine the target?"""
    column = sample.columns[target]
    keep = known & column.known
    if not keep.any():
        return False
    codes = column.codes[keep].astype(np.int64)
    fit = fit_function(source[keep], codes, column.width, sample.counts[keep])
    expected = (fit.rows - fit.sources) * (1 - fit.mode / fit.rows)
    return expected < MIN_EXPECTED or fit.errors <= SCREEN_ERRORS * expected


def function_of_kept(
    table: CodedTable, kept: tuple[str, ...], source: Whole, target: str, known: Flags
) -> Relation | None:
    """The target as a function of kept columns, given by one key for each tuple."""
    column = table.columns[target]
    keep = known & column.known
    if not keep.any():
        return None
    codes = column.codes[keep].astype(np.int64)
    fit = fit_function(source[keep], codes, column.width, table.counts[keep])
    return _relation(table, kept, target, keep, fit, codes)


def function_of_target(table: CodedTable, kept: str, target: str) -> Relation | None:
    """A kept column as a function of the target: the attacker looks up what the function says."""
    shown, column = table.columns[kept], table.columns[target]
    keep = shown.known & column.known
    if not keep.any():
        return None
    source, codes = column.codes[keep].astype(np.int64), shown.codes[keep].astype(np.int64)
    fit = fit_function(source, codes, shown.width, table.counts[keep])
    frequency = fit.frequency
    return _relation(table, (kept,), target, keep, fit, codes, frequency[fit.predicted])


def _relation(
    table: CodedTable,
    kept: tuple[str, ...],
    target: str,
    keep: Flags,
    fit: FunctionFit,
    codes: Whole,
    fitting: Whole | None = None,
) -> Relation:
    """The relation of a fit; by default the rows that are predicted to have the value fit it."""
    counts = table.counts[keep]
    if fitting is None:
        predicted = np.bincount(fit.predicted, weights=counts, minlength=len(fit.frequency))
        fitting = predicted.astype(np.int64)[codes]
    holds = np.zeros(len(keep), dtype=np.bool_)
    holds[keep] = fit.predicted == codes
    candidates = np.zeros(len(keep), dtype=np.int64)
    candidates[keep] = fitting
    classes = np.full(len(keep), -1, dtype=np.int64)
    classes[keep] = fit.predicted
    share = 1 - fit.errors / fit.rows
    return Relation(
        Kind.FUNCTION, kept, target, holds, candidates, classes, share,
        fit.above_chance, fit.evidence if fit.is_sure else 0.0,
    )  # fmt: skip


def _still_to_state(sizes: Whole, labels: Whole) -> Whole:
    """(sources,) rows of the same label from here to the end of the list."""
    backwards = np.lexsort((-np.arange(len(sizes)), labels))
    ordered = sizes[backwards]
    total = np.cumsum(ordered)
    new_label = np.append(True, labels[backwards][1:] != labels[backwards][:-1])
    before = (total - ordered)[new_label]
    left = np.empty_like(sizes)
    left[backwards] = total - before[np.cumsum(new_label) - 1]
    return left


def _arrangements(counts: Whole) -> float:
    """ln of the number of orders in which values with these counts can stand."""
    return math.lgamma(int(counts.sum()) + 1) - float(_log_factorial(counts).sum())


def _log_factorial(numbers: Whole) -> Whole:
    distinct, places = np.unique(numbers, return_inverse=True)
    return np.array([math.lgamma(n + 1) for n in distinct.tolist()])[places.reshape(-1)]
