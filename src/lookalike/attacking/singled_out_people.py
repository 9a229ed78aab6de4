"""The people that are singled out, and what is learned about them: shows cell values."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lookalike.attacking.labels.label_parsing import texts
from lookalike.attacking.record_linkage import Linkage
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
    called = _names(outsiders, names, name) if name is not None and wanted else {}
    people: list[SingledOut] = []
    for kind in wanted:
        values = [held.first_of(int(link.only[kind])) for held in link.held.values()]
        learned = tuple(zip(link.held, texts(values), strict=True))
        for at in np.flatnonzero(link.of == kind).tolist():
            codes = tuples.codes[at].tolist()
            cells = [tuples.values[a][code] for a, code in enumerate(codes)]
            known = tuple(zip(names, texts(cells), strict=True))
            names_shown = called.get(tuple(codes)) or [None] * int(tuples.counts[at])
            certain = bool(link.certain[kind])
            people += [SingledOut(shown, known, learned, certain) for shown in names_shown]
    return tuple(people[:limit])


def _names(
    outsiders: Table, names: tuple[str, ...], name: str
) -> dict[tuple[int, ...], list[str | None]]:
    """The names of the people of each tuple. Values have the same codes as before."""
    if name in names:
        return {}
    fine = outsiders.count_groups((*names, name))
    shown = texts(fine.values[-1])
    called: dict[tuple[int, ...], list[str | None]] = {}
    for codes, count in zip(fine.codes.tolist(), fine.counts.tolist(), strict=True):
        called.setdefault(tuple(codes[:-1]), []).extend([shown[codes[-1]]] * count)
    return called
