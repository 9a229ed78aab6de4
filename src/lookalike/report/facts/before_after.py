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

Codes = NDArray[np.int64]
Labels = list[str | None]


def before_after(problem: Problem, solution: Solution) -> Any | None:
    """A pyarrow table with ``b0`` …, ``a0`` … as text, ``rows``, ``alike`` and ``suppressed``.

    ``alike`` is how many released rows look the same. None if the tuples stay on the engine.
    """
    if not problem.holds_all_tuples or solution.recoding is None:
        return None
    edit = problem.apply(solution.recoding).edit(problem.names)
    if edit.split is not None:
        leaf = edit.split.tuples[edit.split.group]
        rows, suppressed = edit.split.rows, edit.split.suppressed
        shown = [_by_piece(edit, name, leaf[:, a]) for a, name in enumerate(problem.names)]
    else:
        leaf, rows = problem.counts.codes, problem.counts.counts
        codes = np.column_stack(
            [edit.recodings[name].codes[leaf[:, a]] for a, name in enumerate(problem.names)]
        )
        suppressed = is_among(codes, edit.suppressed)
        shown = [
            (codes[:, a].astype(np.int64), _labels(edit.recodings[name]))
            for a, name in enumerate(problem.names)
        ]
    original = [[_text(value) for value in edit.recodings[name].values] for name in problem.names]
    released = ~suppressed | edit.star
    after = [_starred(codes, labels, suppressed & edit.star) for codes, labels in shown]
    classes = group_ids(np.column_stack([codes for codes, _ in after]))
    sizes = np.bincount(classes, weights=rows * released).astype(np.int64)
    alike = np.where(released, sizes[classes], 0)
    order = np.lexsort([*leaf.T[::-1], classes, alike, suppressed])
    columns = {f"b{a}": _texts(leaf[order, a], labels) for a, labels in enumerate(original)}
    columns |= {f"a{a}": _texts(codes[order], labels) for a, (codes, labels) in enumerate(after)}
    facts = {"rows": rows, "alike": alike, "suppressed": suppressed}
    return pa.table(columns | {name: pa.array(values[order]) for name, values in facts.items()})


def _starred(codes: Codes, labels: Labels, starred: NDArray[np.bool_]) -> tuple[Codes, Labels]:
    """Starred rows look like rows that a recoding hides fully."""
    star = labels.index(TOP) if TOP in labels else len(labels)
    return np.where(starred, star, codes), labels if star < len(labels) else [*labels, TOP]


def _labels(recoding: ColumnRecoding) -> Labels:
    """What each code shows; a column that keeps its own values has one code per value."""
    if recoding.labels is not None:
        return list(recoding.labels)
    labels: Labels = [None] * (int(recoding.codes.max(initial=-1)) + 1)
    for code, value in zip(recoding.codes.tolist(), recoding.values, strict=True):
        labels[code] = _text(value)
    return labels


def _by_piece(edit: Edit, name: str, leaf: NDArray[np.int32]) -> tuple[Codes, Labels]:
    """The labels of pieces as codes: equal labels have equal codes."""
    assert edit.split is not None
    unchanged, labels = edit.split.unchanged[name], edit.split.labels[name]
    values = [_text(value) for value in edit.recodings[name].values]
    code_of: dict[str | None, int] = {}
    codes = []
    for piece, (at, kept) in enumerate(zip(leaf.tolist(), unchanged.tolist(), strict=True)):
        label = values[at] if kept or labels is None else labels[piece]
        codes.append(code_of.setdefault(label, len(code_of)))
    return np.array(codes, dtype=np.int64), list(code_of)


def _text(value: Value) -> str | None:
    return None if is_null(value) else text(value)


def _texts(codes: NDArray[Any], labels: Labels) -> Any:
    return pa.DictionaryArray.from_arrays(
        pa.array(codes.astype(np.int32)), pa.array(labels, pa.string())
    ).cast(pa.string())
