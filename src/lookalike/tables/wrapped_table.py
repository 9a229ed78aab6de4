"""A table that holds another one and passes on to it what it does not do itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import RemoteCounts
from lookalike.tables.table import Edit, Labels, Table, Words


class WrappedTable:
    """Passes every method on to ``inner``; a subclass overrides what it does itself."""

    __slots__ = ()

    @property
    def inner(self) -> Table:
        raise NotImplementedError

    @property
    def text_source(self) -> Any:
        """What answers the verifier's questions about text."""
        return self.inner

    @property
    def columns(self) -> tuple[str, ...]:
        return self.inner.columns

    @property
    def types(self) -> Mapping[str, str]:
        return self.inner.types

    def rows(self) -> int:
        return self.inner.rows()

    def count_groups(self, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
        return self.inner.count_groups(names, sensitive)

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        return self.inner.count_columns(names)

    def estimate_groups(self, names: Sequence[str]) -> int:
        return self.inner.estimate_groups(names)

    def remote_counts(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        return self.inner.remote_counts(columns, tables)

    def eligible_rows(self, eligible: Mapping[str, Sequence[str]]) -> Any:
        return self.inner.eligible_rows(eligible) if eligible else self

    def distinct_text(self, names: Sequence[str]) -> Any:
        return self.text_source.distinct_text(names)

    def text_rows(self, names: Sequence[str], start: int = 0, count: int | None = None) -> Any:
        return self.inner.text_rows(names, start, count)

    def count_out_of_order(self) -> Any:
        return self.text_source.count_out_of_order()

    def fingerprint(self) -> Any:
        return self.text_source.fingerprint()

    def text_codes(self, name: str) -> Mapping[str | None, int]:
        return self.inner.text_codes(name)

    def with_labels(self, columns: Sequence[str], labels: Labels) -> Any:
        return self.text_source.with_labels(columns, labels)

    def masked_counts(self, words: Words, masks: Sequence[Sequence[int]]) -> Any:
        return self.text_source.masked_counts(words, masks)

    def rows_in_small_groups(
        self, words: Words, masks: Sequence[Sequence[int]], size: int, enough: int
    ) -> Any:
        return self.text_source.rows_in_small_groups(words, masks, size, enough)

    def prepare_release(self) -> None:
        self.inner.prepare_release()

    def free_memory(self) -> None:
        self.inner.free_memory()

    def edit(self, edit: Edit) -> Table:
        return self.inner.edit(edit)

    def write(self, path: Path) -> None:
        self.inner.write(path)

    def batches(self) -> Iterator[Any]:
        return self.inner.batches()

    def native(self) -> Any:
        return self.inner.native()
