"""What the certificate says about each quasi-identifier: its level, intervals or mean level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lookalike.counts.level_table import LevelTable
from lookalike.policy.hierarchies.level_builder import SUPPRESSED
from lookalike.solution.recoding import CellMap, Cuts, Levels, Recoding, Space
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import rounded
from lookalike.verifier.counted_original import CountedOriginal

Facts = dict[str, dict[str, Any]]  # by column
ROLE = {"role": "quasi-identifier"}


def column_facts(released: Table, original: CountedOriginal, recoding: Recoding | None) -> Facts:
    """The facts of each quasi-identifier, for a recoding of any kind."""
    names = original.policy.names
    if recoding is None or recoding.names != names:
        return {name: {**ROLE, "shown": "not known"} for name in names}
    facts = FACTS[recoding.space](released, original, recoding)
    return {name: ROLE | facts[name] for name in names}


def _level_columns(released: Table, original: CountedOriginal, recoding: Levels) -> Facts:
    columns = zip(original.tables, recoding.levels, strict=True)
    facts = {
        table.name: {"level": level, "of": table.height, "shown": _words(original, table, level)}
        for table, level in columns
    }
    return _with_intervals(facts, released, original)


def _cut_columns(released: Table, original: CountedOriginal, recoding: Cuts) -> Facts:
    from lookalike.verifier.certificate.cut_columns import cut_columns

    return cut_columns(released, original, recoding)


def _cell_columns(released: Table, original: CountedOriginal, recoding: CellMap) -> Facts:
    """The mean level, and how many released rows are at each."""
    kept = ~recoding.gone
    facts = {}
    for a, table in enumerate(original.tables):
        levels = np.minimum(recoding.levels[kept, a], table.height)
        rows = np.bincount(levels, recoding.rows[kept], table.height + 1).astype(int)
        mean = float(rows @ np.arange(table.height + 1)) / max(1, int(rows.sum()))
        shown = "; ".join(
            f"{count:,} rows {_words(original, table, level)}"
            for level, count in enumerate(rows.tolist())
            if count
        )
        facts[table.name] = {
            "level": rounded(mean),
            "of": table.height,
            "shown": shown or "nothing",
        }
    return _with_intervals(facts, released, original)


def _words(original: CountedOriginal, table: LevelTable, level: int) -> str:
    if level >= table.height:
        return SUPPRESSED
    return original.policy.hierarchies[table.name].describe(level)


def _with_intervals(facts: Facts, released: Table, original: CountedOriginal) -> Facts:
    """Where a column shows the interval of each class, what these are."""
    policy = original.policy
    if set(policy.names) <= set(released.columns):
        for name in policy.interval_columns:
            from lookalike.verifier.rows.class_intervals import interval_facts

            facts[name] |= interval_facts(released, name)
    return facts


FACTS: Mapping[Space, Callable[[Table, CountedOriginal, Any], Facts]] = {
    Space.FULL_DOMAIN: _level_columns,
    Space.CUTS: _cut_columns,
    Space.CELL_LEVEL: _cell_columns,
}
