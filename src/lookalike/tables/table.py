"""Where rows live: the few verbs that every engine offers, and the edit that goes back into it.

Counts come out, labels go in. Nothing above this folder knows which engine is below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable, Value
from lookalike.counts.remote_counts import RemoteCounts


@dataclass(frozen=True, slots=True, eq=False)
class Relabel:
    """What becomes of one quasi-identifier: original value to code, code to label."""

    values: tuple[Value, ...]  # every distinct original value, null (None) included
    codes: NDArray[np.int32]  # (values,) the class code of each
    labels: tuple[str | None, ...] | None  # one a code; None: the column keeps its own values


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Groups of equal rows in pieces that are released differently (a cell-level recoding).

    The rows of a group are dealt to its pieces in the order of their kept cells, each piece getting
    its share evenly along that order: so a piece does not end up with one kind of people, and
    whoever has the original can deal once more and see the same.
    """

    tuples: NDArray[np.int32]  # (groups, quasi-identifiers) codes as in relabel
    group: NDArray[np.int64]  # (pieces,)
    rows: NDArray[np.int64]  # (pieces,)
    gone: NDArray[np.bool_]  # (pieces,) left out
    labels: Mapping[str, tuple[str | None, ...] | None]  # one a piece; None: own values all through
    own: Mapping[str, NDArray[np.bool_]]  # (pieces,) the cell keeps its own value


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """How to turn the original table into the release.

    Without ``split``, by column: value to code to label, and classes that are suppressed. With it,
    ``relabel`` only numbers the values, and labels come by piece.
    """

    columns: tuple[str, ...]  # released columns, in this order
    relabel: Mapping[str, Relabel]  # one for each quasi-identifier
    suppressed: NDArray[np.int32]  # (classes, quasi-identifiers) code tuples that are not released
    star: bool  # suppressed rows stay, with `*` in every quasi-identifier
    rows_kept: int  # rows of classes that are released; the engine must find just as many
    rows_suppressed: int
    split: Split | None = None

    def is_new(self, name: str) -> bool:
        """Does the column show labels, in place of values of its own?"""
        if name not in self.relabel:
            return False
        shown = self.split.labels[name] if self.split else self.relabel[name].labels
        return self.star or shown is not None


class Counted(Protocol):
    """Rows of text where they are, as the verifier expects them in the release."""

    def rows(self) -> int: ...

    def distinct_text(self, names: Sequence[str]) -> Any:
        """As ``Table.distinct_text``."""
        ...

    def fingerprint(self) -> tuple[int, ...]:
        """As ``Table.fingerprint``."""
        ...


class TextRows(Counted, Protocol):
    """Rows of text where they are, as the verifier recodes them."""

    def without(self, names: Sequence[str], gone: Any, *, star: bool) -> Counted:
        """Without the rows whose cells over ``names`` are a row of ``gone``, a pyarrow table with
        columns g0, g1 …; or with ``*`` in those cells.
        """
        ...


@runtime_checkable
class Table(Protocol):
    """A table in some engine."""

    @property
    def kind(self) -> str:
        """``csv``, ``parquet``, ``pandas``, ``polars``, ``polars-lazy``, ``pyarrow``, ``duckdb``,
        ``duckdb-file``, ``dask``, ``ibis``, ``spark`` or ``postgresql``
        """
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

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        """Values and marginals of ``names``, and no groups: for tables with too many of those."""
        ...

    def about(self, names: Sequence[str]) -> int:
        """Roughly how many distinct tuples there are over ``names``; of few, just how many."""
        ...

    def coded(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        """Tuples that stay on the engine; ``columns`` come from ``count_columns``."""
        ...

    def only(self, eligible: Mapping[str, Sequence[str]]) -> Table:
        """The rows whose cells, as text, are among those listed for each column; all if none is."""
        ...

    def distinct_text(self, names: Sequence[str]) -> Any:
        """A pyarrow table: distinct rows over ``names``, each cell as text, and ``count`` last.

        For the verifier, which counts on its own: original and release are compared as text. The
        columns are called ``c0``, ``c1`` … and ``count``, in the order of ``names``.
        """
        ...

    def text_rows(self, names: Sequence[str]) -> Any:
        """A pyarrow table: every row over ``names`` as text, in the order it is stored.

        Asked for only of what may not be released, to say which rows stand out.
        """
        ...

    def out_of_order(self) -> list[tuple[int, int | None]]:
        """For each column: of the rows that are like the row stored before them in all columns to
        its left, how many have a smaller text than that one, and how many a smaller number: None if
        not all cells are numbers. Nulls are last.
        """
        ...

    def fingerprint(self) -> tuple[int, ...]:
        """How many rows, and four sums over them that the same rows give in any order.

        The cell ``text`` of the column at place i, counted from 0, is four numbers: those of the
        MD5 of ``i+text``, or ``i-`` for a null, eight hexadecimal digits each, modulo the prime
        2^31 - 1. A row is the product of its cells modulo the prime, and rows are added up. Who
        does not choose rows for the purpose meets another table with these sums by a chance of at
        most (columns / 2^31)^4; it is no signature.
        """
        ...

    def relabelled(
        self, columns: Sequence[str], labels: Mapping[str, Mapping[str | None, str | None]]
    ) -> TextRows:
        """For the verifier: ``columns`` as text, in some of them every text replaced by its label.

        The rows stay on the engine. A text without a label is a KeyError.
        """
        ...

    def masked_counts(
        self,
        words: Sequence[Mapping[str, Mapping[str | None, int]]],
        masks: Sequence[Sequence[int]],
    ) -> list[Any]:
        """For the verifier: a word gives every text of some columns a number, a row their sum.

        For each list of masks, one a word, a pyarrow table: the sums masked, ``w0``, ``w1`` …, and
        how many rows have them, ``n``. A text without a number is a KeyError.
        """
        ...

    def masked_alone(
        self,
        words: Sequence[Mapping[str, Mapping[str | None, int]]],
        masks: Sequence[Sequence[int]],
        fewer: int,
        enough: int,
    ) -> list[int]:
        """As ``masked_counts``, but only how many rows have sums that fewer than so many have.

        Once they are more than ``enough``, the others need not be counted.
        """
        ...

    def texts(self, name: str) -> Mapping[str | None, int]:
        """How each value reads in ``distinct_text``, to its place in ``count_groups``."""
        ...

    def expect_release(self) -> None:
        """A release of it is about to be made and verified: what can be done ahead may begin."""
        ...

    def forget(self) -> None:
        """Let go of what was kept in memory to answer the verifier faster."""
        ...

    def edit(self, edit: Edit) -> Table:
        """The released rows, sorted by every released column so that no hidden order shows.

        Raises TableError if a value has no code, or the rows do not add up.
        """
        ...

    def write(self, path: Path) -> None:
        """Write to ``path`` as its suffix says (.csv or .parquet). Plain: no rename, no checks."""
        ...

    def batches(self) -> Iterator[Any]:
        """The rows as pyarrow tables under their names, a stretch at a time, one at least.

        Asked for only of what has been verified, to take it elsewhere.
        """
        ...

    def native(self) -> Any:
        """The frame itself, of the kind that came in."""
        ...


@contextmanager
def release_expected(table: Table) -> Iterator[None]:
    """While a release of the table is being made; if none is, nothing more is done ahead."""
    table.expect_release()
    try:
        yield
    except BaseException:
        table.forget()
        raise
