"""Rows in some SQL engine: a relation whose columns are called c0, c1 … so that no name is SQL.

The queries over them are written once, in SQL that every engine here understands; what an engine
says in its own way stands behind ``Engine``. What we give to a query are small tables, no literals.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from lookalike.tables.column_names import positions

log = logging.getLogger("lookalike")
Relation = Any  # the engine's own: a DuckDB relation, a Spark frame, a SELECT

_LITERAL = re.compile(  # or a name in double quotes, which stays
    r""""(?:[^"]|"")*"|'(?:[^']|'')*'|(?<![\w.])\d+(?:\.\d+)?(?!\w)"""
)


class Engine(Protocol):
    """What an SQL engine does in its own way."""

    TEXT: str  # its type for text

    def ask(self, relation: Relation, sql: str, where: str, given: Any = None) -> Relation:
        """A query over ``t``, the relation, and ``_lookalike_given``, an Arrow table; not run."""
        ...

    def fetch(self, relation: Relation, where: str) -> Any:
        """The answer as a pyarrow table."""
        ...

    def hold(self, relation: Relation, where: str, *, firm: bool) -> Relation:
        """Computed once. If ``firm``, never again: were it lost, reading it would be an error."""
        ...

    def kinds(self, relation: Relation, where: str) -> tuple[str, ...]:
        """Its name for each column's type."""
        ...

    def key(self, column: str, kind: str) -> str:
        """The value to group and join by; Python sees it as int, str, float, date, Decimal, bool …

        NaN is null, -0.0 is 0.0, text is compared byte by byte.
        """
        ...

    def text(self, column: str, kind: str) -> str:
        """The cell as text, the same text on every engine; null stays null."""
        ...

    def released(self, column: str, kind: str) -> str:
        """A quasi-identifier's own value, in one form: NaN as null, -0.0 as 0.0, or rows that count
        as lookalikes could be told apart by it.
        """
        ...

    def order(self, column: str, kind: str) -> str:
        """What to sort by."""
        ...

    def is_list(self, kind: str) -> bool:
        """Does the type itself list values, as an enumeration?"""
        ...

    def is_zoned(self, kind: str) -> bool:
        """Are these moments, which ``key`` gives by the wall clock of UTC?"""
        ...

    def hashed(self, keys: Sequence[str]) -> str:
        """One number or text for several cells, seldom the same for others."""
        ...

    def distinct_estimate(self, keys: Sequence[str]) -> str:
        """How many distinct tuples, at least roughly: an aggregate."""
        ...

    def number(self, text: str) -> str:
        """A text as a number, null if it is none."""
        ...

    def sample(self, relation: Relation, rows: int, of: int, where: str) -> Relation:
        """About so many rows of a held relation, the same at each call."""
        ...

    def previous(self, relation: Relation, shown: Sequence[str], where: str) -> Relation:
        """Each row that is stored after another: what is to be shown of it, c0, c1 …, and of the
        row before it, p0, p1 …
        """
        ...

    def stretch(
        self, relation: Relation, shown: Sequence[str], start: int, rows: int, where: str
    ) -> Any:
        """As many rows from ``start`` on, in the order they are stored: what is to be shown of
        them, c0, c1 …, as a pyarrow table.
        """
        ...

    def fingerprint(self, rows: Rows) -> tuple[int, ...]:
        """As ``Table.fingerprint`` says."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A relation with columns c0, c1 …, and what they are called outside."""

    engine: Engine
    relation: Relation = field(repr=False)  # printing it would show rows
    names: tuple[str, ...]
    where: str  # for messages
    weighted: bool = False  # equal rows stand there once, and the column n says how often

    @property
    def tally(self) -> str:
        """How many rows a group of them is, in SQL."""
        return "CAST(sum(n) AS BIGINT)" if self.weighted else "count(*)"

    def at(self, names: Sequence[str]) -> tuple[int, ...]:
        return positions(self.names, names, self.where)

    def kinds(self) -> tuple[str, ...]:
        """The engine's name for each column's type."""
        return self.engine.kinds(self.relation, self.where)[: len(self.names)]

    def query(self, sql: str, given: Any = None) -> Rows:
        """What a query over ``t`` makes of them; it has not run yet."""
        log.debug("%s", without_literals(sql))
        return replace(self, relation=self.engine.ask(self.relation, sql, self.where, given))

    def fetch(self, sql: str) -> Any:
        """The answer as a pyarrow table."""
        return self.engine.fetch(self.query(sql).relation, self.where)

    def materialize(self, *, firm: bool = False) -> Rows:
        """The same, computed once."""
        return replace(self, relation=self.engine.hold(self.relation, self.where, firm=firm))

    def rename(self, names: Sequence[str], *, weighted: bool = False) -> Rows:
        """The same relation, its columns by other names."""
        return replace(self, names=tuple(names), weighted=weighted)

    def texts(self, names: Sequence[str]) -> list[str]:
        """Each of these columns as text."""
        kinds = self.kinds()
        return [self.engine.text(f"c{at}", kinds[at]) for at in self.at(names)]

    def keys(self, names: Sequence[str]) -> list[str]:
        """The value of each of these columns to group by."""
        kinds = self.kinds()
        return [self.engine.key(f"c{at}", kinds[at]) for at in self.at(names)]


def grouped_by(keys: int) -> str:
    """By the first so many columns of the query, and no group of no rows."""
    by = f" GROUP BY {', '.join(str(i + 1) for i in range(keys))}" if keys else ""
    return f"{by} HAVING count(*) > 0"


def stretch_of(shown: Sequence[str], start: int, rows: int) -> str:
    """Some rows of ``t``; of those before them nothing is shown, so that nothing is computed."""
    cells = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(shown))
    return f"SELECT {cells} FROM (SELECT * FROM t LIMIT {rows} OFFSET {start}) t"


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def without_literals(sql: str) -> str:
    """The query as it may be logged."""
    return _LITERAL.sub(lambda found: found[0] if found[0][0] == '"' else "?", sql)
