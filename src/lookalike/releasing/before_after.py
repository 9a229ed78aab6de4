"""Before and after: every distinct tuple of the original next to its recoded cells.

It holds original values, so it is private. Lookalikes are listed together, the smallest classes
first, suppressed rows last.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP, Value
from lookalike.policy.cell_text import is_null, text
from lookalike.problem.group_ids import group_ids, is_among
from lookalike.problem.problem import Problem
from lookalike.solution.solution import Solution
from lookalike.tables.table import ColumnRecoding, Edit

Whole = NDArray[np.int64]


def before_after(problem: Problem, solution: Solution) -> Any | None:
    """A pyarrow table with ``b0`` …, ``a0`` … as text, ``rows``, ``alike`` and ``gone``.

    ``alike`` is how many released rows look the same. None if the tuples stay on the engine.
    """
    if not problem.holds_all_tuples or solution.recoding is None:
        return None
    edit = problem.apply(solution.recoding).edit(problem.names)
    if edit.split is not None:
        leaf = edit.split.tuples[edit.split.group]
        rows, gone = edit.split.rows, edit.split.suppressed
        shown = [_by_piece(edit, name, leaf[:, a]) for a, name in enumerate(problem.names)]
    else:
        leaf, rows = problem.counts.codes, problem.counts.counts
        codes = np.column_stack(
            [edit.recodings[name].codes[leaf[:, a]] for a, name in enumerate(problem.names)]
        )
        gone = is_among(codes, edit.suppressed)
        shown = [
            (codes[:, a].astype(np.int64), _labels(edit.recodings[name]))
            for a, name in enumerate(problem.names)
        ]
    known = [[_text(value) for value in edit.recodings[name].values] for name in problem.names]
    starred = gone & edit.star
    after = [_starred(of, labels, starred) for of, labels in shown]
    classes = group_ids(np.column_stack([of for of, _ in after]))
    held = np.bincount(classes, weights=rows * (~gone | edit.star)).astype(np.int64)
    alike = np.where(gone & ~edit.star, 0, held[classes])
    order = np.lexsort([*leaf.T[::-1], classes, alike, gone])
    columns = {f"b{a}": _texts(leaf[order, a], labels) for a, labels in enumerate(known)}
    columns |= {f"a{a}": _texts(of[order], labels) for a, (of, labels) in enumerate(after)}
    counted = {"rows": rows[order], "alike": alike[order], "gone": gone[order]}
    return pa.table(columns | {name: pa.array(one) for name, one in counted.items()})


def _starred(
    of: Whole, labels: list[str | None], starred: NDArray[np.bool_]
) -> tuple[Whole, list[str | None]]:
    """Starred rows look like rows that a recoding hides fully."""
    star = labels.index(TOP) if TOP in labels else len(labels)
    return np.where(starred, star, of), labels if star < len(labels) else [*labels, TOP]


def _labels(recoding: ColumnRecoding) -> list[str | None]:
    """What each code shows; a column that keeps its own values has one code per value."""
    if recoding.labels is not None:
        return list(recoding.labels)
    labels: list[str | None] = [None] * (int(recoding.codes.max(initial=-1)) + 1)
    for code, value in zip(recoding.codes.tolist(), recoding.values, strict=True):
        labels[code] = _text(value)
    return labels


def _by_piece(edit: Edit, name: str, leaf: NDArray[np.int32]) -> tuple[Whole, list[str | None]]:
    """The labels of pieces as numbers: equal labels have equal numbers."""
    assert edit.split is not None
    own, given = edit.split.unchanged[name], edit.split.labels[name]
    values = [_text(value) for value in edit.recodings[name].values]
    shown: list[str | None] = [
        values[at] if mine or given is None else given[piece]
        for piece, (at, mine) in enumerate(zip(leaf.tolist(), own.tolist(), strict=True))
    ]
    numbers: dict[str | None, int] = {}
    of = np.array([numbers.setdefault(label, len(numbers)) for label in shown], dtype=np.int64)
    return of, list(numbers)


def _text(value: Value) -> str | None:
    return None if is_null(value) else text(value)


def _texts(of: NDArray[Any], labels: list[str | None]) -> Any:
    return pa.DictionaryArray.from_arrays(
        pa.array(of.astype(np.int32)), pa.array(labels, pa.string())
    ).cast(pa.string())
