"""Count rows of words in DuckDB, for the verifier: the kernels of the search have no part in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lookalike.tables.duckdb.engine import DUCKDB
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import connection
from lookalike.tables.files.scratch_folder import ScratchFolder
from lookalike.tables.packed.verifier.text_columns import Whole
from lookalike.tables.sql.relation import Rows, group_by


class WordCounts:
    """Rows of words w0, w1 … in DuckDB; ``counts`` is how often each row occurs, if not once."""

    def __init__(self, where: str, words: Sequence[Whole], counts: Whole | None) -> None:
        self.words, self.scratch = len(words), ScratchFolder()
        columns = {f"w{i}": word for i, word in enumerate(words)}
        if counts is not None:
            columns["n"] = counts
        with translate_errors(where):
            relation = connection(str(self.scratch.folder), share=4).from_arrow(pa.table(columns))
        self.rows = Rows(DUCKDB, relation, (), where, weighted=counts is not None)

    def by_word(self) -> Any:
        """The distinct rows, and how many rows each is, n."""
        return self.rows.fetch(self._group(", ".join(f"w{i}" for i in range(self.words))))

    def masked(self, masks: Sequence[int]) -> Any:
        """The distinct masked rows, and how many rows each is, n."""
        return self.rows.fetch(self._group(_masked(masks)))

    def in_small_groups(self, masks: Sequence[int], size: int, enough: int, parts: int) -> int:
        """The rows whose masked words fewer than ``size`` rows have.

        Counted in parts divided by a hash, one after the other, until there are ``enough``.
        """
        hashed = ", ".join(f"w{i} & {mask}" for i, mask in enumerate(masks))
        total = 0
        for part in range(parts):
            where = f" WHERE hash({hashed}) % {parts} = {part}" if parts > 1 else ""
            groups = self._group(_masked(masks), where)
            total += self.rows.fetch_number(f"SELECT sum(n) FROM ({groups}) WHERE n < {size}")
            if total > enough:
                break
        return total

    def _group(self, keys: str, where: str = "") -> str:
        return f"SELECT {keys}, {self.rows.row_count} AS n FROM t{where}{group_by(self.words)}"


def _masked(masks: Sequence[int]) -> str:
    return ", ".join(f"w{i} & {mask} AS w{i}" for i, mask in enumerate(masks))
