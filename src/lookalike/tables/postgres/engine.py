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
from dataclasses import dataclass
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.csv

from lookalike.errors import Fault, TableError
from lookalike.tables import sql_sums
from lookalike.tables.postgres import cells
from lookalike.tables.rows import Rows, log, quoted, without_literals

GIVEN = "_lookalike_given"
ORDER = "_lookalike_order"
_PARSED = pa.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)


@dataclass(frozen=True, slots=True)
class Select:
    """A query, and the same with a column ``ORDER`` in which its rows are stored, if they are."""

    sql: str
    stored: str | None = None


class Postgres:
    """As ``Engine`` says; one for each connection."""

    TEXT = cells.TEXT
    key = staticmethod(cells.key)
    text = staticmethod(cells.text)
    released = staticmethod(cells.released)
    order = staticmethod(cells.order)
    is_list = staticmethod(cells.is_list)

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        weakref.finalize(self, connection.close)
        self._numbers = itertools.count()
        self._kinds: dict[str, tuple[tuple[str, str], ...]] = {}

    def ask(self, relation: Select, sql: str, where: str, given: Any = None) -> Select:
        if given is not None:
            sql = sql.replace(GIVEN, self.upload(given, where))
        return Select(f"WITH t AS ({relation.sql}) {sql}")

    def fetch(self, relation: Select, where: str) -> Any:
        columns = self._described(relation, where)
        held = io.BytesIO()
        with self._copy(f"({relation.sql}) TO STDOUT", where) as copy:
            for block in copy:
                held.write(block)
        held.seek(0)
        return _read(held, columns, where)

    def batches(self, relation: Select, where: str) -> Iterator[Any]:
        """The rows as Arrow tables of some thousand rows each."""
        columns = self._described(relation, where)
        with self._copy(f"({relation.sql}) TO STDOUT", where) as copy:
            held = io.BytesIO()
            for line in copy:  # PostgreSQL sends one row at a time
                held.write(line)
                if held.tell() > 1 << 24:
                    held.seek(0)
                    yield _read(held, columns, where)
                    held = io.BytesIO()
            held.seek(0)
            yield _read(held, columns, where)

    def hold(self, relation: Select, where: str, *, firm: bool) -> Select:
        name = self._name()
        self.execute(f"CREATE TEMPORARY TABLE {name} AS {relation.sql}", where)
        self.execute(f"ANALYZE {name}", where)
        return Select(f"SELECT * FROM {name}", f"SELECT *, ctid AS {ORDER} FROM {name}")

    def kinds(self, relation: Select, where: str) -> tuple[str, ...]:
        return tuple(kind for _, kind in self._described(relation, where))

    def is_zoned(self, kind: str) -> bool:
        return kind == cells.ZONED

    def hashed(self, keys: Sequence[str]) -> str:
        return f"hashtextextended(CAST(ROW({', '.join(keys)}) AS text), 0)"

    def about(self, keys: Sequence[str]) -> str:
        return f"count(DISTINCT {self.hashed(keys)})"

    def number(self, text: str) -> str:
        number = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?$"
        return f"CASE WHEN {text} ~ '{number}' THEN CAST({text} AS numeric) END"

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

    def fingerprint(self, rows: Rows) -> tuple[int, ...]:
        return sql_sums.fingerprint(rows, "CAST(CAST('x' || {0} AS bit(32)) AS bigint)", "bigint")

    def execute(self, sql: str, where: str) -> None:
        log.debug("%s", without_literals(sql))
        with said_plainly(where, self.connection):
            self.connection.execute(sql.encode())

    def upload(self, table: Any, where: str) -> str:
        """A small table into the session; the answer is its name."""
        name = self._name()
        columns = ", ".join(
            f"{quoted(field.name)} {cells.postgres(field.type)}"
            + (' COLLATE "C"' if cells.postgres(field.type) == cells.TEXT else "")
            for field in table.schema
        )
        self.execute(f"CREATE TEMPORARY TABLE {name} ({columns})", where)
        self.copy_in(name, table, where)
        self.execute(f"ANALYZE {name}", where)
        return name

    def copy_in(self, name: str, table: Any, where: str) -> None:
        with self._copy(f"{name} FROM STDIN", where) as copy:
            for batch in table.to_batches(max_chunksize=1 << 16):
                copy.write(_csv(batch))

    @contextmanager
    def _copy(self, what: str, where: str) -> Iterator[psycopg.Copy]:
        log.debug("COPY %s", without_literals(what))
        with (
            said_plainly(where, self.connection),
            self.connection.cursor() as cursor,
            cursor.copy(f"COPY {what} (FORMAT csv)".encode()) as copy,
        ):
            yield copy

    def _name(self) -> str:
        return f"_lookalike_{next(self._numbers)}"

    def _described(self, relation: Select, where: str) -> tuple[tuple[str, str], ...]:
        """Name and kind of each column."""
        if relation.sql not in self._kinds:
            with said_plainly(where, self.connection):
                head = self.connection.execute(f"SELECT * FROM ({relation.sql}) q LIMIT 0".encode())
            self._kinds[relation.sql] = tuple(
                (column.name, column.type_display) for column in head.description or ()
            )
        return self._kinds[relation.sql]


