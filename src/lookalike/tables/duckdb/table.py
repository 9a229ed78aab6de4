"""A table that DuckDB reads: a file, a table of a database, or a relation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lookalike.tables.duckdb.engine import arrow_batches, expand_weights, named_relation
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import Relation
from lookalike.tables.files.file_writing import write_rows
from lookalike.tables.files.scratch_folder import ScratchFolder
from lookalike.tables.sql import group_counts
from lookalike.tables.sql.distinct_rows import has_few_distinct_rows, recode_distinct_rows
from lookalike.tables.sql.relation import Rows
from lookalike.tables.sql.row_recoding import recode_rows
from lookalike.tables.sql.sql_table import SqlTable
from lookalike.tables.table import Edit, Table


@dataclass(frozen=True, slots=True, eq=False)
class DuckDBTable(SqlTable):
    """Rows stay in DuckDB until they are asked for; results are computed once."""

    kind: str
    content: Rows
    scratch: ScratchFolder | None = None
    original: Relation | None = field(default=None, repr=False)
    path: Path | None = None  # the file it was read from, which is never written to

    def with_content(self, content: Rows, kind: str | None = None) -> DuckDBTable:
        path = None if kind else self.path
        return DuckDBTable(kind or self.kind, content, self.scratch, path=path)

    def text_rows(self, names: Sequence[str], start: int = 0, count: int | None = None) -> Any:
        return group_counts.text_rows(expand_weights(self.content), names, start, count)

    def edit(self, edit: Edit) -> Table:
        rows = expand_weights(self.content)  # which may be the outcome of an edit
        if self.kind != "duckdb" and has_few_distinct_rows(rows, edit):
            content = recode_distinct_rows(rows, edit)
        else:
            content = recode_rows(rows, edit)
        return DuckDBTable(self.kind, content, self.scratch)

    def write(self, path: Path) -> None:
        write_rows(self.content, path)

    def batches(self) -> Iterator[Any]:
        return arrow_batches(self.content)

    def native(self) -> Any:
        """A relation on the caller's connection; for files, a pyarrow table."""
        if self.kind == "duckdb":
            return named_relation(self.content) if self.original is None else self.original
        with translate_errors(self.name):
            return named_relation(self.content).to_arrow_table()
