"""DuckDB as the engine: a relation stays with its connection, ours or the caller's."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from lookalike.errors import Fault, TableError
from lookalike.tables import fingerprint as row_sums
from lookalike.tables.duckdb import cells as duck_cells
from lookalike.tables.duckdb.cells import TOO_FINE
from lookalike.tables.duckdb.resource_limits import LIMITS, memory_limit
from lookalike.tables.engine_progress import Step, telling
from lookalike.tables.sql.relation import Rows, quoted, stretch_of


class Duck:
    """As ``Engine`` says; on a connection of ``own`` it can be told how far a query is."""

    def __init__(self, own: duckdb.DuckDBPyConnection | None = None) -> None:
        self.own = own

    TEXT = "VARCHAR"
    key = staticmethod(duck_cells.key)
    text = staticmethod(duck_cells.text)
    released = staticmethod(duck_cells.released)
    order = staticmethod(duck_cells.order)

    def ask(
        self, relation: duckdb.DuckDBPyRelation, sql: str, where: str, given: Any = None
    ) -> duckdb.DuckDBPyRelation:
        """The caller's database may have a table ``t`` of its own: ours is inside the query."""
        _lookalike_given = given  # DuckDB looks for Python variables of this function by name
        with translate_errors(where):
            answer = relation.query("_lookalike_rows", f"WITH t AS (FROM _lookalike_rows) {sql}")
        if answer is None:
            raise AssertionError("a query that only reads has an answer")
        return answer

    def fetch(self, relation: duckdb.DuckDBPyRelation, where: str) -> Any:
        with translate_errors(where), telling(self.step("counting")):
            return relation.to_arrow_table()

    def step(self, what: str) -> Step:
        """The query that runs next."""
        own = self.own
        return Step(what, 0, asked=None if own is None else lambda: own.query_progress() / 100)

    def hold(
        self, relation: duckdb.DuckDBPyRelation, where: str, *, firm: bool
    ) -> duckdb.DuckDBPyRelation:
        with translate_errors(where), telling(self.step("recoding")):
            return relation.materialize()

    def kinds(self, relation: duckdb.DuckDBPyRelation, where: str) -> tuple[str, ...]:
        return tuple(str(kind) for kind in relation.types)

    def is_list(self, kind: str) -> bool:
        return kind.startswith("ENUM")

    def is_zoned(self, kind: str) -> bool:
        return kind == duck_cells.ZONED

    def hashed(self, keys: Sequence[str]) -> str:
        return f"hash({', '.join(keys)})"

    def about(self, keys: Sequence[str]) -> str:
        return f"approx_count_distinct({self.hashed(keys)})"

    def number(self, text: str) -> str:
        return f"TRY_CAST({text} AS DOUBLE)"

    def sample(
        self, relation: duckdb.DuckDBPyRelation, rows: int, of: int, where: str
    ) -> duckdb.DuckDBPyRelation:
        sql = f"SELECT * FROM t USING SAMPLE reservoir({rows} ROWS) REPEATABLE (1)"
        return self.ask(relation, sql, where)

    def previous(
        self, relation: duckdb.DuckDBPyRelation, shown: Sequence[str], where: str
    ) -> duckdb.DuckDBPyRelation:
        """DuckDB keeps the order in which rows are stored."""
        cells = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(shown))
        before = ", ".join(f"lag(c{i}) OVER () AS p{i}" for i in range(len(shown)))
        pairs = f"SELECT *, {before}, lag(1) OVER () AS later FROM (SELECT {cells} FROM t)"
        return self.ask(relation, f"SELECT * FROM ({pairs}) WHERE later = 1", where)

    def stretch(
        self,
        relation: duckdb.DuckDBPyRelation,
        shown: Sequence[str],
        start: int,
        rows: int,
        where: str,
    ) -> Any:
        """DuckDB keeps the order in which rows are stored."""
        return self.fetch(self.ask(relation, stretch_of(shown, start, rows), where), where)

    def fingerprint(self, rows: Rows) -> tuple[int, ...]:
        """Rows are in this process as it is, so they come by in batches."""
        texts = [f"{shown} AS c{i}" for i, shown in enumerate(rows.texts(rows.names))]
        n = "n" if rows.weighted else "1"
        shown = rows.query(f"SELECT {', '.join(texts)}, {n} AS n FROM t")
        with translate_errors(rows.where):
            return row_sums.of_batches(len(rows.names), shown.relation.to_arrow_reader(1 << 18))


DUCK = Duck()


