"""Screen a table that is too large to examine as a whole: a part of it shows where to look.

Relations are looked for in a part of the distinct rows, divided by a hash, so equal rows stay
together. Those that are found are then measured in the whole table, over their own columns alone.
A column of very many values is judged by a part of its values, each with all its rows. Unique
rows over a set of columns are counted in a part of its tuples, and multiplied; these numbers are
therefore estimates, and are called so.

A relation that holds for hardly any row may be missed, because the part may not have it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from lookalike.counts.frequency_set import FrequencySet
from lookalike.risks.kept_columns.coded_table import CodedTable
from lookalike.risks.kept_columns.dependencies import all_together, find_relations
from lookalike.risks.kept_columns.findings import KeptColumnFinding, SinglingOut
from lookalike.risks.kept_columns.kept_identifiers import find_kept_identifiers
from lookalike.risks.kept_columns.singling_out import single_out
from lookalike.tables.table import Table

PART_TUPLES = 250_000  # tuples of a part, at least, if there are as many

Measure = Callable[[CodedTable, Sequence[str], Sequence[str]], list[KeptColumnFinding]]


def parts_of(rows: int, wanted: int = PART_TUPLES) -> int:
    """The number of parts, a power of two, so that each has about ``wanted`` rows or more."""
    return 1 << max(0, (rows // wanted).bit_length() - 1)


def relations_of_large(
    table: Table,
    part: CodedTable,
    kept: Sequence[str],
    targets: Sequence[str],
    dropped: Collection[str],
    k: int,
    named: Collection[str],
    measure: Measure,
) -> list[KeptColumnFinding]:
    """The findings on relations that a part of the rows shows, measured in the whole table.

    ``named`` are kept columns that name people.
    """
    found = find_relations(part, kept, targets, dropped, k, named)
    alone = any(relation.rows_below(k, part.counts) for relation in found)
    restored = {relation.target for relation in found} - set(dropped)
    if not (alone or restored or all_together(part, found, k)):
        return []
    names = {name for relation in found for name in (*relation.kept, relation.target)}
    ours = [name for name in kept if name in names]
    others = set(targets) - set(dropped) if restored else set()  # what the attacker also knows
    theirs = [name for name in targets if name in names | others]
    return measure(CodedTable.of(table.count_groups((*ours, *theirs))), ours, theirs)


def identifiers_of_large(table: Table, kept: Sequence[str], k: int) -> list[KeptColumnFinding]:
    """The kept columns that name people, each judged by itself."""
    findings = []
    for name in kept:
        parts = parts_of(table.estimate_groups((name,)))
        column = CodedTable.of(_groups(table, (name,), parts))
        for finding in find_kept_identifiers(column, (name,), table.types, k):
            sentence = finding.sentence
            if parts > 1:
                sentence = f"{sentence} (By one in {parts:,} of its values.)"
            findings.append(replace(finding, rows=finding.rows * parts, sentence=sentence))
    return findings


def singled_out_of_large(
    table: Table, part: CodedTable, kept: Sequence[str]
) -> tuple[SinglingOut, ...]:
    """The sets that are worst in the part, with the estimated number of unique rows of each."""
    rows = table.rows()
    sets = dict.fromkeys(one.columns for one in single_out(part, kept))
    return tuple(SinglingOut(names, _unique(table, names, parts_of(rows)), False) for names in sets)


def _unique(table: Table, names: Sequence[str], parts: int) -> int:
    counts = _groups(table, names, parts).counts
    return int((counts == 1).sum()) * parts


def _groups(table: Table, names: Sequence[str], parts: int) -> FrequencySet:
    return table.sample_groups(names, parts) if parts > 1 else table.count_groups(names)
