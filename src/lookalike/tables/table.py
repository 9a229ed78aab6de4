"""Where rows live: the few verbs that every engine offers, and the edit that goes back into it.

Counts come out, labels go in. Nothing above this folder knows which engine is below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import Value


@dataclass(frozen=True, slots=True, eq=False)
class Relabel:
    """What becomes of one quasi-identifier: original value to code, code to label."""

    values: tuple[Value, ...]  # every distinct original value, null (None) included
    codes: NDArray[np.int32]  # (values,) the class code of each
    labels: tuple[str | None, ...] | None  # one a code; None: the column keeps its own values


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """How to turn the original table into the release."""

    columns: tuple[str, ...]  # released columns, in this order
    relabel: Mapping[str, Relabel]  # one for each quasi-identifier
    suppressed: NDArray[np.int32]  # (classes, quasi-identifiers) code tuples that are not released
    star: bool  # suppressed rows stay, with `*` in every quasi-identifier
    rows_kept: int  # rows of classes that are released; the engine must find just as many
    rows_suppressed: int


@runtime_checkable
class Table(Protocol):
    """A table in some engine."""

    @property
    def kind(self) -> str:
        """``csv``, ``parquet``, ``pandas``, ``polars``, ``polars-lazy``, ``pyarrow``, ``duckdb``"""
        ...

    @property
    def name(self) -> str:
        """What to call it in messages: the file's name or the kind of frame; never its contents."""
        ...

    @property
    def path(self) -> Path | None:
        """The file it was read from, if any: a release must never be written there."""
        ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def types(self) -> Mapping[str, str]:
        """The engine's name for each column's type, for people to read."""
        ...

    def rows(self) -> int: ...

    def count_groups(self, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
        """Distinct tuples over ``names`` with their counts, and histograms of ``sensitive``.

        NaN counts as null. The result does not depend on the order of the rows.
        """
        ...

    def distinct_text(self, names: Sequence[str]) -> Any:
        """A pyarrow table: distinct rows over ``names``, each cell as text, and ``count`` last.

        For the verifier, which counts on its own: original and release are compared as text. The
        columns are called ``c0``, ``c1`` … and ``count``, in the order of ``names``.
        """
        ...

    def text_rows(self, names: Sequence[str]) -> Any:
        """A pyarrow table: every row over ``names`` as text, in the order it is stored."""
        ...

    def texts(self, name: str) -> Mapping[str | None, int]:
        """How each value reads in ``distinct_text``, to its place in ``count_groups``."""
        ...

    def edit(self, edit: Edit) -> Table:
        """The released rows, sorted by every released column so that no hidden order shows.

        Raises TableError if a value has no code, or the rows do not add up.
        """
        ...

    def write(self, path: Path) -> None:
        """Write to ``path`` as its suffix says (.csv or .parquet). Plain: no rename, no checks."""
        ...

    def native(self) -> Any:
        """The frame itself, of the kind that came in."""
        ...
