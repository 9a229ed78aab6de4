"""PostgreSQL as the engine: a relation is a SELECT, what is held is a temporary table.

All of a run is one transaction that sees one state of the database. Only counts come out, by COPY;
only small tables of labels go in, by COPY as well. Nothing of the caller's is written into SQL but
names, which are quoted.
"""

from __future__ import annotations

import io
import itertools
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg

from lookalike.tables.postgres import cells
from lookalike.tables.postgres import copy_rows as copying
from lookalike.tables.postgres.error_messages import READ, TEMPORARY
from lookalike.tables.postgres.session import Connection, step, undone
from lookalike.tables.sql import fingerprint_query as sql_sums
from lookalike.tables.sql.relation import Rows, log, quoted, stretch_of, without_literals

GIVEN = "_lookalike_given"
ORDER = "_lookalike_order"
BATCH = 1 << 24  # bytes
_AS_STORED = (
    b"SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL enable_indexonlyscan = off; "
    b"SET LOCAL enable_seqscan = on"
)
_NUMBER = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?$"


@dataclass(frozen=True, slots=True)
class Select:
    """A query, and the same with a column ``ORDER`` in which its rows are stored, if they are."""

    sql: str = field(repr=False)
    stored: str | None = field(default=None, repr=False)


class Postgres:
    """As ``Engine`` says; one for each connection, which ends with it."""

    TEXT = cells.TEXT
    key = staticmethod(cells.key)
    text = staticmethod(cells.text)
    released = staticmethod(cells.released)
    order = staticmethod(cells.order)
    is_list = staticmethod(cells.is_list)

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.sources: frozenset[int] = frozenset()  # by oid: tables that no release may replace
        weakref.finalize(self, connection.close)
        self._numbers = itertools.count()
        self._kinds: dict[str, tuple[tuple[str, str], ...]] = {}

    def ask(self, relation: Select, sql: str, where: str, given: Any = None) -> Select:
        if given is not None:
            sql = sql.replace(GIVEN, self.upload(given, where))
        return Select(f"WITH t AS ({relation.sql}) {sql}")

    def fetch(self, relation: Select, where: str) -> Any:
        columns = self.described(relation, where)
        held = io.BytesIO()
        with self._copy(f"({relation.sql}) TO STDOUT (FORMAT csv)", where) as copy:
            for block in copy:
                held.write(block)
        held.seek(0)
        return copying.read(held, columns, where)

    def batches(self, relation: Select, where: str) -> Iterator[Any]:
        """The rows as Arrow tables of some thousand rows each."""
        columns = self.described(relation, where)
        with self._copy(f"({relation.sql}) TO STDOUT (FORMAT csv)", where) as copy:
            held = io.BytesIO()
            for line in copy:  # PostgreSQL sends one row at a time
                held.write(line)
                if held.tell() > BATCH:
                    held.seek(0)
                    yield copying.read(held, columns, where)
                    held = io.BytesIO()
            held.seek(0)
            yield copying.read(held, columns, where)

    def hold(self, relation: Select, where: str, *, firm: bool) -> Select:
        name = self.new_name()
        self.execute(f"CREATE TEMPORARY TABLE {name} AS {relation.sql}", where, TEMPORARY)
        self.execute(f"ANALYZE {name}", where)
        return Select(f"SELECT * FROM {name}", f"SELECT *, ctid AS {ORDER} FROM {name}")

    def kinds(self, relation: Select, where: str) -> tuple[str, ...]:
        return tuple(kind for _, kind in self.described(relation, where))

    def is_zoned(self, kind: str) -> bool:
        return kind == cells.ZONED

    def hashed(self, keys: Sequence[str]) -> str:
        return f"hashtextextended(CAST(ROW({', '.join(keys)}) AS text), 0)"

    def distinct_estimate(self, keys: Sequence[str]) -> str:
        return f"count(DISTINCT {self.hashed(keys)})"

    def number(self, text: str) -> str:
        """Infinities are numbers, as floats have them."""
        number = f"{text} ~ '{_NUMBER}' OR {text} IN ('inf', '-inf', 'Infinity', '-Infinity')"
        return f"CASE WHEN {number} THEN CAST({text} AS numeric) END"

    def sample(self, relation: Select, rows: int, of: int, where: str) -> Select:
        share = 100.0 * min(1.0, rows / max(1, of))
        return Select(f"{relation.sql} TABLESAMPLE BERNOULLI ({share}) REPEATABLE (1)")

    def previous(self, relation: Select, shown: Sequence[str], where: str) -> Select:
        """A heap is read from its start; what is no heap, as it comes."""
        cells = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(shown))
        if relation.stored is None:
            rows = f"WITH t AS ({relation.sql}) SELECT {cells}, row_number() OVER () AS o FROM t"
        else:
            rows = f"WITH t AS ({relation.stored}) SELECT {cells}, {ORDER} AS o FROM t"
        before = ", ".join(f"lag(c{i}) OVER w AS p{i}" for i in range(len(shown)))
        pairs = (
            f"SELECT *, {before}, lag(1) OVER w AS later FROM ({rows}) r WINDOW w AS (ORDER BY o)"
        )
        return Select(f"SELECT * FROM ({pairs}) p WHERE later = 1")

    def stretch(
        self, relation: Select, shown: Sequence[str], start: int, rows: int, where: str
    ) -> Any:
        """A heap is read from its start, by one process, and no index in its stead."""
        with undone(self.connection, where):
            self.connection.execute(_AS_STORED)
            return self.fetch(self.ask(relation, stretch_of(shown, start, rows), where), where)

    def fingerprint(self, rows: Rows) -> tuple[int, ...]:
        return sql_sums.fingerprint(rows, "CAST(CAST('x' || {0} AS bit(32)) AS bigint)", "bigint")

    def execute(self, sql: str, where: str, right: str = READ) -> None:
        log.debug("%s", without_literals(sql))
        with step(self.connection, where, right):
            self.connection.execute(sql.encode())

    def one(self, sql: str, given: Sequence[Any], where: str) -> tuple[Any, ...] | None:
        """The first row that a question to the catalog is answered with."""
        with step(self.connection, where):
            return self.connection.execute(sql.encode(), given).fetchone()

    def upload(self, table: Any, where: str) -> str:
        """A small table into the session; the answer is its name."""
        name = self.new_name()
        columns = ", ".join(
            f"{quoted(field.name)} {kind}" + (' COLLATE "C"' if kind == cells.TEXT else "")
            for field in table.schema
            if (kind := cells.postgres(field.type))
        )
        self.execute(f"CREATE TEMPORARY TABLE {name} ({columns})", where, TEMPORARY)
        self.copy_in(name, table, where)
        self.execute(f"ANALYZE {name}", where)
        return name

    def copy_in(self, name: str, table: Any, where: str) -> None:
        with self._copy(f"{name} FROM STDIN", where) as copy:
            for batch in table.to_batches(max_chunksize=1 << 16):
                copy.write(copying.lines(batch))

    @contextmanager
    def _copy(self, what: str, where: str) -> Iterator[psycopg.Copy]:
        log.debug("COPY %s", without_literals(what))
        with (
            step(self.connection, where),
            self.connection.cursor() as cursor,
            cursor.copy(f"COPY {what}".encode()) as copy,
        ):
            yield copy

    def new_name(self) -> str:
        """Of a temporary table or view, whatever the tables of the database are called."""
        return f"pg_temp._lookalike_{next(self._numbers)}"

    def described(self, relation: Select, where: str) -> tuple[tuple[str, str], ...]:
        """Name and kind of each column."""
        if relation.sql not in self._kinds:
            with step(self.connection, where):
                head = self.connection.execute(f"SELECT * FROM ({relation.sql}) q LIMIT 0".encode())
            self._kinds[relation.sql] = tuple(
                (column.name, cells.plain(column.type_display)) for column in head.description or ()
            )
        return self._kinds[relation.sql]
