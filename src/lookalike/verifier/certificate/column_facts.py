"""What the certificate says about each quasi-identifier: its level, intervals or mean level.

It is computed from the released rows alone (``kept_rows.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lookalike.policy.hierarchies.level_builder import SUPPRESSED
from lookalike.solution.recoding import CellMap, Cuts, Levels, Space
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import rounded
from lookalike.verifier.certificate.kept_rows import (
    KeptRows,
    cell_levels,
    column_level,
    kept_rows,
    labels_shown,
)
from lookalike.verifier.claim.optimality import recoding_room
from lookalike.verifier.counted_original import CountedOriginal

Facts = dict[str, dict[str, Any]]  # by column
ROLE = {"role": "quasi-identifier"}


def column_facts(released: Table, original: CountedOriginal, solution: Solution) -> Facts:
    """The facts of each quasi-identifier, for a recoding of any kind."""
    names, recoding = original.policy.names, solution.recoding
    if recoding is None or not set(names) <= set(released.columns):  # another finding says so
        return unknown_columns(names)
    kept = kept_rows(original, recoding, solution.suppressed)
    by_cell = solution.space is Space.CELL_LEVEL and kept is not None
    facts = FACTS[Space.CELL_LEVEL if by_cell else recoding.space](
        released, original, recoding, kept
    )
    return {name: ROLE | facts[name] for name in names}


def unknown_columns(names: Sequence[str]) -> Facts:
    """For a recoding that does not fit the table: it is refused."""
    return {name: {**ROLE, "shown": "not known"} for name in names}


def _level_columns(
    released: Table, original: CountedOriginal, recoding: Levels, kept: KeptRows | None
) -> Facts:
    facts: Facts = {}
    shown_labels = labels_shown(released, original.policy.names) if kept is None else {}
    for a, table in enumerate(original.tables):
        level, height = recoding.levels[a], table.height
        seen = kept is None or not kept.complete
        if seen and not original.policy.needs_sample:  # its levels and heights depend on no row
            labels = shown_labels.get(table.name, ())
            level, height = column_level(original, a, recoding, kept, labels)
        shown = _words(original, table.name, level, height)
        facts[table.name] = {"level": level, "of": height, "shown": shown}
    return _with_intervals(facts, released, original)


def _cut_columns(
    released: Table, original: CountedOriginal, recoding: Cuts, kept: KeptRows
) -> Facts:
    from lookalike.verifier.certificate.cut_columns import cut_columns

    return cut_columns(released, original, recoding, kept)


def _cell_columns(
    released: Table, original: CountedOriginal, recoding: CellMap | Levels, kept: KeptRows
) -> Facts:
    """The mean level, and how many released rows are at each."""
    # the best cell-level recoding may have one level per column
    by_piece = recoding_room(recoding.space).released_levels(recoding, len(kept.group))
    facts = {}
    for a, table in enumerate(original.tables):
        levels, height = cell_levels(kept, a, by_piece[:, a])
        rows = np.bincount(levels, kept.rows, height + 1).astype(int)
        mean = float(rows @ np.arange(height + 1)) / max(1, int(rows.sum()))
        shown = "; ".join(
            f"{count:,} rows {_words(original, table.name, level, height)}"
            for level, count in enumerate(rows.tolist())
            if count
        )
        facts[table.name] = {"level": rounded(mean), "of": height, "shown": shown or "nothing"}
    return _with_intervals(facts, released, original)


def _words(original: CountedOriginal, name: str, level: int, height: int) -> str:
    return SUPPRESSED if level >= height else original.policy.hierarchies[name].describe(level)


def _with_intervals(facts: Facts, released: Table, original: CountedOriginal) -> Facts:
    """Where a column shows the interval of each class, what these are."""
    for name in original.policy.interval_columns:
        from lookalike.verifier.rows.class_intervals import interval_facts

        facts[name] |= interval_facts(released, name)
    return facts


FACTS: Mapping[Space, Callable[[Table, CountedOriginal, Any, Any], Facts]] = {
    Space.FULL_DOMAIN: _level_columns,
    Space.CUTS: _cut_columns,
    Space.CELL_LEVEL: _cell_columns,
}
