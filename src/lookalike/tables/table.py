"""The table protocol: what every engine offers, and the edit that turns a table into a release.

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

Labels = Mapping[str, Mapping[str | None, str | None]]  # by column: from text to label
Words = Sequence[Mapping[str, Mapping[str | None, int]]]  # each, by column: from text to number
Masks = Sequence[Sequence[int]]  # for each count wanted: a mask for each word


@dataclass(frozen=True, slots=True, eq=False)
class ColumnRecoding:
    """How one quasi-identifier is recoded: original value to code, code to label."""

    values: tuple[Value, ...]  # every distinct original value, null (None) included
    codes: NDArray[np.int32]  # (values,) the class code of each
    labels: tuple[str | None, ...] | None  # one a code; None: the column keeps its own values


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Groups of equal rows, cut into pieces that are released differently (cell-level recoding).

    The rows of a group are assigned to its pieces in the order of their kept cells, and each piece
    gets its share evenly along that order. So no piece ends up with one kind of people, and anybody
    with the original can repeat the assignment.
    """

    tuples: NDArray[np.int32]  # (groups, quasi-identifiers) codes as in ``Edit.recodings``
    group: NDArray[np.int64]  # (pieces,)
    rows: NDArray[np.int64]  # (pieces,)
    suppressed: NDArray[np.bool_]  # (pieces,)
    labels: Mapping[str, tuple[str | None, ...] | None]  # one a piece; None: own values throughout
    unchanged: Mapping[str, NDArray[np.bool_]]  # (pieces,) the cell keeps its own value


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """How to turn the original table into the release.

    Without ``split``, every column maps value to code to label, and some classes are suppressed.
    With ``split``, ``recodings`` only number the values, and labels are given by piece.
    """

    columns: tuple[str, ...]  # released columns, in this order
    recodings: Mapping[str, ColumnRecoding]  # one for each quasi-identifier
    suppressed: NDArray[np.int32]  # (classes, quasi-identifiers) code tuples that are not released
    star: bool  # suppressed rows stay, with `*` in every quasi-identifier
    rows_kept: int  # rows of classes that are released; the engine must find the same number
    rows_suppressed: int
    split: Split | None = None

    def is_relabeled(self, name: str) -> bool:
        """Does the released column show labels instead of its own values?"""
        if name not in self.recodings:
            return False
        shown = self.split.labels[name] if self.split else self.recodings[name].labels
        return self.star or shown is not None


class TextRows(Protocol):
    """Rows of text on their engine, as the verifier expects them in the release."""

    def rows(self) -> int:
        """Return the number of rows."""

    def distinct_text(self, names: Sequence[str]) -> Any:
        """As ``Table.distinct_text``."""

    def fingerprint(self, key: str) -> tuple[int, ...]:
        """As ``Table.fingerprint``."""


class LabeledRows(TextRows, Protocol):
    """The rows of a table with labels in place of cells, before suppression."""

    def suppress_rows(self, names: Sequence[str], suppressed: Any, *, star: bool) -> TextRows:
        """Leave out the rows whose cells over ``names`` are a row of ``suppressed``.

        ``suppressed`` is a pyarrow table with columns g0, g1 … With ``star`` the rows stay, and
        have ``*`` in these cells.
        """


