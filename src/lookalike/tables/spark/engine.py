"""Spark as the engine: a relation is a frame, what is held is cached by the executors.

Small tables of labels go in as frames that are broadcast; the caller's session is left as it was.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa
from pyspark.sql import functions as f

from lookalike.tables.spark import cells
from lookalike.tables.spark.error_messages import translate_errors
from lookalike.tables.sql import fingerprint_query as sql_sums
from lookalike.tables.sql.relation import Rows, stretch_of

GIVEN = "_lookalike_given"
BROADCAST = 1 << 20  # rows of a table of labels


class Frame:
    """A frame, and in which order its rows are stored: stretch by stretch, and within one."""

    __slots__ = ("__weakref__", "data", "stretch", "within")

    def __init__(
        self,
        data: Any,
        stretch: str = "spark_partition_id()",
        within: str = "monotonically_increasing_id()",
    ) -> None:
        self.data, self.stretch, self.within = data, stretch, within


class Spark:
    """As ``Engine`` says; one for each session."""

    TEXT = cells.TEXT
    key = staticmethod(cells.key)
    text = staticmethod(cells.text)
    released = staticmethod(cells.released)
    order = staticmethod(cells.order)

    def __init__(self, session: Any) -> None:
        self.session = session
        self._has_floats = False

    def ask(self, relation: Frame, sql: str, where: str, given: Any = None) -> Frame:
        self._teach_floats(sql)
        named = {"rows": relation.data}
        with translate_errors(where):
            if given is not None:
                small = self.frame(given)
                named["given"] = f.broadcast(small) if given.num_rows < BROADCAST else small
                sql = sql.replace(GIVEN, "{given}")
            return Frame(self.session.sql("WITH t AS (SELECT * FROM {rows}) " + sql, **named))

    def fetch(self, relation: Frame, where: str) -> Any:
        with translate_errors(where):
            return relation.data.toArrow()

    def hold(self, relation: Frame, where: str, *, firm: bool) -> Frame:
        with translate_errors(where):
            if firm:  # what a lost worker held is not made again from a table that may have changed
                return Frame(relation.data.localCheckpoint(eager=True))
            held = Frame(relation.data.persist())
            weakref.finalize(held, _let_go, held.data)
            return held

    def kinds(self, relation: Frame, where: str) -> tuple[str, ...]:
        with translate_errors(where):
            return tuple(kind for _, kind in relation.data.dtypes)

    def is_list(self, kind: str) -> bool:
        return False

    def is_zoned(self, kind: str) -> bool:
        return kind == cells.ZONED

    def hashed(self, keys: Sequence[str]) -> str:
        return f"xxhash64({', '.join(keys)})"

    def distinct_estimate(self, keys: Sequence[str]) -> str:
        return f"approx_count_distinct({self.hashed(keys)})"

    def number(self, text: str) -> str:
        return f"try_cast({text} AS DOUBLE)"

    def sample(self, relation: Frame, rows: int, of: int, where: str) -> Frame:
        return Frame(relation.data.sample(min(1.0, rows / max(1, of)), seed=1))

    def previous(self, relation: Frame, shown: Sequence[str], where: str) -> Frame:
        """Pairs within a stretch, and the last of a stretch with the first of the next."""
        width = range(len(shown))
        listed = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(shown))
        stored = f"SELECT {listed}, {relation.stretch} AS g, {relation.within} AS o FROM t"
        rows = self.hold(self.ask(relation, stored, where), where, firm=False)
        columns = ", ".join(f"c{i}" for i in width)
        before = ", ".join(f"lag(c{i}) OVER w AS p{i}" for i in width)
        inside = (
            f"SELECT {columns}, {before}, lag(1) OVER w AS later FROM t "
            "WINDOW w AS (PARTITION BY g ORDER BY o)"
        )
        ends = (
            f"SELECT g, min_by(struct({columns}), o) AS a, max_by(struct({columns}), o) AS z "
            "FROM t GROUP BY g"
        )
        firsts = ", ".join(f"a.c{i} AS c{i}" for i in width)
        lasts = ", ".join(f"lag(z.c{i}) OVER (ORDER BY g) AS p{i}" for i in width)
        between = f"SELECT {firsts}, {lasts}, lag(1) OVER (ORDER BY g) AS later FROM ({ends})"
        pairs = self.ask(rows, f"SELECT * FROM (({inside}) UNION ALL ({between})) WHERE later = 1",
                         where)  # fmt: skip
        pairs.data._lookalike_kept = rows  # cached until the pairs are gone
        return pairs

    def stretch(
        self, relation: Frame, shown: Sequence[str], start: int, rows: int, where: str
    ) -> Any:
        """In the order of the partitions, which Spark takes one after another for a limit."""
        return self.fetch(self.ask(relation, stretch_of(shown, start, rows), where), where)

    def fingerprint(self, rows: Rows) -> tuple[int, ...]:
        return sql_sums.fingerprint(rows, "CAST(conv({0}, 16, 10) AS BIGINT)", "BIGINT")

    def frame(self, table: Any) -> Any:
        """A small Arrow table as a frame."""
        return self.session.createDataFrame(_plain(table))

    def _teach_floats(self, sql: str) -> None:
        if cells.FLOAT_TEXT in sql and not self._has_floats:
            self.session.udf.register(f"{cells.FLOAT_TEXT}D", cells.double_text, "string")
            self.session.udf.register(f"{cells.FLOAT_TEXT}F", cells.float_text, "string")
            self._has_floats = True


def _plain(table: Any) -> Any:
    """Dictionaries as what they stand for."""
    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(i, field.name, table.column(i).cast(field.type.value_type))
    return table


def _let_go(data: Any) -> None:
    with suppress(Exception):  # the session may be gone, and then so is what it held
        data.unpersist()
