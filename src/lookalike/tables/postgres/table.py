"""A table or query of PostgreSQL: counted, recoded and verified on the server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from lookalike.tables.files.batch_spool import write_spooled
from lookalike.tables.postgres import cells
from lookalike.tables.postgres.address import PostgresAddress
from lookalike.tables.postgres.engine import Postgres
from lookalike.tables.sql import group_counts as counting
from lookalike.tables.sql.relation import Rows, quoted
from lookalike.tables.sql.row_recoding import released
from lookalike.tables.sql.sql_table import SqlTable
from lookalike.tables.table import Edit, Table


@dataclass(frozen=True, slots=True, eq=False)
class PostgresTable(SqlTable):
    """Rows stay on the server, in the transaction of one connection."""

    kind: str
    content: Rows
    place: PostgresAddress
    path: None = None  # no file

    @property
    def engine(self) -> Postgres:
        engine = self.content.engine
        assert isinstance(engine, Postgres)
        return engine

    def with_content(self, content: Rows, kind: str | None = None) -> PostgresTable:
        return PostgresTable(kind or self.kind, content, self.place)

    def text_rows(self, names: Sequence[str]) -> Any:
        return counting.text_rows(self.content, names)

    def edit(self, edit: Edit) -> Table:
        return PostgresTable(self.kind, released(self.content, edit), self.place)

    def write(self, path: Path) -> None:
        write_spooled(self.batches(), self.name, path)

    def batches(self) -> Iterator[Any]:
        """The rows under their names, as Arrow tables of some thousand rows each."""
        kinds = self.content.kinds()
        shown = ", ".join(
            f"{cells.sent(f'c{i}', kinds[i])} AS {quoted(name)}"
            for i, name in enumerate(self.columns)
        )
        asked = self.content.query(f"SELECT {shown} FROM t")
        for batch in self.engine.batches(asked.relation, self.name):
            yield _zoned(batch, kinds)

    def native(self) -> Any:
        """A pyarrow table."""
        return pa.concat_tables(self.batches())


def _zoned(batch: Any, kinds: Sequence[str]) -> Any:
    """Moments came by the wall clock of UTC; say so again."""
    for i, kind in enumerate(kinds):
        if kind == cells.ZONED:
            moments = batch.column(i).cast(pa.int64()).cast(pa.timestamp("us", tz="UTC"))
            batch = batch.set_column(i, batch.schema.field(i).name, moments)
    return batch
