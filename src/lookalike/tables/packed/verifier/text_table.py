"""A table of text held as codes, for the verifier: what each code reads as, and the rows packed.

To relabel it is to give its codes other texts; no row is touched. Rows are counted by DuckDB, over
the keys made here; the kernels of the search have no part in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP
from lookalike.tables.column_names import positions
from lookalike.tables.duckdb.engine import DUCKDB
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import connection
from lookalike.tables.engine_progress import told
from lookalike.tables.files.scratch_folder import ScratchFolder
from lookalike.tables.fingerprint import PRIME, WORDS, numbers
from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.threads import CHUNK, each

Text = str | None
Whole = NDArray[np.int64]
KEY = 62  # bits of a key
NOTHING, NOBODY = np.zeros(0, np.int64), np.zeros(0, np.bool_)
PARTS, MANY = 4, 1 << 24  # rows beyond which sums are counted in parts
JOINED = 12  # bits of columns that are looked up together


@dataclass(frozen=True, slots=True)
class Column:
    """Where a column's codes are, and what each of them reads as."""

    word: int
    shift: int
    bits: int
    texts: tuple[Text, ...]

    def codes(self, words: Sequence[Words], rows: slice) -> NDArray[np.int64]:
        found = (words[self.word][rows] >> np.uint64(self.shift)) & np.uint64((1 << self.bits) - 1)
        return found.astype(np.int64)


Luts = list[tuple[Column, Whole]]  # of some columns what each code stands for


