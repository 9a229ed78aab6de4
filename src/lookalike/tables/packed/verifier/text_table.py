"""A packed table of text for the verifier: the text of each code, and the rows as packed words.

To relabel a column is to give its codes other texts; no row is touched. Rows are counted by DuckDB,
over keys made here; the kernels of the search have no part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP
from lookalike.tables.column_names import positions
from lookalike.tables.engine_progress import Step, report_progress
from lookalike.tables.fingerprint import PRIME, WORDS, numbers
from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.threads import chunks, run_in_threads
from lookalike.tables.packed.verifier.text_columns import (
    CodeSums,
    Luts,
    Text,
    TextColumn,
    TextKeys,
    Whole,
    field_lines,
)
from lookalike.tables.packed.verifier.word_counts import WordCounts
from lookalike.tables.table import Labels, Masks, TextRows
from lookalike.tables.table import Words as TextWords

NO_COUNTS, NO_FLAGS = np.zeros(0, np.int64), np.zeros(0, np.bool_)
MAX_ROWS_AT_ONCE = 1 << 24  # the sums of more rows are counted in parts
PARTS = 4
MAX_JOINED_BITS = 12  # of neighboring columns that are looked up together


@dataclass(frozen=True, slots=True, eq=False)
class TextTable:
    """Rows with a text in every cell; ``counts`` is how often each row occurs, if not once."""

    where: str
    names: tuple[str, ...]
    columns: tuple[TextColumn, ...]
    words: Sequence[Words]
    counts: Whole | None = None
    suppressed: NDArray[np.bool_] | None = None  # rows that do not count

    def rows(self) -> int:
        if self.suppressed is not None:
            stay = ~self.suppressed
            return int(stay.sum() if self.counts is None else self.counts[stay].sum())
        return len(self.words[0]) if self.counts is None else int(self.counts.sum())

    def with_labels(self, columns: Sequence[str], labels: Labels) -> TextTable:
        """As ``Table.with_labels``."""
        labeled = []
        for name in columns:
            column = self._column(name)
            if name in labels:
                texts = tuple(labels[name][text] for text in column.texts)
                column = replace(column, texts=texts)
            labeled.append(column)
        return replace(self, names=tuple(columns), columns=tuple(labeled))

    def distinct_text(self, names: Sequence[str]) -> Any:
        """As ``Table.distinct_text``."""
        if self.suppressed is not None:
            return self._without_suppressed().distinct_text(names)
        keys = TextKeys([self._column(name) for name in names])
        words = [self._sums(luts) for luts in keys.luts]
        counted = WordCounts(self.where, words, self.counts).by_word()
        columns = {f"c{i}": keys.texts_of(counted, i) for i in range(len(names))}
        return pa.table(columns | {"count": counted.column("n")})

    def text_rows(self, names: Sequence[str], start: int = 0, count: int | None = None) -> Any:
        """As ``Table.text_rows``; only the rows wanted are built."""
        rows = self if count is None else self._slice(start, start + count)
        words = rows.words
        if rows.counts is not None:
            words = [np.repeat(word, rows.counts) for word in words]
        columns = {}
        for i, name in enumerate(names):
            column = self._column(name)
            codes = pa.array(column.codes(words, slice(None)))
            columns[f"c{i}"] = pa.array(column.texts, pa.string()).take(codes)
        return pa.table(columns)

    def _slice(self, start: int, stop: int) -> TextTable:
        """The rows from ``start`` up to ``stop``."""
        if self.counts is None:
            return replace(self, words=[word[start:stop] for word in self.words])
        ends = np.cumsum(self.counts)
        repeats = np.clip(np.minimum(ends, stop) - np.maximum(ends - self.counts, start), 0, None)
        some = repeats > 0
        return replace(self, words=[word[some] for word in self.words], counts=repeats[some])

    def masked_counts(self, words: TextWords, masks: Masks) -> list[Any]:
        """As ``Table.masked_counts``."""
        rows = WordCounts(self.where, self._word_sums(words), self.counts)
        return _count_each(masks, rows.masked)

    def rows_in_small_groups(
        self, words: TextWords, masks: Masks, size: int, enough: int
    ) -> list[int]:
        """As ``Table.rows_in_small_groups``."""
        rows = WordCounts(self.where, self._word_sums(words), self.counts)
        parts = PARTS if len(self.words[0]) > MAX_ROWS_AT_ONCE else 1
        count = partial(rows.in_small_groups, size=size, enough=enough, parts=parts)
        return _count_each(masks, count)

    def _word_sums(self, words: TextWords) -> list[Whole]:
        sums = []
        for word in words:
            luts: Luts = []
            for name, number_of in word.items():
                column = self._column(name)
                lut = np.array([number_of[text] for text in column.texts], dtype=np.int64)
                luts.append((column, lut.reshape(-1)))
            largest = sum(int(lut.max(initial=0)) for _, lut in luts)
            sums.append(self._sums(luts, np.int64 if largest > 2**31 - 1 else np.int32))
        return sums

    def suppress_rows(self, names: Sequence[str], suppressed: Any, *, star: bool) -> TextRows:
        """As ``LabeledRows.suppress_rows``."""
        keys = TextKeys([self._column(name) for name in names])
        flags = self._rows_with(keys, [suppressed.column(i) for i in range(len(names))])
        kept = replace(self, suppressed=flags)
        if not star:
            return kept
        columns = tuple(
            replace(column, texts=(TOP,) * len(column.texts)) if name in names else column
            for name, column in zip(self.names, self.columns, strict=True)
        )
        return StarredText(kept, replace(self, suppressed=~flags, columns=columns))

    def _without_suppressed(self) -> TextTable:
        assert self.suppressed is not None
        stay = ~self.suppressed
        counts = None if self.counts is None else self.counts[stay]
        words = [word[stay] for word in self.words]
        return replace(self, words=words, counts=counts, suppressed=None)

    def fingerprint(self, key: str) -> tuple[int, ...]:
        """As ``Table.fingerprint``."""
        from lookalike.tables.packed.verifier.row_kernels import add_products

        fields, cells = self._joined_fields(key)

        def add(rows: slice) -> list[int]:
            sums = np.zeros(WORDS, dtype=np.uint64)
            counts = NO_COUNTS if self.counts is None else self.counts[rows]
            suppressed = NO_FLAGS if self.suppressed is None else self.suppressed[rows]
            add_products(self._block(rows), fields, cells, counts, suppressed, sums)
            return [int(word) for word in sums]

        parts = run_in_threads(add, chunks(len(self.words[0])))
        sums = [sum(of_word) for of_word in zip(*parts, strict=True)]
        return self.rows(), *(sums or [0] * WORDS)

    def digest(self) -> str:
        """As ``Table.digest``."""
        from lookalike.tables.packed.verifier.text_digest import digest_of_text

        rows = self if self.suppressed is None else self._without_suppressed()
        return digest_of_text(rows.names, rows.columns, rows.words, rows.counts)

    def count_out_of_order(self) -> list[tuple[int, int | None]]:
        """As ``Table.count_out_of_order``."""
        from lookalike.tables.packed.verifier.row_kernels import add_falls

        fields = field_lines(self.columns)
        ranks = [_ranks(column) for column in self.columns]
        cells, by_text, by_number = (
            np.concatenate([of_column[i] for of_column in ranks]) if ranks else NO_COUNTS
            for i in range(3)
        )

        def count(rows: slice) -> Whole:
            falls = np.zeros((len(self.columns), 2), dtype=np.int64)
            first = max(0, rows.start - 1)  # with the last row of the chunk before
            block = self._block(slice(first, rows.stop))
            add_falls(block, fields, cells, by_text, by_number, falls)
            return falls

        falls = np.zeros((len(self.columns), 2), np.int64)
        falls = sum(run_in_threads(count, chunks(len(self.words[0]))), falls)
        return [
            (int(text), int(number) if self._all_numbers(column) else None)
            for (text, number), column in zip(falls.tolist(), self.columns, strict=True)
        ]

    def _column(self, name: str) -> TextColumn:
        return self.columns[positions(self.names, [name], self.where)[0]]

    def _block(self, rows: slice) -> Words:
        if len(self.words) == 1:
            return self.words[0][rows][None, :]
        return np.stack([word[rows] for word in self.words])

    def _joined_fields(self, key: str) -> tuple[Words, NDArray[np.uint64]]:
        """Fields as the kernels take them, and the numbers of their cells.

        Small neighboring columns are one field, whose numbers are the products.
        """
        lines: list[list[int]] = []
        parts: list[NDArray[np.uint64]] = []
        for i, column in enumerate(self.columns):
            cells = np.zeros((1 << column.bits, WORDS), dtype=np.uint64)
            cells[: len(column.texts)] = _cell_numbers(key, i, column.texts)
            bits = lines[-1][2].bit_length() if lines else MAX_JOINED_BITS
            above = lines and lines[-1][:2] == [column.word, column.shift + column.bits]
            if above and bits + column.bits <= MAX_JOINED_BITS:
                joined = parts[-1][:, None, :] * cells[None, :, :] % np.uint64(PRIME)
                parts[-1] = joined.reshape(-1, WORDS)
                lines[-1][1:] = [column.shift, (1 << (bits + column.bits)) - 1]
            else:
                lines.append([column.word, column.shift, (1 << column.bits) - 1])
                parts.append(cells)
        begins = np.cumsum([0, *map(len, parts)])[:-1].tolist()
        fields = [[*line, begin] for line, begin in zip(lines, begins, strict=True)]
        cells = np.concatenate(parts) if parts else np.zeros((0, WORDS), np.uint64)
        return np.array(fields, dtype=np.uint64).reshape(-1, 4), cells

    def _sums(self, luts: Luts, kind: Any = np.int64) -> Any:
        """For each row, the sum of the numbers of its codes."""
        sums = np.empty(len(self.words[0]), dtype=kind)
        code_sums = CodeSums(luts)

        def fill(rows: slice) -> None:
            sums[rows] = code_sums.of_block(self._block(rows))

        run_in_threads(fill, chunks(len(self.words[0])))
        return sums

    def _rows_with(self, keys: TextKeys, texts: Sequence[Any]) -> NDArray[np.bool_]:
        """Which rows have one of the tuples of texts, given column by column."""
        flags = np.zeros(len(self.words[0]), dtype=np.bool_)
        wanted = keys.of_texts(texts)
        tuples = set(zip(*(w.tolist() for w in wanted), strict=True)) if len(wanted) > 1 else set()
        ordered = np.sort(wanted[0])
        maybe = np.zeros(1 << 24, dtype=np.bool_)  # 24 bits of a hash exclude most rows
        maybe[_hash(wanted[0])] = True
        sums = [CodeSums(luts) for luts in keys.luts]

        def look(rows: slice) -> None:
            words = [word.of_block(self._block(rows)) for word in sums]
            at = np.flatnonzero(maybe[_hash(words[0])])
            if len(words) == 1:
                place = np.minimum(np.searchsorted(ordered, words[0][at]), len(ordered) - 1)
                flags[rows][at] = ordered[place] == words[0][at]
            else:
                candidates = zip(*(word[at].tolist() for word in words), strict=True)
                flags[rows][at] = np.fromiter((key in tuples for key in candidates), bool, len(at))

        run_in_threads(look, chunks(len(self.words[0])))
        return flags

    def _all_numbers(self, column: TextColumn) -> bool:
        """Is the text of every row a number?"""
        texts = enumerate(column.texts)
        others = [i for i, text in texts if text is not None and _as_number(text) is None]
        if not others:
            return True
        not_number = np.zeros(1 << column.bits, dtype=np.bool_)
        not_number[others] = True

        def has_other(rows: slice) -> bool:
            return bool(not_number[column.codes(self.words, rows)].any())

        return not any(run_in_threads(has_other, chunks(len(self.words[0]))))


@dataclass(frozen=True, slots=True, eq=False)
class StarredText:
    """Rows that are kept, and suppressed rows with stars, as one table."""

    kept: TextTable
    starred: TextTable

    def rows(self) -> int:
        return self.kept.rows() + self.starred.rows()

    def fingerprint(self, key: str) -> tuple[int, ...]:
        both = zip(self.kept.fingerprint(key), self.starred.fingerprint(key), strict=True)
        return tuple(a + b for a, b in both)

    def distinct_text(self, names: Sequence[str]) -> Any:
        both = [part.distinct_text(names) for part in (self.kept, self.starred)]
        columns = [f"c{i}" for i in range(len(names))]
        whole = pa.concat_tables(both).group_by(columns).aggregate([("count", "sum")])
        return whole.rename_columns([*columns, "count"])


def _count_each(masks: Masks, count: Callable[[Sequence[int]], Any]) -> list[Any]:
    """The count for each list of masks; reports how many are done."""
    counts = []
    with report_progress(Step("counting", len(masks))) as step:
        for of_words in masks:
            counts.append(count(of_words))
            step.add(1)
    return counts


def _cell_numbers(key: str, place: int, texts: Sequence[Text]) -> Whole:
    """(texts, words): the numbers of each; many texts may be the same."""
    distinct = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    return numbers(key, place, distinct)[[distinct[text] for text in texts]]


def _ranks(column: TextColumn) -> tuple[Whole, Whole, Whole]:
    """For each code: a number of its text, its rank by bytes, and its rank by value; null last."""
    unused = [None] * ((1 << column.bits) - len(column.texts))
    texts = pa.array([*column.texts, *unused], pa.string())
    distinct = pc.dictionary_encode(texts, null_encoding="encode")
    cells = distinct.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    values = [_as_number(text) for text in distinct.dictionary.to_pylist()]
    by_value = _rank(pa.array(values, pa.float64()))
    return cells, _rank(distinct.dictionary)[cells], by_value[cells]


def _rank(distinct: Any) -> Whole:
    """The dense rank of each, null last."""
    ranks: Whole = pc.rank(distinct, sort_keys="ascending", tiebreaker="dense").to_numpy()
    return ranks.astype(np.int64)


def _as_number(text: Text) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _hash(keys: Whole) -> NDArray[np.uint64]:
    return (keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
