"""A table or query of PostgreSQL: counted, recoded and verified on the server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lookalike.tables.postgres import cells
from lookalike.tables.postgres.address import PostgresAddress
from lookalike.tables.sql.relation import Rows, quote_name
from lookalike.tables.sql.sql_table import SqlTable


@dataclass(frozen=True, slots=True, eq=False)
class PostgresTable(SqlTable):
    """Rows stay on the server, in one transaction of one connection."""

    kind: str
    content: Rows
    address: PostgresAddress
    path: None = None  # not a file
    oid: int | None = None  # of the table in the catalog, if it was opened by its name

    def with_content(self, content: Rows, kind: str | None = None) -> PostgresTable:
        return PostgresTable(kind or self.kind, content, self.address)

    def batches(self) -> Iterator[Any]:
        """The rows under their names, as Arrow tables of some thousand rows each."""
        types = self.content.types()
        shown = ", ".join(
            f"{cells.export(f'c{i}', types[i])} AS {quote_name(name)}"
            for i, name in enumerate(self.columns)
        )
        exported = self.content.query(f"SELECT {shown} FROM t")
        for batch in self.engine.batches(exported.relation, self.name):
            yield _add_zones(batch, types)

    def native(self) -> Any:
        """A pyarrow table."""
        return pa.concat_tables(self.batches())


def _add_zones(batch: Any, types: Sequence[str]) -> Any:
    """Times with a zone were exported as wall clock times of UTC: add the zone again."""
    for i, kind in enumerate(types):
        if kind == cells.ZONED:
            moments = batch.column(i).cast(pa.int64()).cast(pa.timestamp("us", tz="UTC"))
            batch = batch.set_column(i, batch.schema.field(i).name, moments)
    return batch
