"""Rows in DuckDB: a relation whose columns are called c0, c1 … so that no caller's name is SQL.

A relation stays with its connection: one of our own for files and frames, the caller's for the
caller's relation. What we give to a query are Arrow tables, never literals.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from lookalike.errors import Fault, TableError
from lookalike.tables.cells import TOO_FINE
from lookalike.tables.engine import LIMITS
from lookalike.tables.names import positions

log = logging.getLogger("lookalike")


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A relation with columns c0, c1 …, and what they are called outside."""

    relation: duckdb.DuckDBPyRelation
    names: tuple[str, ...]
    where: str  # for messages
    weighted: bool = False  # equal rows stand there once, and the column n says how often

    @property
    def tally(self) -> str:
        """How many rows a group of them is, in SQL."""
        return "CAST(sum(n) AS BIGINT)" if self.weighted else "count(*)"

    def each(self) -> Rows:
        """The same with every row by itself, in the same order."""
        if not self.weighted:
            return self
        columns = ", ".join(f"c{i}" for i in range(len(self.names)))
        sql = f"SELECT {columns} FROM (SELECT *, unnest(range(n)) FROM t)"
        return Rows(self.ask(sql), self.names, self.where)

    def at(self, names: Sequence[str]) -> tuple[int, ...]:
        return positions(self.names, names, self.where)

    def kinds(self) -> tuple[str, ...]:
        """DuckDB's name for each column's type."""
        return tuple(str(kind) for kind in self.relation.types[: len(self.names)])

    def ask(self, sql: str, given: Any = None) -> duckdb.DuckDBPyRelation:
        return ask(self.relation, sql, self.where, given)

    def fetch(self, sql: str) -> Any:
        """The answer as a pyarrow table."""
        answer = self.ask(sql)
        with said_plainly(self.where):
            return answer.to_arrow_table()

    def named(self) -> duckdb.DuckDBPyRelation:
        """The relation under the names of the outside."""
        columns = ", ".join(f"c{i} AS {quoted(name)}" for i, name in enumerate(self.names))
        return self.each().ask(f"SELECT {columns} FROM t")


def ask(
    relation: duckdb.DuckDBPyRelation, sql: str, where: str, given: Any = None
) -> duckdb.DuckDBPyRelation:
    """A query over ``t``, the relation, and ``_lookalike_given``, an Arrow table; not yet run.

    The caller's database may well have a table ``t`` of its own, so ours is one inside the query.
    """
    log.debug("%s", sql)
    _lookalike_given = given  # DuckDB looks for Python variables of this function by name
    with said_plainly(where):
        answer = relation.query("_lookalike_rows", f"WITH t AS (FROM _lookalike_rows) {sql}")
    if answer is None:
        raise AssertionError("a query that only reads has an answer")
    return answer


def numbered(relation: duckdb.DuckDBPyRelation, columns: int, where: str) -> Any:
    """The relation with its columns called c0, c1 …, by position."""
    return ask(
        relation, f"SELECT * FROM t AS t({', '.join(f'c{i}' for i in range(columns))})", where
    )


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def connection(spill: str = "") -> duckdb.DuckDBPyConnection:
    """A database of our own in memory, which loads nothing from the network."""
    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": spill,  # the default is a folder where the program happens to run
    }
    if LIMITS.memory is not None:
        config["memory_limit"] = LIMITS.memory
    opened = duckdb.connect(":memory:", config=config)
    opened.execute("SET TimeZone = 'UTC'")
    return opened


@contextmanager
def said_plainly(where: str) -> Iterator[None]:
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