@runtime_checkable
class Table(Protocol):
    """A table in some engine."""

    @property
    def kind(self) -> str:
        """``csv``, ``parquet``, ``pandas``, ``polars``, ``polars-lazy``, ``pyarrow``, ``duckdb``,
        ``duckdb-file``, ``dask``, ``ibis``, ``spark`` or ``postgresql``
        """

    @property
    def name(self) -> str:
        """The name for messages: the file's name or the kind of frame; never its contents."""

    @property
    def path(self) -> Path | None:
        """The file it was read from, if any: a release must never be written there."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    @property
    def types(self) -> Mapping[str, str]:
        """The engine's name for each column's type, for people to read."""

    def rows(self) -> int:
        """Return the number of rows."""

    def count_groups(self, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
        """Count the distinct tuples over ``names``, with histograms of ``sensitive`` columns.

        NaN counts as null. The result does not depend on the order of the rows.
        """

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        """Count the values of each column by itself, for tables with too many distinct tuples.

        The frequency set has values and marginals, and no groups.
        """

    def estimate_groups(self, names: Sequence[str]) -> int:
        """Estimate the number of distinct tuples over ``names``; small numbers are exact."""

    def sample_groups(self, names: Sequence[str], parts: int) -> FrequencySet:
        """Count one of ``parts`` parts of the distinct tuples over ``names``, each with all its
        rows. The parts are divided by a hash, so that it is the same part each time; ``parts`` is
        a power of two.
        """

    def remote_counts(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        """Prepare counting lattice nodes on the engine, so that the tuples need not be fetched.

        ``columns`` comes from ``count_columns``.
        """

    def eligible_rows(self, eligible: Mapping[str, Sequence[str]]) -> Table:
        """Return the rows whose cells, as text, are among those listed for each column.

        An empty mapping means all rows.
        """

    def distinct_text(self, names: Sequence[str]) -> Any:
        """Return the distinct rows over ``names``, each cell as text, and their ``count``.

        A pyarrow table with columns ``c0``, ``c1`` …, in the order of ``names``, and ``count``.
        The verifier uses it to compare original and release.
        """

    def text_rows(self, names: Sequence[str], start: int = 0, count: int | None = None) -> Any:
        """Return rows over ``names`` as text, in the order they are stored.

        A pyarrow table with columns ``c0``, ``c1`` … It has ``count`` rows from row ``start`` on,
        fewer at the end of the table, or all rows if ``count`` is None.
        """

    def count_out_of_order(self) -> list[tuple[int, int | None]]:
        """Count, for each column, the rows that break the sort order there.

        Only rows that equal the previous row in all columns to the left are compared with it. The
        first number counts smaller texts, the second smaller numbers: None if some cell is not a
        number. Nulls are last.
        """

    def fingerprint(self, key: str) -> tuple[int, ...]:
        """Return the number of rows and five sums that do not depend on their order.

        The cell ``text`` of column i, counted from 0, is five numbers: those of the SHA-256 of
        ``key i+text``, or ``key i-`` for a null, eight hexadecimal digits each, modulo the prime
        2^31 - 1. A row is the product of its cells modulo the prime, and rows are added up. For two
        tables that existed before the key was drawn, see ``fingerprint.py``.
        """

    def digest(self) -> str:
        """Return the digest of the rows, which names them on a certificate: ``row_digest.py``."""

    def with_labels(self, columns: Sequence[str], labels: Labels) -> LabeledRows:
        """Return ``columns`` as text, with each text replaced by its label where labels are given.

        For the verifier. The rows stay on the engine. Raises KeyError if a text has no label.
        """

    def masked_counts(self, words: Words, masks: Masks) -> list[Any]:
        """Count the rows by masked sums, for the verifier.

        Each word maps the texts of some columns to numbers, and a row has the sum of its numbers.
        ``masks`` has one list for each count wanted, with one mask for each word. The result has
        one pyarrow table for each: the masked sums ``w0``, ``w1`` … and their number of rows ``n``.
        Raises KeyError if a text has no number.
        """

    def rows_in_small_groups(self, words: Words, masks: Masks, size: int, enough: int) -> list[int]:
        """Count, for each list of masks, the rows whose masked sums fewer than ``size`` rows have.

        Counting may stop once there are more than ``enough``. See ``masked_counts``.
        """

    def text_codes(self, name: str) -> Mapping[str | None, int]:
        """Map each text of a column, as in ``distinct_text``, to its code in ``count_groups``."""

    def prepare_release(self) -> None:
        """Start work that making and verifying a release will need."""

    def free_memory(self) -> None:
        """Drop what is kept in memory to answer the verifier faster."""

    def edit(self, edit: Edit) -> Table:
        """Return the released rows, sorted by every released column so that no order is leaked.

        Raises TableError if a value has no code, or the rows do not add up.
        """

    def write(self, path: Path) -> None:
        """Write a .csv or .parquet file, without renaming it into place and without checks."""

    def batches(self) -> Iterator[Any]:
        """Yield the rows as pyarrow tables with the columns' names, at least one table.

        Used for verified releases, to write them elsewhere.
        """

    def native(self) -> Any:
        """Return the frame itself, of the kind that was opened."""


@contextmanager
def preparing_release(table: Table) -> Iterator[None]:
    """Let the table prepare a release while the block runs; free its memory if the block fails."""
    table.prepare_release()
    try:
        yield
    except BaseException:
        table.free_memory()
        raise
