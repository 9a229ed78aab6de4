"""A release as packed codes in memory, sorted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.tables.duckdb.engine import cell_texts, duckdb_rows
from lookalike.tables.duckdb.session import connection
from lookalike.tables.duckdb.table import DuckDBTable
from lookalike.tables.files.file_writing import translate_disk_errors, write_batches
from lookalike.tables.packed.parquet.writing import write_file
from lookalike.tables.packed.row_recoding import SortedRows
from lookalike.tables.packed.verifier.text_columns import TextColumn
from lookalike.tables.packed.verifier.text_table import TextTable
from lookalike.tables.table import Table
from lookalike.tables.wrapped_table import WrappedTable

BATCH_ROWS = 1 << 20


class PackedReleaseTable(WrappedTable):
    """Answers the verifier from memory; ``inner``, in DuckDB, does what is seldom needed."""

    kind, path = "parquet", None

    def __init__(self, name: str, content: SortedRows) -> None:
        self.name, self.content = name, content
        self._texts: TextTable | None = None

    @property
    def inner(self) -> Table:
        relation = connection().from_arrow(self.native())
        return DuckDBTable("parquet", duckdb_rows(relation, self.columns, self.name))

    @property
    def columns(self) -> tuple[str, ...]:
        return self.content.names

    @property
    def types(self) -> Mapping[str, str]:
        values = zip(self.columns, self.content.values, strict=True)
        return {name: str(cells.type) for name, cells in values}

    def rows(self) -> int:
        return self.content.rows

    def text_rows(self, names: Sequence[str], start: int = 0, count: int | None = None) -> Any:
        return self.text_source.text_rows(names, start, count)

    def prepare_release(self) -> None:
        """Nothing to prepare: it is a release."""

    def free_memory(self) -> None:
        self._texts = None

    def write(self, path: Path) -> None:
        if path.suffix.lower() != ".parquet":
            write_batches(self.batches(), self.name, path)
            return
        with translate_disk_errors(path):
            write_file(path, self.content)

    def batches(self) -> Iterator[Any]:
        rows = self.content
        yield pa.table([cells[:0] for cells in rows.values], names=list(rows.names))
        for words, repeats in rows.parts(BATCH_ROWS):
            whole = words if repeats is None else [np.repeat(word, repeats) for word in words]
            columns = [
                cells.take(pa.array(rows.layout.unpack(whole, j)))
                for j, cells in enumerate(rows.values)
            ]
            yield pa.table(columns, names=list(rows.names))

    def native(self) -> Any:
        """A pyarrow table."""
        return pa.concat_tables(self.batches())

    @property
    def text_source(self) -> TextTable:
        if self._texts is None:
            rows, layout = self.content, self.content.layout
            texts = [tuple(cell_texts(cells, self.name).to_pylist()) for cells in rows.values]
            columns = tuple(map(TextColumn, layout.word, layout.shift, layout.bits, texts))
            self._texts = TextTable(self.name, rows.names, columns, rows.words, rows.counts)
        return self._texts