def duck_rows(
    relation: duckdb.DuckDBPyRelation,
    names: Sequence[str],
    where: str,
    own: duckdb.DuckDBPyConnection | None = None,
) -> Rows:
    """A relation as rows, its columns by position; maybe on a connection of our own."""
    columns = ", ".join(f"c{i}" for i in range(len(names)))
    numbered = DUCK.ask(relation, f"SELECT * FROM t AS t({columns})", where)
    return Rows(Duck(own), numbered, tuple(names), where)


def each(rows: Rows) -> Rows:
    """The same with every row by itself, in the same order."""
    if not rows.weighted:
        return rows
    columns = ", ".join(f"c{i}" for i in range(len(rows.names)))
    sql = f"SELECT {columns} FROM (SELECT *, unnest(range(n)) FROM t)"
    return rows.query(sql).rename(rows.names)


def named(rows: Rows) -> duckdb.DuckDBPyRelation:
    """The relation under the names of the outside."""
    columns = ", ".join(f"c{i} AS {quoted(name)}" for i, name in enumerate(rows.names))
    relation: duckdb.DuckDBPyRelation = each(rows).query(f"SELECT {columns} FROM t").relation
    return relation


def arrow_batches(rows: Rows) -> Iterator[Any]:
    """As ``Table.batches`` says."""
    with translate_errors(rows.where):
        reader = named(rows).to_arrow_reader(1 << 17)
        yield reader.schema.empty_table()
        for batch in reader:
            yield pa.Table.from_batches([batch])


_here = threading.local()


def scratch() -> duckdb.DuckDBPyConnection:
    """One a thread, for small tables that are asked one thing: to open one takes its time."""
    if not hasattr(_here, "scratch"):
        _here.scratch = connection()
    found: duckdb.DuckDBPyConnection = _here.scratch
    return found


def connection(
    spill: str = "", share: int = 1, threads: int | None = None
) -> duckdb.DuckDBPyConnection:
    """A database of our own in memory, which loads nothing from the network.

    With a ``share`` of 3 it may hold a third of what was allowed: others hold the rest.
    """
    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": spill,  # the default is a folder where the program happens to run
    }
    if threads is not None:
        config["threads"] = threads
    if LIMITS.memory is not None or share > 1:
        config["memory_limit"] = f"{memory_limit() // share // 1_000_000}MB"
    opened = duckdb.connect(":memory:", config=config)
    opened.execute("SET TimeZone = 'UTC'")
    opened.execute("SET enable_progress_bar = true")  # for query_progress; it is not printed
    opened.execute("SET enable_progress_bar_print = false")
    return opened


@contextmanager
def translate_errors(where: str) -> Iterator[None]:
    """DuckDB's errors quote the data; ours give the line and the kind of mistake."""
    try:
        yield
    except duckdb.Error as error:
        raise TableError(_fault(where, error)) from None
    except pa.ArrowException as error:
        problem = f"a column cannot be turned into Arrow ({type(error).__name__})"
        raise TableError(Fault(where, problem, "cast its unusual columns to text first")) from None


_CSV_MISTAKES = (  # what DuckDB says, what is wrong, what would fix it
    ("unterminated quote", "a quote is not closed", 'double a quote inside a quoted cell: ""'),
    ("Expected Number of Columns", "more or fewer cells than names", "give each line every cell"),
    ("Maximum line size", "the line is too long", "look for a quote that is not closed above it"),
    ("unicode", "not valid text", "save the file as UTF-8"),
    ("state machine", "it does not read as CSV", "give every line the same kind of line end"),
)


def _fault(where: str, error: duckdb.Error) -> Fault:
    said = str(error)
    line = re.search(r"CSV Error on Line: (\d+)", said)
    if line or "CSV" in said:
        place = f"{where}, line {line[1]}" if line else where
        for sign, problem, fix in _CSV_MISTAKES:
            if sign in said:
                widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
                counted = f" ({widths[2]} for {widths[1]})" if widths else ""
                return Fault(place, problem + counted, fix)
        return Fault(place, "it does not read as CSV", "write the file anew as plain CSV")
    if TOO_FINE in said:
        problem = "a column to be counted has times finer than a microsecond"
        return Fault(where, problem, "round its times to microseconds")
    if "_lookalike_given" in said:
        fix = "pass relation.to_arrow_table(), or SET python_enable_replacements = true"
        return Fault(where, "its connection may not read tables of Python", fix)
    kind = type(error).__name__
    if isinstance(error, duckdb.OutOfMemoryException):
        fix = "give the engine more memory or disk (--memory, --spill), or close other programs"
        return Fault(where, "memory or the disk for what does not fit in it ran out", fix)
    return Fault(where, f"the engine could not read or write it ({kind})", "check it is intact")
