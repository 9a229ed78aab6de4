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
from lookalike.tables.sql import text_recoding as relabelled
from lookalike.tables.sql.eligible_rows import chosen
from lookalike.tables.sql.relation import Rows
from lookalike.tables.sql.text_recoding import Labels, Words


class SqlTable:
    """Verbs over ``content``; a kind of table adds how it is edited, written and handed back."""

    __slots__ = ()
    content: Rows

    def also(self, content: Rows, kind: str | None = None) -> Self:
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

    def about(self, names: Sequence[str]) -> int:
        return coding.about(self.content, names)

    def coded(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        return coding.coded(self.content, columns, tables)

    def only(self, eligible: Mapping[str, Sequence[str]]) -> Self:
        return self.also(chosen(self.content, eligible)) if eligible else self

    def distinct_text(self, names: Sequence[str]) -> Any:
        return counting.distinct_text(self.content, names)

    def out_of_order(self) -> list[tuple[int, int | None]]:
        return ordering.out_of_order(self.content)

    def fingerprint(self) -> tuple[int, ...]:
        return self.content.engine.fingerprint(self.content)

    def texts(self, name: str) -> Mapping[str | None, int]:
        return counting.texts(self.content, name)

    def relabelled(self, columns: Sequence[str], labels: Labels) -> Self:
        return self.also(relabelled.relabelled(self.content, columns, labels), "text")

    def masked_counts(self, words: Words, masks: Sequence[Sequence[int]]) -> list[Any]:
        return relabelled.masked_counts(self.content, words, masks)

    def without(self, names: Sequence[str], gone: Any, *, star: bool) -> Self:
        return self.also(relabelled.without(self.content, names, gone, star=star), "text")

    def masked_alone(
        self, words: Words, masks: Sequence[Sequence[int]], fewer: int, enough: int
    ) -> list[int]:
        return relabelled.masked_alone(self.content, words, masks, fewer)

    def expect_release(self) -> None:
        """Nothing is done ahead."""

    def forget(self) -> None:
        """Nothing is kept here."""