@dataclass(frozen=True, slots=True, eq=False)
class CodedText:
    """Rows with a text in every cell; ``times`` says how often each is there, if not once."""

    where: str
    names: tuple[str, ...]
    columns: tuple[Column, ...]
    words: Sequence[Words]
    times: Whole | None = None
    gone: NDArray[np.bool_] | None = None  # rows that are not to be counted

    def rows(self) -> int:
        if self.gone is not None:
            stay = ~self.gone
            return int(stay.sum() if self.times is None else self.times[stay].sum())
        return len(self.words[0]) if self.times is None else int(self.times.sum())

    def with_labels(
        self, columns: Sequence[str], labels: Mapping[str, Mapping[Text, Text]]
    ) -> CodedText:
        """As ``Table.with_labels`` says."""
        found = []
        for name in columns:
            column = self._of(name)
            if name in labels:
                column = replace(column, texts=tuple(labels[name][t] for t in column.texts))
            found.append(column)
        return replace(self, names=tuple(columns), columns=tuple(found))

    def distinct_text(self, names: Sequence[str]) -> Any:
        """As ``Table.distinct_text`` says."""
        if self.gone is not None:
            return self._there().distinct_text(names)
        keys = _Keys([self._of(name) for name in names])
        found = self._counted(keys)
        table = {
            f"c{i}": pa.array(keys.known[i], pa.string()).take(pa.array(keys.numbers(found, i)))
            for i in range(len(names))
        }
        return pa.table(table | {"count": found.column("n")})

    def text_rows(self, names: Sequence[str]) -> Any:
        """As ``Table.text_rows`` says."""
        whole = slice(None)
        at = (
            None
            if self.times is None
            else pa.array(np.repeat(np.arange(len(self.times)), self.times))
        )
        columns = {}
        for i, name in enumerate(names):
            column = self._of(name)
            texts = pa.array(column.texts, pa.string())
            shown = texts.take(pa.array(column.codes(self.words, whole)))
            columns[f"c{i}"] = shown if at is None else shown.take(pa.array(at))
        return pa.table(columns)

    def stretch(self, names: Sequence[str], start: int, rows: int) -> Any:
        """So many of the rows of ``text_rows``, and only they are made."""
        first, last = start, start + rows
        times = None
        if self.times is not None:
            ends = np.cumsum(self.times)
            first = int(np.searchsorted(ends, start, side="right"))
            last = int(np.searchsorted(ends, start + rows, side="left")) + 1
            before = int(ends[first - 1]) if first else 0
            times, start = self.times[first:last], start - before
        words = [word[first:last] for word in self.words]
        few = replace(self, words=words, times=times).text_rows(names)
        return few if times is None else few.slice(start, rows)

    def masked_counts(
        self, words: Sequence[Mapping[str, Mapping[Text, int]]], masks: Sequence[Sequence[int]]
    ) -> list[Any]:
        """As ``Table.masked_counts`` says."""
        rows = self._counting(self._words(words))
        return told("counting", masks, lambda of_word: rows.grouped(_masked(of_word)))

    def rows_in_small_groups(
        self,
        words: Sequence[Mapping[str, Mapping[Text, int]]],
        masks: Sequence[Sequence[int]],
        size: int,
        enough: int,
    ) -> list[int]:
        """As ``Table.rows_in_small_groups`` says; large tables are counted in parts by a hash."""
        rows = self._counting(self._words(words))
        parts = PARTS if len(self.words[0]) > MANY else 1
        return told("counting", masks, lambda mask: rows.alone(mask, size, enough, parts))

    def _words(self, words: Sequence[Mapping[str, Mapping[Text, int]]]) -> list[Whole]:
        held = []
        for word in words:
            luts: Luts = []
            for name, of_text in word.items():
                column = self._of(name)
                lut = np.array([of_text[text] for text in column.texts], dtype=np.int64)
                luts.append((column, lut.reshape(-1)))
            most = sum(int(lut.max(initial=0)) for _, lut in luts)
            held.append(self._summed(luts, np.int64 if most > 2**31 - 1 else np.int32))
        return held

    def suppress_rows(
        self, names: Sequence[str], suppressed: Any, *, star: bool
    ) -> CodedText | Starred:
        """As ``LabeledRows.suppress_rows`` says."""
        keys = _Keys([self._of(name) for name in names])
        asked = keys.of_texts([suppressed.column(i) for i in range(len(names))])
        flags = self._among(keys, asked)
        kept = replace(self, gone=flags)
        if not star:
            return kept
        columns = tuple(
            replace(column, texts=(TOP,) * len(column.texts)) if name in names else column
            for name, column in zip(self.names, self.columns, strict=True)
        )
        return Starred(kept, replace(self, gone=~flags, columns=columns))

    def _there(self) -> CodedText:
        """The same without the rows that are gone, in memory of its own."""
        if self.gone is None:
            return self
        stay = ~self.gone
        times = None if self.times is None else self.times[stay]
        return replace(self, words=[word[stay] for word in self.words], times=times, gone=None)

    def fingerprint(self) -> tuple[int, ...]:
        """As ``Table.fingerprint`` says."""
        from lookalike.tables.packed.verifier.row_kernels import add_products

        fields, cells = self._joined_fields()

        def added(rows: slice) -> list[int]:
            sums = np.zeros(WORDS, dtype=np.uint64)
            times = NOTHING if self.times is None else self.times[rows]
            gone = NOBODY if self.gone is None else self.gone[rows]
            add_products(self._block(rows), fields, cells, times, gone, sums)
            return [int(one) for one in sums]

        sums = [sum(of) for of in zip(*each(added, self._stretches()), strict=True)]
        return self.rows(), *(sums or [0] * WORDS)

    def count_out_of_order(self) -> list[tuple[int, int | None]]:
        """As ``Table.count_out_of_order`` says."""
        from lookalike.tables.packed.verifier.row_kernels import add_falls

        fields = _lines(self.columns)
        ranks = [_ranks(_padded(column.texts, column.bits)) for column in self.columns]
        cells, by_text, by_number = (
            np.concatenate([one[i] for one in ranks]) if ranks else np.zeros(0, np.int64)
            for i in range(3)
        )

        def counted(rows: slice) -> Whole:
            falls = np.zeros((len(self.columns), 2), dtype=np.int64)
            first = max(0, rows.start - 1)  # with the last row of the stretch before
            block = self._block(slice(first, rows.stop))
            add_falls(block, fields, cells, by_text, by_number, falls)
            return falls

        found = sum(each(counted, self._stretches()), np.zeros((len(self.columns), 2), np.int64))
        used = [self._all_numbers(column) for column in self.columns]
        return [
            (int(text), int(number) if by else None)
            for (text, number), by in zip(found.tolist(), used, strict=True)
        ]

    def _of(self, name: str) -> Column:
        return self.columns[positions(self.names, [name], self.where)[0]]

    def _stretches(self) -> list[slice]:
        rows = len(self.words[0])
        return [slice(start, min(rows, start + CHUNK)) for start in range(0, rows, CHUNK)]

    def _block(self, rows: slice) -> Words:
        if len(self.words) == 1:
            return self.words[0][rows][None, :]
        return np.stack([word[rows] for word in self.words])

    def _joined_fields(self) -> tuple[Words, NDArray[np.uint64]]:
        """As ``_fields``, small neighbours as one; and the numbers of cells, or their products."""
        lines: list[list[int]] = []
        parts: list[NDArray[np.uint64]] = []
        for i, column in enumerate(self.columns):
            cells = np.zeros((1 << column.bits, WORDS), dtype=np.uint64)
            cells[: len(column.texts)] = _numbers(i, column.texts)
            bits = lines[-1][2].bit_length() if lines else JOINED
            above = lines and lines[-1][:2] == [column.word, column.shift + column.bits]
            if above and bits + column.bits <= JOINED:
                joined = parts[-1][:, None, :] * cells[None, :, :] % np.uint64(PRIME)
                parts[-1] = joined.reshape(-1, WORDS)
                lines[-1][1:] = [column.shift, (1 << (bits + column.bits)) - 1]
            else:
                lines.append([column.word, column.shift, (1 << column.bits) - 1])
                parts.append(cells)
        begins = np.cumsum([0, *map(len, parts)])[:-1].tolist()
        whole = [[*line, begin] for line, begin in zip(lines, begins, strict=True)]
        found = np.concatenate(parts) if parts else np.zeros((0, WORDS), np.uint64)
        return np.array(whole, dtype=np.uint64).reshape(-1, 4), found

    def _summed(self, luts: Luts, kind: Any = np.int64) -> Any:
        """A row: what its codes stand for, added up."""
        found = np.empty(len(self.words[0]), dtype=kind)
        adding = _Adding(luts)

        def fill(rows: slice) -> None:
            found[rows] = adding.sums(self._block(rows))

        each(fill, self._stretches())
        return found

    def _counted(self, keys: _Keys) -> Any:
        """Distinct keys w0, w1 … and how many rows have each, n."""
        held = [self._summed(luts) for luts in keys.luts]
        return self._counting(held).grouped(", ".join(f"w{i}" for i in range(len(held))))

    def _counting(self, held: Sequence[Whole]) -> _Counting:
        return _Counting(self.where, held, self.times)

    def _among(self, keys: _Keys, asked: list[Whole]) -> NDArray[np.bool_]:
        """Which rows have one of the keys asked for."""
        found = np.zeros(len(self.words[0]), dtype=np.bool_)
        listed = (
            set(zip(*(one.tolist() for one in asked), strict=True)) if len(asked) > 1 else set()
        )
        rising = np.sort(asked[0])
        flags = np.zeros(1 << 24, dtype=np.bool_)  # most rows are told apart by 24 bits of a hash
        flags[_hashed(asked[0])] = True

        adding = [_Adding(luts) for luts in keys.luts]

        def look(rows: slice) -> None:
            held = [one.sums(self._block(rows)) for one in adding]
            maybe = np.flatnonzero(flags[_hashed(held[0])])
            if len(held) == 1:
                at = np.minimum(np.searchsorted(rising, held[0][maybe]), len(rising) - 1)
                found[rows][maybe] = rising[at] == held[0][maybe]
            else:
                tuples = zip(*(one[maybe].tolist() for one in held), strict=True)
                found[rows][maybe] = np.fromiter((t in listed for t in tuples), bool, len(maybe))

        each(look, self._stretches())
        return found

    def _all_numbers(self, column: Column) -> bool:
        """Is every text that some row shows a number?"""
        listed = enumerate(column.texts)
        wanted = [i for i, text in listed if text is not None and _value(text) is None]
        if not wanted:
            return True
        bad = np.zeros(1 << column.bits, dtype=np.bool_)
        bad[wanted] = True
        return not any(
            each(lambda rows: bool(bad[column.codes(self.words, rows)].any()), self._stretches())
        )


