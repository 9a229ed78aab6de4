"""The people that are singled out, and what is learned about them: shows cell values."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lookalike.attacking.record_linkage import Linkage
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import Value
from lookalike.policy.cell_text import text
from lookalike.policy.hierarchies.level_builder import missing
from lookalike.tables.table import Table


@dataclass(frozen=True, slots=True)
class SingledOut:
    """One person, whom exactly one row fits. It holds cell values, which are confidential."""

    name: str | None = field(repr=False)  # from the column that names people
    known: tuple[tuple[str, str | None], ...] = field(repr=False)
    learned: tuple[tuple[str, str | None], ...] = field(repr=False)
    certain: bool = False  # the row fits nobody else


def singled_out(
    link: Linkage, outsiders: Table, names: tuple[str, ...], name: str | None, limit: int
) -> tuple[SingledOut, ...]:
    """Up to ``limit`` people, those found with certainty first."""
    order = np.argsort(~link.certain, kind="stable")
    wanted = order[link.one_row[order]][:limit].tolist()
    tuples = link.meeting.outsiders
    called = _names(outsiders, names, name, tuples) if name is not None and wanted else {}
    people: list[SingledOut] = []
    for kind in wanted:
        learned = tuple(
            (column, _text(held.values[next(iter(held.of_tuple(int(link.only[kind]))))]))
            for column, held in link.held.items()
        )
        for at in np.flatnonzero(link.of == kind).tolist():
            codes = tuples.codes[at].tolist()
            known = tuple(
                (column, _text(tuples.values[a][code]))
                for a, (column, code) in enumerate(zip(names, codes, strict=True))
            )
            names_shown: list[str | None] = [*called.get(tuple(codes), ())]
            names_shown = names_shown or [None] * int(tuples.counts[at])
            certain = bool(link.certain[kind])
            people += [SingledOut(shown, known, learned, certain) for shown in names_shown]
    return tuple(people[:limit])


def _names(
    outsiders: Table, names: tuple[str, ...], name: str, tuples: FrequencySet
) -> dict[tuple[int, ...], list[str | None]]:
    """The names of the people of each tuple. Values have the same codes as before."""
    if name in names:
        return {}
    fine = outsiders.count_groups((*names, name))
    called: dict[tuple[int, ...], list[str | None]] = {}
    for codes, count in zip(fine.codes.tolist(), fine.counts.tolist(), strict=True):
        shown = _text(fine.values[-1][codes[-1]])
        called.setdefault(tuple(codes[:-1]), []).extend([shown] * count)
    return called


def _text(value: Value) -> str | None:
    return None if missing(value) else text(value)
