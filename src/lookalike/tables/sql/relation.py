"""Rows in an SQL engine: a relation whose columns are called c0, c1 …, so that no name is SQL.

The queries over it are written once, in SQL that every engine here understands. ``Engine`` has
what differs between engines. Values of the caller go into a query as small tables, never as SQL.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from lookalike.tables.column_names import positions

log = logging.getLogger("lookalike")
Relation = Any  # the engine's own: a DuckDB relation, a Spark frame, a SELECT

_LITERAL = re.compile(  # or a name in double quotes, which stays
    r""""(?:[^"]|"")*"|'(?:[^']|'')*'|(?<![\w.])\d+(?:\.\d+)?(?!\w)"""
)


class Cells(Protocol):
    """How an engine compares, shows and sorts cells, in SQL; ``kind`` is the column's type.

    Each engine has a module with these functions.
    """

    TEXT: str  # the engine's type for text
    ZONED: str  # its type for a time with a zone; ``key`` gives the wall clock time of UTC

    def key(self, column: str, kind: str) -> str:
        """SQL for the value to group and join by; Python gets it as int, str, float, date …

        NaN is null, -0.0 is 0.0, text is compared byte by byte.
        """

    def text(self, column: str, kind: str) -> str:
        """SQL for the cell as text, the same text on every engine; null stays null."""

    def canonical(self, column: str, kind: str) -> str:
        """SQL for a quasi-identifier's own value in one form: NaN as null, -0.0 as 0.0.

        Otherwise the rows of one class would look different.
        """

    def sort_key(self, column: str, kind: str) -> str:
        """SQL for what to sort by."""

    def lists_values(self, kind: str) -> bool:
        """Does the type itself list values, as an enumeration does?"""

    def hash_of(self, keys: Sequence[str]) -> str:
        """SQL for one hash of several cells."""

    def distinct_estimate(self, keys: Sequence[str]) -> str:
        """SQL for the number of distinct tuples, exact or estimated: an aggregate."""

    def octets(self, text: str) -> str:
        """SQL for the number of bytes of a text in UTF-8."""

    def sha256_hex(self, text: str) -> str:
        """SQL for the SHA-256 of a text in UTF-8, as hexadecimal digits."""

    def sha256_of_entries(self, entry: str, place: str) -> str:
        """SQL for the SHA-256 of the entries of a group, sorted by place: an aggregate."""

    def number(self, text: str) -> str:
        """SQL for a text as a number; null if it is not a number."""


class Engine(Protocol):
    """What every SQL engine does in its own way."""

    cells: Cells

    def query(self, relation: Relation, sql: str, where: str, lookup: Any = None) -> Relation:
        """Build a query over ``t``, the relation, and ``_lookalike_lookup``, a small Arrow table.

        The query has not run yet.
        """

    def fetch(self, relation: Relation, where: str) -> Any:
        """Run the query and return a pyarrow table."""

    def materialize(self, relation: Relation, where: str, *, firm: bool) -> Relation:
        """Compute the relation once and keep the result.

        If ``firm``, it is never computed again: reading a lost result is an error.
        """

    def types(self, relation: Relation, where: str) -> tuple[str, ...]:
        """Return the engine's name for the type of each column."""

    def sample(self, relation: Relation, rows: int, total: int, where: str) -> Relation:
        """Return about ``rows`` of all ``total`` rows of a stored relation, always the same."""

    def consecutive_rows(self, relation: Relation, shown: Sequence[str], where: str) -> Relation:
        """Pair each row with the row stored before it: ``shown`` as c0, c1 … and as p0, p1 …"""

    def fetch_slice(
        self, relation: Relation, shown: Sequence[str], start: int, rows: int, where: str
    ) -> Any:
        """Return ``shown`` of ``rows`` rows from ``start`` on, in the order they are stored.

        A pyarrow table with columns c0, c1 … Nothing is computed for the rows before them.
        """
        sql = f"SELECT {numbered(shown)} FROM (SELECT * FROM t LIMIT {rows} OFFSET {start}) t"
        return self.fetch(self.query(relation, sql, where), where)

    def fingerprint(self, rows: Rows, key: str) -> tuple[int, ...]:
        """As ``Table.fingerprint``."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A relation with columns c0, c1 …, and the names that they have outside."""

    engine: Engine
    relation: Relation = field(repr=False)  # printing it would show rows
    names: tuple[str, ...]
    where: str  # for messages
    weighted: bool = False  # equal rows are there once, and the column n has their number

    @property
    def row_count(self) -> str:
        """SQL for the number of rows of a group."""
        return "CAST(sum(n) AS BIGINT)" if self.weighted else "count(*)"

    def positions(self, names: Sequence[str]) -> tuple[int, ...]:
        """The positions of these columns; TableError if there is no such column."""
        return positions(self.names, names, self.where)

    def types(self) -> tuple[str, ...]:
        """The engine's name for the type of each column."""
        return self.engine.types(self.relation, self.where)[: len(self.names)]

    def query(self, sql: str, lookup: Any = None) -> Rows:
        """The result of a query over ``t``, which has not run yet."""
        log_query(sql)
        return replace(self, relation=self.engine.query(self.relation, sql, self.where, lookup))

    def left_join(self, lookup: Any, added: str, on: str) -> Rows:
        """The rows with more columns from a small Arrow table ``m``; null where it has no row."""
        sql = f"SELECT t.*, {added} FROM t LEFT JOIN _lookalike_lookup m ON {on}"
        return self.query(sql, lookup)

    def fetch(self, sql: str) -> Any:
        """The result of a query over ``t`` as a pyarrow table."""
        return self.engine.fetch(self.query(sql).relation, self.where)

    def fetch_number(self, sql: str) -> int:
        """The whole number that is the result of a query over ``t``; 0 for null."""
        return int(self.fetch(sql).column(0)[0].as_py() or 0)

    def materialize(self, *, firm: bool = False) -> Rows:
        """The same rows, computed once."""
        return replace(self, relation=self.engine.materialize(self.relation, self.where, firm=firm))

    def rename(self, names: Sequence[str], *, weighted: bool = False) -> Rows:
        """The same relation with other names for its columns."""
        return replace(self, names=tuple(names), weighted=weighted)

    def texts(self, names: Sequence[str]) -> list[str]:
        """SQL for each of these columns as text."""
        types = self.types()
        return [self.engine.cells.text(f"c{at}", types[at]) for at in self.positions(names)]

    def keys(self, names: Sequence[str]) -> list[str]:
        """SQL for the value of each of these columns to group by."""
        types = self.types()
        return [self.engine.cells.key(f"c{at}", types[at]) for at in self.positions(names)]


def numbered(cells: Iterable[str]) -> str:
    """SQL for these cells, called c0, c1 …"""
    return ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(cells))


def group_by(keys: int) -> str:
    """Group by the first ``keys`` columns of the query; no rows, no group."""
    by = f" GROUP BY {', '.join(str(i + 1) for i in range(keys))}" if keys else ""
    return f"{by} HAVING count(*) > 0"


def quote_name(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def log_query(sql: str) -> None:
    log.debug("%s", without_literals(sql))


def without_literals(sql: str) -> str:
    """The query as it may be logged."""
    return _LITERAL.sub(lambda match: match[0] if match[0][0] == '"' else "?", sql)
