"""A table that DuckDB reads: a file, a table of a database, or a relation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from lookalike.tables.duckdb.engine import arrow_batches, each, named
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.files import file_writing as writing
from lookalike.tables.files.scratch_folder import ScratchFolder
from lookalike.tables.sql import group_counts as counting
from lookalike.tables.sql.distinct_rows import can_be_grouped, grouped
from lookalike.tables.sql.relation import Rows
from lookalike.tables.sql.row_recoding import released
from lookalike.tables.sql.sql_table import SqlTable
from lookalike.tables.table import Edit, Table


@dataclass(frozen=True, slots=True, eq=False)
class DuckDBTable(SqlTable):
    """Rows stay in DuckDB until they are asked for; results are computed once."""

    kind: str
    content: Rows
    scratch: ScratchFolder | None = None
    original: duckdb.DuckDBPyRelation | None = field(default=None, repr=False)
    path: Path | None = None  # the file it was read from, which is never written to

    def with_content(self, content: Rows, kind: str | None = None) -> DuckDBTable:
        path = None if kind else self.path
        return DuckDBTable(kind or self.kind, content, self.scratch, path=path)

    def text_rows(self, names: Sequence[str]) -> Any:
        return counting.text_rows(each(self.content), names)

    def edit(self, edit: Edit) -> Table:
        rows = each(self.content)  # which may be the outcome of an edit
        if self.kind != "duckdb" and can_be_grouped(rows, edit):
            content = grouped(rows, edit)
        else:
            content = released(rows, edit)
        return DuckDBTable(self.kind, content, self.scratch)

    def write(self, path: Path) -> None:
        writing.write(self.content, path)

    def batches(self) -> Iterator[Any]:
        return arrow_batches(self.content)

    def native(self) -> Any:
        """A relation on the caller's connection; for files, a pyarrow table."""
        if self.kind == "duckdb":
            return named(self.content) if self.original is None else self.original
        with translate_errors(self.name):
            return named(self.content).to_arrow_table()
