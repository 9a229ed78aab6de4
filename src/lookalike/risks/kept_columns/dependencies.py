"""How far kept columns, alone and in pairs, restore columns that are generalized or dropped.

Every kept column is compared with every quasi-identifier and every dropped column. A relation that
is found is measured as an attack (``relation.py``): the rows that fewer than k rows fit, if the
other quasi-identifiers are not used at all. Then all relations are used at once: an attacker who
knows several quasi-identifiers matches them all. At last the attacker knows all quasi-identifiers,
and those that nothing restores are taken as they are in the original: how far the release will
generalize them is not known before the search.

A dropped column (an identifier) as the source of a function is left out: in a table with several
rows for each person, everything that stays the same is a function of the person's number, but the
number tells an attacker nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.counts.tuple_keys import numbered_tuples
from lookalike.risks.kept_columns.coded_table import CodedTable, Real
from lookalike.risks.kept_columns.contained_texts import Texts, text_relation
from lookalike.risks.kept_columns.dates_and_ages import date_relation
from lookalike.risks.kept_columns.findings import Kind
from lookalike.risks.kept_columns.functions import (
    SAMPLE_TUPLES,
    function_of_kept,
    function_of_target,
    may_be_function,
)
from lookalike.risks.kept_columns.relation import MIN_ABOVE_CHANCE, SAMPLE_TOLERANCE, Relation

QUICK_SAMPLE_TUPLES = 2_000  # tuples of a sample that rule out most functions
LINE_SAMPLE_TUPLES = 500  # tuples of a sample that lines are fitted to
RANK_SAMPLE_TUPLES = 2_000  # tuples of a sample that rank correlations are computed from
MIN_RANK_CORRELATION = 0.5  # of a monotone relation in which one row in five is an exception
ALL_BUT_EXACT = 0.99  # above chance: no other relation of numbers can show more
SPECIFIC = (  # the most telling kind first
    Kind.DATE_AND_AGE, Kind.DATE_PART, Kind.AFFINE, Kind.TEXT, Kind.LOGARITHM, Kind.POWER,
    Kind.FUNCTION, Kind.MONOTONE, Kind.LINEAR,
)  # fmt: skip
MIN_SHARE_OF_WORST = 0.8  # of the rows at risk by the worst relation
NUMERIC = (Kind.DATE_AND_AGE, Kind.AFFINE, Kind.LOGARITHM, Kind.POWER)
MAX_RELATIONS = 8  # relations tried for each kept column, or pair, and target


@dataclass(frozen=True, slots=True)
class Together:
    """All relations used at once: the rows that fewer than k rows fit."""

    kept: tuple[str, ...]
    targets: tuple[str, ...]
    rows: int


def find_relations(
    table: CodedTable,
    kept: Sequence[str],
    targets: Sequence[str],
    dropped: Collection[str],
    k: int,
    identifiers: Collection[str] = (),
) -> tuple[Relation, ...]:
    """The credible relations: for each kept column or pair and target the one with most rows.

    ``identifiers`` are kept columns that name people, which is a risk of its own. They are not the
    source of a function, for the reason above.
    """
    pairs = len(kept) * (len(kept) - 1) // 2
    tests = 2 * len(kept) * len(targets) * MAX_RELATIONS  # half of the false alarms for singles,
    pair_tests = 2 * pairs * len(targets) * MAX_RELATIONS  # and half for pairs
    search = _SingleColumns(table, (*kept, *targets), {*dropped, *identifiers})
    singles = [
        relation
        for target in targets
        for name in kept
        if (relation := _worst(search.relations(name, target), table, tests, k))
    ]
    explained = search.determined | {
        (relation.kept[0], relation.target) for relation in singles if relation.kind in NUMERIC
    }
    if not pair_tests:
        return tuple(singles)
    from lookalike.risks.kept_columns.column_pairs import pair_relations

    coded = [name for name in kept if name not in identifiers]
    of_pair: dict[tuple[tuple[str, ...], str], list[Relation]] = {}
    for relation in pair_relations(table, kept, targets, explained, coded):
        of_pair.setdefault((relation.kept, relation.target), []).append(relation)
    worst = (_worst(relations, table, pair_tests, k) for relations in of_pair.values())
    return (*singles, *(relation for relation in worst if relation))


def all_together(table: CodedTable, relations: Sequence[Relation], k: int) -> Together | None:
    """The rows at risk from all relations at once, if these are more than from any single one."""
    if len(relations) < 2:
        return None
    holds = np.logical_and.reduce([relation.holds for relation in relations])
    classes = [relation.classes - relation.classes.min() for relation in relations]
    number, _ = numbered_tuples(classes, len(table.counts))
    rows = np.bincount(number, weights=table.counts)[number]
    below = holds & (rows < k)
    for relation in relations:
        below |= relation.holds & (relation.candidates < k)
    together = int(table.counts[below].sum())
    if together <= max(relation.rows_below(k, table.counts) for relation in relations):
        return None
    kept = dict.fromkeys(name for relation in relations for name in relation.kept)
    targets = dict.fromkeys(relation.target for relation in relations)
    return Together(tuple(kept), tuple(targets), together)


def rows_below_with_others(
    table: CodedTable, relation: Relation, quasi_identifiers: Sequence[str], k: int
) -> int:
    """Rows that fewer than k rows fit, for an attacker who knows all quasi-identifiers.

    The kept columns stand in for the target; the others are as detailed as in the original.
    """
    others = [name for name in quasi_identifiers if name != relation.target]
    codes = [table.columns[name].codes.astype(np.int64) for name in others]
    classes = relation.classes - relation.classes.min()
    number, _ = numbered_tuples([classes, *codes], len(table.counts))
    rows = np.bincount(number, weights=table.counts)[number]
    return int(table.counts[relation.holds & (rows < k)].sum())


class _SingleColumns:
    """Tries every kind of relation between one kept column and one target."""

    def __init__(self, table: CodedTable, names: Sequence[str], no_source: Collection[str]) -> None:
        self.table, self.no_source = table, no_source
        self.sample = table.sample(SAMPLE_TUPLES)
        self.samples = self.sample.first(QUICK_SAMPLE_TUPLES), self.sample
        self.points = self.sample.first(LINE_SAMPLE_TUPLES)
        self.texts = Texts()
        self.determined: set[tuple[str, str]] = set()  # targets that a kept column determines
        self.ranks = _ranks(self.sample.first(RANK_SAMPLE_TUPLES), names)

    def relations(self, kept: str, target: str) -> Iterator[Relation]:
        """The relations that a sample does not rule out.

        A monotone relation is a function, so it is not looked for beside an exact one.
        """
        exact = False
        for relation in self._functions(kept, target):
            exact |= relation.above_chance > ALL_BUT_EXACT
            yield relation
        if found := text_relation(self.table, self.sample, self.texts, kept, target):
            yield found
        if self._on_sample(date_relation(self.sample, kept, target)) and (
            found := date_relation(self.table, kept, target)
        ):
            exact |= found.above_chance > ALL_BUT_EXACT
            yield found
        if abs(self._rank_correlation(kept, target)) < MIN_RANK_CORRELATION:
            return
        from lookalike.risks.kept_columns.monotone_relations import monotone_relation
        from lookalike.risks.kept_columns.number_relations import number_relation

        if found := number_relation(self.table, self.sample, self.points, kept, target):
            exact |= found.above_chance > ALL_BUT_EXACT
            yield found
        if not exact and (found := monotone_relation(self.table, self.sample, kept, target)):
            yield found

    def _functions(self, kept: str, target: str) -> Iterator[Relation]:
        sample, table = self.sample, self.table
        x, t = sample.columns[kept], sample.columns[target]
        if not (x.is_continuous or kept in self.no_source) and self._may_determine(kept, target):
            x = table.columns[kept]
            keys = x.codes.astype(np.int64)
            if relation := function_of_kept(table, (kept,), keys, target, x.known):
                if relation.above_chance > ALL_BUT_EXACT:
                    self.determined.add((kept, target))
                yield relation
        if target in self.no_source or t.is_continuous:
            return
        if self._may_determine(target, kept) and (
            relation := function_of_target(table, kept, target)
        ):
            yield relation

    def _may_determine(self, source: str, goal: str) -> bool:
        """Do two samples, a small one first, leave a function from source to goal open?"""
        for sample in self.samples:
            column = sample.columns[source]
            if not may_be_function(sample, column.codes.astype(np.int64), goal, column.known):
                return False
        return True

    def _on_sample(self, relation: Relation | None) -> bool:
        return relation is not None and relation.above_chance >= MIN_ABOVE_CHANCE - SAMPLE_TOLERANCE

    def _rank_correlation(self, kept: str, target: str) -> float:
        if kept not in self.ranks or target not in self.ranks:
            return 0.0
        x, t = self.ranks[kept], self.ranks[target]
        both = np.isfinite(x) & np.isfinite(t)
        x, t = x[both], t[both]
        if len(x) < 2 or x.std() == 0 or t.std() == 0:
            return 0.0
        return float(np.corrcoef(x, t)[0, 1])


def _ranks(sample: CodedTable, names: Sequence[str]) -> dict[str, Real]:
    """(tuples,) the rank of each number or date, NaN for nulls, of the columns that have them."""
    ranks = {}
    for name in names:
        column = sample.columns[name]
        if column.scale is None:
            continue
        numbers = column.scale[column.codes]
        _, place, repeated = np.unique(numbers, return_inverse=True, return_counts=True)
        middle = np.cumsum(repeated) - repeated / 2
        ranks[name] = np.where(np.isfinite(numbers), middle[place.reshape(-1)], np.nan)
    return ranks


def _worst(
    relations: Iterator[Relation] | Sequence[Relation], table: CodedTable, tests: int, k: int
) -> Relation | None:
    """The most specific of the credible relations with nearly the most rows at risk."""
    credible = [relation for relation in relations if relation.is_credible(tests)]
    order = {kind: place for place, kind in enumerate(SPECIFIC)}
    below = [relation.rows_below(k, table.counts) for relation in credible]
    most = [
        r
        for r, rows in zip(credible, below, strict=True)
        if rows >= MIN_SHARE_OF_WORST * max(below)
    ]
    return min(most, key=lambda r: (r.above_chance <= ALL_BUT_EXACT, order[r.kind]), default=None)
