"""Spark as an engine: a relation is a frame; materialized frames are cached by the executors.

Small tables of labels are broadcast; the caller's session is left as it was.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import functions as f

from lookalike.tables.arrow_types import without_dictionaries
from lookalike.tables.fingerprint import fingerprint_by_query
from lookalike.tables.spark import cells as spark_cells
from lookalike.tables.spark.error_messages import translate_errors
from lookalike.tables.sql.relation import Cells, Engine, Rows, numbered

LOOKUP = "_lookalike_lookup"
MAX_BROADCAST_ROWS = 1 << 20


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Frame:
    """A frame, and the order in which its rows are stored: by part, and within a part."""

    data: Any = field(repr=False)
    part: str = "spark_partition_id()"
    within: str = "monotonically_increasing_id()"


class Spark(Engine):
    """See ``Engine``; one for each session."""

    cells: Cells = spark_cells

    def __init__(self, session: Any) -> None:
        self.session = session
        self._has_float_text = False

    def query(self, relation: Frame, sql: str, where: str, lookup: Any = None) -> Frame:
        self._register_float_text(sql)
        named = {"rows": relation.data}
        with translate_errors(where):
            if lookup is not None:
                frame = self.frame(lookup)
                small = lookup.num_rows < MAX_BROADCAST_ROWS
                named["lookup"] = f.broadcast(frame) if small else frame
                sql = sql.replace(LOOKUP, "{lookup}")
            return Frame(self.session.sql("WITH t AS (SELECT * FROM {rows}) " + sql, **named))

    def fetch(self, relation: Frame, where: str) -> Any:
        with translate_errors(where):
            return relation.data.toArrow()

    def materialize(self, relation: Frame, where: str, *, firm: bool) -> Frame:
        with translate_errors(where):
            if firm:  # rows of a lost worker must not be read again: the table may have changed
                return Frame(relation.data.localCheckpoint(eager=True))
            cached = Frame(relation.data.persist())
            weakref.finalize(cached, _unpersist, cached.data)
            return cached

    def types(self, relation: Frame, where: str) -> tuple[str, ...]:
        with translate_errors(where):
            return tuple(kind for _, kind in relation.data.dtypes)

    def sample(self, relation: Frame, rows: int, total: int, where: str) -> Frame:
        return Frame(relation.data.sample(min(1.0, rows / max(1, total)), seed=1))

    def consecutive_rows(self, relation: Frame, shown: Sequence[str], where: str) -> Frame:
        """Pairs within a part, and the last row of a part with the first of the next."""
        width = range(len(shown))
        stored = f"SELECT {numbered(shown)}, {relation.part} AS g, {relation.within} AS o FROM t"
        rows = self.materialize(self.query(relation, stored, where), where, firm=False)
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
        firsts = numbered(f"a.c{i}" for i in width)
        lasts = ", ".join(f"lag(z.c{i}) OVER (ORDER BY g) AS p{i}" for i in width)
        between = f"SELECT {firsts}, {lasts}, lag(1) OVER (ORDER BY g) AS later FROM ({ends})"
        both = f"SELECT * FROM (({inside}) UNION ALL ({between})) WHERE later = 1"
        pairs = self.query(rows, both, where)
        pairs.data._lookalike_kept = rows  # stays cached as long as the pairs
        return pairs

    def fingerprint(self, rows: Rows, key: str) -> tuple[int, ...]:
        return fingerprint_by_query(rows, key, "CAST(conv({0}, 16, 10) AS BIGINT)", "BIGINT")

    def frame(self, table: Any) -> Any:
        """A small Arrow table as a frame."""
        return self.session.createDataFrame(without_dictionaries(table))

    def _register_float_text(self, sql: str) -> None:
        if spark_cells.FLOAT_TEXT in sql and not self._has_float_text:
            register = self.session.udf.register
            register(f"{spark_cells.FLOAT_TEXT}D", spark_cells.double_text, "string")
            register(f"{spark_cells.FLOAT_TEXT}F", spark_cells.float_text, "string")
            self._has_float_text = True


def _unpersist(data: Any) -> None:
    with suppress(Exception):  # the session may have ended, and its cache with it
        data.unpersist()
