"""What all tables in an SQL engine share: counting, choosing rows, text for the verifier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import RemoteCounts
from lookalike.tables.files.file_writing import write_batches
from lookalike.tables.row_digest import digest_by_query
from lookalike.tables.sql import group_counts, row_codes, row_order, text_recoding
from lookalike.tables.sql.relation import Rows
from lookalike.tables.sql.row_recoding import recode_rows
from lookalike.tables.table import Edit, Labels, Masks, Words


class SqlTable:
    """A table over ``content``; a subclass adds how it is handed back, and what it does faster."""

    __slots__ = ()
    content: Rows

    def select(self, names: Sequence[str]) -> Rows:
        """The rows with at least these columns."""
        return self.content

    def with_content(self, content: Rows, kind: str | None = None) -> Any:
        """A table of other rows in the same place."""
        raise NotImplementedError

    @property
    def engine(self) -> Any:
        return self.content.engine

    @property
    def name(self) -> str:
        return self.content.where

    @property
    def columns(self) -> tuple[str, ...]:
        return self.content.names

    @property
    def types(self) -> Mapping[str, str]:
        return dict(zip(self.columns, self.content.types(), strict=True))

    def rows(self) -> int:
        return self.content.fetch_number(f"SELECT {self.content.row_count} FROM t")

    def count_groups(self, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
        return group_counts.count_groups(self.select([*names, *sensitive]), names, sensitive)

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        return row_codes.count_columns(self.select(names), names)

    def estimate_groups(self, names: Sequence[str]) -> int:
        return row_codes.estimate_groups(self.select(names), names)

    def sample_groups(self, names: Sequence[str], parts: int) -> FrequencySet:
        return group_counts.sample_groups(self.select(names), names, parts)

    def remote_counts(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        return row_codes.remote_counts(self.select(columns.names), columns, tables)

    def eligible_rows(self, eligible: Mapping[str, Sequence[str]]) -> Any:
        return self.with_content(choose_eligible(self.content, eligible)) if eligible else self

    def distinct_text(self, names: Sequence[str]) -> Any:
        return group_counts.distinct_text(self.select(names), names)

    def text_rows(self, names: Sequence[str], start: int = 0, count: int | None = None) -> Any:
        return group_counts.text_rows(self.select(names), names, start, count)

    def count_out_of_order(self) -> list[tuple[int, int | None]]:
        return row_order.count_out_of_order(self.select(self.columns))

    def fingerprint(self, key: str) -> tuple[int, ...]:
        rows = self.select(self.columns)
        return rows.engine.fingerprint(rows, key)

    def digest(self) -> str:
        return digest_by_query(self.select(self.columns))

    def text_codes(self, name: str) -> Mapping[str | None, int]:
        return group_counts.text_codes(self.select([name]), name)

    def with_labels(self, columns: Sequence[str], labels: Labels) -> Any:
        labeled = text_recoding.with_labels(self.select(columns), columns, labels)
        return self.with_content(labeled, "text")

    def suppress_rows(self, names: Sequence[str], suppressed: Any, *, star: bool) -> Any:
        kept = text_recoding.suppress_rows(self.content, names, suppressed, star=star)
        return self.with_content(kept, "text")

    def masked_counts(self, words: Words, masks: Masks) -> list[Any]:
        return text_recoding.masked_counts(self._select_words(words), words, masks)

    def rows_in_small_groups(self, words: Words, masks: Masks, size: int, enough: int) -> list[int]:
        return text_recoding.rows_in_small_groups(self._select_words(words), words, masks, size)

    def _select_words(self, words: Words) -> Rows:
        return self.select([name for word in words for name in word])

    def edit(self, edit: Edit) -> Any:
        return self.with_content(recode_rows(self.content, edit))

    def batches(self) -> Iterator[Any]:
        raise NotImplementedError

    def write(self, path: Path) -> None:
        write_batches(self.batches(), self.name, path)

    def prepare_release(self) -> None:
        """Nothing to prepare."""

    def free_memory(self) -> None:
        """Nothing is kept in memory."""


def choose_eligible(rows: Rows, eligible: Mapping[str, Sequence[str]]) -> Rows:
    """The rows that are eligible in every column listed; a null never is."""
    for name, values in eligible.items():
        [text] = rows.texts([name])
        sql = f"SELECT * FROM t WHERE {text} IN (SELECT v FROM _lookalike_lookup)"
        rows = rows.query(sql, pa.table({"v": pa.array(list(values), pa.string())}))
    return rows