@dataclass(frozen=True, slots=True, eq=False)
class Starred:
    """Rows as they are, and rows with stars, as one table; all that is asked of it."""

    kept: CodedText
    starred: CodedText

    def rows(self) -> int:
        return self.kept.rows() + self.starred.rows()

    def fingerprint(self) -> tuple[int, ...]:
        both = zip(self.kept.fingerprint(), self.starred.fingerprint(), strict=True)
        return tuple(a + b for a, b in both)

    def distinct_text(self, names: Sequence[str]) -> Any:
        both = [part.distinct_text(names) for part in (self.kept, self.starred)]
        columns = [f"c{i}" for i in range(len(names))]
        whole = pa.concat_tables(both).group_by(columns).aggregate([("count", "sum")])
        return whole.rename_columns([*columns, "count"])


class _Counting:
    """Rows of words w0, w1 … in DuckDB, to be counted by what is made of them."""

    def __init__(self, where: str, held: Sequence[Whole], times: Whole | None) -> None:
        self.where, self.words, self.scratch = where, len(held), ScratchFolder()
        columns = {f"w{i}": word for i, word in enumerate(held)}
        self.tally = "count(*)"
        if times is not None:
            columns["times"] = times
            self.tally = "CAST(sum(times) AS BIGINT)"
        with translate_errors(where):
            own = connection(str(self.scratch.folder), share=4)
            self.rows = own.from_arrow(pa.table(columns))

    def grouped(self, keys: str) -> Any:
        """By key, how many rows, n."""
        return self._ask(self._by(keys))

    def alone(self, masks: Sequence[int], size: int, enough: int, parts: int) -> int:
        """Of masked words that fewer rows have, how many rows in all; so many parts by a hash, one
        after the other, until they are ``enough``.
        """
        masked = ", ".join(f"w{i} & {mask}" for i, mask in enumerate(masks))
        found = 0
        for part in range(parts):
            chosen = f" WHERE hash({masked}) % {parts} = {part}" if parts > 1 else ""
            by = self._by(_masked(masks), chosen)
            counted = self._ask(f"SELECT sum(n) AS n FROM ({by}) WHERE n < {size}")
            found += int(counted.column("n")[0].as_py() or 0)
            if found > enough:
                break
        return found

    def _by(self, keys: str, chosen: str = "") -> str:
        by = ", ".join(str(i + 1) for i in range(self.words))
        return f"SELECT {keys}, {self.tally} AS n FROM t{chosen} GROUP BY {by} HAVING count(*) > 0"

    def _ask(self, sql: str) -> Any:
        return DUCKDB.fetch(DUCKDB.ask(self.rows, sql, self.where), self.where)