def _read(held: io.BytesIO, columns: Sequence[tuple[str, str]], where: str) -> Any:
    types = {name: cells.arrow(kind) for name, kind in columns}
    if not held.getbuffer().nbytes:
        return pa.table({name: pa.array([], kind) for name, kind in types.items()})
    try:
        return pa.csv.read_csv(
            held,
            pa.csv.ReadOptions(column_names=list(types), block_size=1 << 26),
            _PARSED,
            pa.csv.ConvertOptions(
                column_types=types, null_values=[""], strings_can_be_null=True,
                quoted_strings_can_be_null=False, true_values=["t"], false_values=["f"],
            ),
        )  # fmt: skip
    except pa.ArrowException:
        problem = "a column holds dates, times or numbers beyond what can be counted, as infinity"
        raise TableError(Fault(where, problem, "replace them by null")) from None


def _csv(batch: Any) -> bytes:
    """As COPY reads it: null is an empty field, an empty text is quoted."""
    table = pa.Table.from_batches([batch])
    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(i, field.name, table.column(i).cast(field.type.value_type))
    sink = pa.BufferOutputStream()
    options = pa.csv.WriteOptions(include_header=False, quoting_style="needed")
    pa.csv.write_csv(table, sink, options)
    return bytes(sink.getvalue())


@contextmanager
def said_plainly(where: str, connection: psycopg.Connection[Any] | None = None) -> Iterator[None]:
    """The server's errors quote cells and queries; ours say what kind of mistake it is."""
    try:
        yield
    except psycopg.Error as error:
        fault = _fault(where, error)
        if connection is not None and not connection.closed:
            connection.rollback()
        raise TableError(fault) from None


_NOTHING_WRITTEN = "nothing was written"


def _fault(where: str, error: psycopg.Error) -> Fault:
    known: tuple[tuple[type[psycopg.Error], str, str], ...] = (
        (psycopg.errors.UndefinedTable, "there is no such table",
         "check schema and name; they are read exactly as they are spelt, capitals included"),
        (psycopg.errors.InvalidSchemaName, "there is no such schema", "make it, or name another"),
        (psycopg.errors.InsufficientPrivilege, "this role may not do that",
         "grant it SELECT on the table, TEMPORARY on the database and, to write, CREATE on the "
         "schema"),
        (psycopg.errors.DuplicateTable, "the table exists", "choose another name, or force it"),
        (psycopg.errors.DiskFull, "the server's disk is full", "make room there; " +
         _NOTHING_WRITTEN),
        (psycopg.errors.QueryCanceled, "the server stopped the query (a time limit, or a person)",
         f"raise statement_timeout for this role, and run again; {_NOTHING_WRITTEN}"),
        (psycopg.errors.DependentObjectsStillExist, "other objects, as views, use the table",
         "choose another name, or drop them first"),
        (psycopg.errors.ReadOnlySqlTransaction, "the server only reads (a standby?)",
         "name its primary: temporary tables are needed"),
        (psycopg.errors.SyntaxError, "the query does not read as SQL", "try it in psql first"),
        (psycopg.errors.InvalidPassword, "the server refuses the password",
         "check PGPASSWORD or ~/.pgpass"),
        (psycopg.errors.InvalidCatalogName, "there is no such database", "check its name"),
    )  # fmt: skip
    for kind, problem, fix in known:
        if isinstance(error, kind):
            return Fault(where, problem, fix)
    if isinstance(error, psycopg.OperationalError):
        said = str(error)
        if "password" in said or "authentication" in said:
            return Fault(where, "the server refuses this user", "check PGPASSWORD or ~/.pgpass")
        problem = "the server cannot be reached, or the connection to it was lost"
        return Fault(where, problem, f"check that it runs, and run again; {_NOTHING_WRITTEN}")
    problem = f"the server could not read or write it ({type(error).__name__})"
    return Fault(where, problem, "check it is intact")
