"""What every table in an SQL engine does alike: count, choose, recode for the verifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import RemoteCounts
from lookalike.tables.sql import group_counts as counting
from lookalike.tables.sql import row_codes as coding
from lookalike.tables.sql import row_order as ordering
from lookalike.tables.sql import text_recoding
from lookalike.tables.sql.eligible_rows import chosen
from lookalike.tables.sql.relation import Rows
from lookalike.tables.table import Labels, Words


class SqlTable:
    """Verbs over ``content``; a kind of table adds how it is edited, written and handed back."""

    __slots__ = ()
    content: Rows

    def with_content(self, content: Rows, kind: str | None = None) -> Self:
        """Another table of the same place."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        return self.content.where

    @property
    def columns(self) -> tuple[str, ...]:
        return self.content.names

    @property
    def types(self) -> Mapping[str, str]:
        return dict(zip(self.columns, self.content.kinds(), strict=True))

    def rows(self) -> int:
        sql = f"SELECT {self.content.tally} AS n FROM t"
        return int(self.content.fetch(sql).column("n")[0].as_py() or 0)

    def count_groups(self, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
        return counting.count_groups(self.content, names, sensitive)

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        return coding.count_columns(self.content, names)

    def estimate_groups(self, names: Sequence[str]) -> int:
        return coding.estimate_groups(self.content, names)

    def remote_counts(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        return coding.remote_counts(self.content, columns, tables)

    def eligible_rows(self, eligible: Mapping[str, Sequence[str]]) -> Self:
        return self.with_content(chosen(self.content, eligible)) if eligible else self

    def distinct_text(self, names: Sequence[str]) -> Any:
        return counting.distinct_text(self.content, names)

    def count_out_of_order(self) -> list[tuple[int, int | None]]:
        return ordering.count_out_of_order(self.content)

    def fingerprint(self) -> tuple[int, ...]:
        return self.content.engine.fingerprint(self.content)

    def text_codes(self, name: str) -> Mapping[str | None, int]:
        return counting.text_codes(self.content, name)

    def with_labels(self, columns: Sequence[str], labels: Labels) -> Self:
        return self.with_content(text_recoding.with_labels(self.content, columns, labels), "text")

    def masked_counts(self, words: Words, masks: Sequence[Sequence[int]]) -> list[Any]:
        return text_recoding.masked_counts(self.content, words, masks)

    def suppress_rows(self, names: Sequence[str], suppressed: Any, *, star: bool) -> Self:
        kept = text_recoding.suppress_rows(self.content, names, suppressed, star=star)
        return self.with_content(kept, "text")

    def rows_in_small_groups(
        self, words: Words, masks: Sequence[Sequence[int]], size: int, enough: int
    ) -> list[int]:
        return text_recoding.rows_in_small_groups(self.content, words, masks, size)

    def prepare_release(self) -> None:
        """Nothing is done ahead."""

    def free_memory(self) -> None:
        """Nothing is kept here."""