class _Adding:
    """What the codes of some columns stand for, added up row by row."""

    def __init__(self, luts: Luts) -> None:
        self.lines = _lines([column for column, _ in luts])
        self.numbers = np.zeros(sum(1 << column.bits for column, _ in luts), dtype=np.int64)
        for (_, lut), begin in zip(luts, self.lines[:, 3].tolist(), strict=True):
            self.numbers[begin : begin + len(lut)] = lut

    def sums(self, block: Words) -> Whole:
        from lookalike.tables.packed.verifier.row_kernels import add_up

        sums = np.zeros(block.shape[1], dtype=np.int64)
        add_up(block, self.lines, self.numbers, sums)
        return sums


class _Keys:
    """Tuples of texts as whole numbers, one or several."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.known: list[list[Text]] = []
        self.luts: list[Luts] = [[]]
        self.places: list[tuple[int, int, int]] = []  # word, shift, bits
        used = 0
        for column in columns:
            number = {text: i for i, text in enumerate(dict.fromkeys(column.texts))}
            bits = max(1, len(number)).bit_length()
            if used + bits > KEY:
                self.luts.append([])
                used = 0
            self.places.append((len(self.luts) - 1, used, bits))
            lut = np.zeros(1 << column.bits, dtype=np.int64)
            lut[: len(column.texts)] = [number[text] << used for text in column.texts]
            self.luts[-1].append((column, lut))
            self.known.append(list(number))
            used += bits

    def numbers(self, found: Any, i: int) -> Whole:
        """Of found keys the number of the i-th text."""
        word, shift, bits = self.places[i]
        keys: Whole = found.column(f"w{word}").to_numpy()
        return (keys >> shift) & ((1 << bits) - 1)

    def of_texts(self, columns: Sequence[Any]) -> list[Whole]:
        """The keys of tuples given by text, column by column."""
        found = [np.zeros(len(columns[0]), dtype=np.int64) for _ in self.luts]
        for (word, shift, _), known, texts in zip(self.places, self.known, columns, strict=True):
            at = pc.index_in(texts, value_set=pa.array(known, pa.string()))
            found[word] += at.to_numpy().astype(np.int64) << shift
        return found


def _lines(columns: Sequence[Column]) -> Words:
    """Where each column is, as the kernels take it."""
    lines, begin = [], 0
    for column in columns:
        lines.append((column.word, column.shift, (1 << column.bits) - 1, begin))
        begin += 1 << column.bits
    return np.array(lines, dtype=np.uint64).reshape(-1, 4)


def _numbers(place: int, texts: Sequence[Text]) -> Whole:
    """(texts, words): the numbers of each; many may be the same."""
    distinct = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    return numbers(place, distinct)[[distinct[text] for text in texts]]


def _masked(masks: Sequence[int]) -> str:
    return ", ".join(f"w{i} & {mask} AS w{i}" for i, mask in enumerate(masks))


def _padded(texts: Sequence[Text], bits: int) -> list[Text]:
    """As many as the bits can say."""
    return [*texts, *[None] * ((1 << bits) - len(texts))]


def _ranks(texts: Sequence[Text]) -> tuple[Whole, Whole, Whole]:
    """Of each text: a number of its own, its rank by bytes, and by value; null is last."""
    column = pa.array(texts, pa.string())
    own = pc.dictionary_encode(column, null_encoding="encode")
    cells = own.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    as_numbers = pa.array([_value(text) for text in own.dictionary.to_pylist()], pa.float64())
    return cells, _rank(own.dictionary)[cells], _rank(as_numbers)[cells]


def _rank(distinct: Any) -> Whole:
    """The dense rank of each, null last."""
    ranks: Whole = pc.rank(distinct, sort_keys="ascending", tiebreaker="dense").to_numpy()
    return ranks.astype(np.int64)


def _value(text: Text) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _hashed(keys: Whole) -> NDArray[np.uint64]:
    return (keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
