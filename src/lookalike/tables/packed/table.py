"""Parquet files and releases held as codes: what DuckDB does with any table, several times faster.

What codes are not made for, as floats or a column of millions of different cells, goes to DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet, Histogram
from lookalike.counts.level_table import LevelTable
from lookalike.counts.remote_counts import RemoteCounts
from lookalike.tables.column_names import positions
from lookalike.tables.duckdb.engine import duckdb_rows
from lookalike.tables.duckdb.session import connection
from lookalike.tables.duckdb.table import DuckDBTable
from lookalike.tables.engine_progress import Step, telling
from lookalike.tables.files.batch_spool import write_spooled
from lookalike.tables.files.file_writing import room
from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.column_codes import Codes
from lookalike.tables.packed.interning import suits
from lookalike.tables.packed.node_counts import ALL, CodedFar
from lookalike.tables.packed.parquet.reading import read
from lookalike.tables.packed.parquet.writing import write
from lookalike.tables.packed.row_recoding import Coded, edited
from lookalike.tables.packed.threads import threads
from lookalike.tables.packed.verifier.reading import NotForCodes, read_texts, texts_of
from lookalike.tables.packed.verifier.reading_by_hash import NotListed, read_listed
from lookalike.tables.packed.verifier.text_table import CodedText, Column
from lookalike.tables.resource_limits import memory_limit
from lookalike.tables.sql.group_counts import python_values
from lookalike.tables.table import Edit, LabeledRows, Labels, Table
from lookalike.tables.table import Words as TextWords

STRETCH = 1 << 20
BYTES = 24  # a row's, at the most: its codes, those of the release, and room to sort them
KEY = 64
MANY = 1 << 23  # tuples of which it is enough to say about how many they are


Opened = Callable[[int | None], DuckDBTable]  # with so many threads, or as many as it likes


class _Held:
    """What was read, until it is used up; values and how many rows have each stay."""

    def __init__(self) -> None:
        self.codes: Codes | None = None
        self.texts: CodedText | None = None
        self.unfit = False  # for codes,
        self.without_texts = False  # or for those of the verifier
        self.values: dict[int, tuple[Any, ...]] = {}  # by place, as Python's own
        self.marginals: dict[int, NDArray[np.int64]] = {}
        self.listed: tuple[Any, ...] = ()  # by place, as Arrow's
        self.expected: tuple[Any, ...] = ()  # by place: what a file just written should hold
        self.read_as: dict[int, tuple[str | None, ...]] = {}  # by place, the texts of these
        self.release_expected = False
        self.ahead: Future[CodedText] | None = None
        self.forgotten = Event()  # stops what is read ahead
        self.reading = Step("reading once more", 0)
        self.fingerprint: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CodedFile:
    """One Parquet file or several with the same columns."""

    plain: DuckDBTable
    files: tuple[Path, ...]
    again: Opened = field(repr=False)  # on a connection of its own
    held: _Held = field(default_factory=_Held, repr=False)

    @property
    def kind(self) -> str:
        return self.plain.kind

    @property
    def name(self) -> str:
        return self.plain.name

    @property
    def path(self) -> Path | None:
        return self.plain.path

    @property
    def columns(self) -> tuple[str, ...]:
        return self.plain.columns

    @property
    def types(self) -> Mapping[str, str]:
        return self.plain.types

    def rows(self) -> int:
        return sum(pq.read_metadata(file).num_rows for file in self.files)

    def count_groups(self, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
        positions(self.columns, [*names, *sensitive], self.name)
        codes = self.codes()
        grouped = None if codes is None else _grouped(codes, names)
        if codes is None or grouped is None:
            return self.plain.count_groups(names, sensitive)
        histograms = {}
        for name in sensitive:
            finer = _grouped(codes, [*names, name])
            if finer is None:
                return self.plain.count_groups(names, sensitive)
            starts = np.ones(len(finer[1]), dtype=np.bool_)
            starts[1:] = (finer[0][1:, :-1] != finer[0][:-1, :-1]).any(axis=1)
            histograms[name] = Histogram(
                values=self._values(name),
                group=np.cumsum(starts) - 1,
                code=finer[0][:, -1].copy(),
                count=finer[1],
            )
        values = tuple(self._values(name) for name in names)
        return FrequencySet(tuple(names), values, *grouped, histograms)

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        places = positions(self.columns, names, self.name)
        for place in places:
            if place not in self.held.marginals:
                codes = self.codes()
                if codes is None:
                    return self.plain.count_columns(names)
                self.held.marginals[place] = codes.marginal(place)
        return FrequencySet(
            tuple(names),
            tuple(map(self._values, names)),
            np.zeros((0, len(names)), dtype=np.int32),
            np.zeros(0, dtype=np.int64),
            marginals=tuple(self.held.marginals[place] for place in places),
        )

    def estimate_groups(self, names: Sequence[str]) -> int:
        codes = self.codes()
        luts = None if codes is None else _luts(codes, names)
        if codes is None or luts is None:
            return self.plain.estimate_groups(names)
        if (likely := int(codes.likely_groups(luts, codes.sampled()))) > MANY:
            return likely
        found = codes.count(luts, 4 * MANY)
        return likely if found is None else len(found[0])

    def remote_counts(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        if self.codes() is None:
            return self.plain.remote_counts(columns, tables)
        return CodedFar(self._codes_again, columns, tables)

    def eligible_rows(self, eligible: Mapping[str, Sequence[str]]) -> Table:
        return self.plain.eligible_rows(eligible) if eligible else self

    def distinct_text(self, names: Sequence[str]) -> Any:
        texts = self.by_text()
        return (self.plain if texts is None else texts).distinct_text(names)

    def text_rows(self, names: Sequence[str]) -> Any:
        return self.plain.text_rows(names)

    def count_out_of_order(self) -> list[tuple[int, int | None]]:
        texts = self.by_text()
        return (self.plain if texts is None else texts).count_out_of_order()

    def fingerprint(self) -> tuple[int, ...]:
        texts = self.by_text()
        return (self.plain if texts is None else texts).fingerprint()

    def text_codes(self, name: str) -> Mapping[str | None, int]:
        (place,) = positions(self.columns, [name], self.name)
        if not self.held.listed and self.codes() is None:
            return self.plain.text_codes(name)
        return {text: i for i, text in enumerate(self._texts(place))}

    def with_labels(self, columns: Sequence[str], labels: Labels) -> LabeledRows:
        texts = self.by_text()
        if texts is None:
            return self.plain.with_labels(columns, labels)
        return texts.with_labels(columns, labels)

    def masked_counts(self, words: TextWords, masks: Sequence[Sequence[int]]) -> list[Any]:
        texts = self.by_text()
        return (self.plain if texts is None else texts).masked_counts(words, masks)

    def rows_in_small_groups(
        self, words: TextWords, masks: Sequence[Sequence[int]], size: int, enough: int
    ) -> list[int]:
        rows = self.by_text() or self.plain
        return rows.rows_in_small_groups(words, masks, size, enough)

    def free_memory(self) -> None:
        self.held.texts = None
        self.held.release_expected = False
        if self.held.ahead is not None:
            self.held.forgotten.set()

    def edit(self, edit: Edit) -> Table:
        codes = self.codes() if edit.split is None else None
        if codes is None or not all(
            recoding.values == self._values(name) for name, recoding in edit.recodings.items()
        ):
            return self.plain.edit(edit)
        positions(codes.names, edit.columns, self.name)
        self.held.codes = None  # used up, be it that the edit is cut short
        found = edited(codes, edit, self._texts, self.name)
        if found is None:
            return self.plain.edit(edit)
        return CodedRelease(self.name, found)

    def write(self, path: Path) -> None:
        self.plain.write(path)

    def batches(self) -> Iterator[Any]:
        return self.plain.batches()

    def native(self) -> Any:
        return self.plain.native()

    def codes(self) -> Codes | None:
        """Read when first needed; None if they cannot be."""
        if self.held.codes is None and not self.held.unfit:
            self.held.codes = read(self.files, self.columns)
            self.held.unfit = self.held.codes is None
            self.held.listed = () if self.held.codes is None else self.held.codes.values
            if self.held.release_expected:
                self._read_ahead()
        return self.held.codes

    def by_text(self) -> CodedText | None:
        """For the verifier, by another reader; None if that cannot be."""
        if self.held.texts is None and not (self.held.unfit or self.held.without_texts):
            ahead, self.held.ahead = self.held.ahead, None
            if self.held.forgotten.is_set():
                ahead = None
                self.held.forgotten.clear()
            asked = Step("reading once more", 1, asked=lambda: self.held.reading.share or 0.0)
            try:
                with telling(asked):
                    self.held.texts = ahead.result() if ahead else self._read(self.plain)
            except NotForCodes:
                self.held.without_texts = True
        return self.held.texts

    def prepare_release(self) -> None:
        """The verifier will read the file once more: begun while the search leaves a core idle."""
        self.held.release_expected = True
        if self.held.codes is not None:
            self._read_ahead()

    def _read_ahead(self) -> None:
        if self.held.ahead is None and self.held.texts is None and not self.held.unfit:
            pool = ThreadPoolExecutor(1)
            half = max(1, threads() // 2)  # the search goes first
            self.held.ahead = pool.submit(lambda: self._read(self.again(half), half))
            pool.shutdown(wait=False)

    def _read(self, plain: DuckDBTable, many: int | None = None) -> CodedText:
        step = self.held.reading = Step("reading once more", self.rows())
        if listed := self.held.listed or self.held.expected:
            many = many or threads()
            with suppress(NotListed):
                return read_listed(plain.content, listed, self.held.forgotten, many, step)
        return read_texts(plain.content, step)

    def _codes_again(self) -> Codes:
        codes = self.codes()
        assert codes is not None
        return codes

    def _values(self, name: str) -> tuple[Any, ...]:
        place = self.columns.index(name)
        if place not in self.held.values:
            zoned = self.plain.content.engine.is_zoned(self.plain.content.kinds()[place])
            self.held.values[place] = python_values(self.held.listed[place], zoned, name)
        return self.held.values[place]

    def _texts(self, place: int) -> tuple[str | None, ...]:
        if place not in self.held.read_as:
            listed = self.held.listed[place]
            self.held.read_as[place] = texts_of(self.plain.content, place, listed)
        return self.held.read_as[place]


@dataclass(frozen=True, slots=True, eq=False)
class CodedRelease:
    """A release, sorted; the rows are in memory, packed."""

    name: str
    content: Coded = field(repr=False)
    held: _Held = field(default_factory=_Held, repr=False)
    kind: str = "parquet"
    path: None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return self.content.names

    @property
    def types(self) -> Mapping[str, str]:
        return {n: str(v.type) for n, v in zip(self.columns, self.content.values, strict=True)}

    def rows(self) -> int:
        return self.content.rows

    def distinct_text(self, names: Sequence[str]) -> Any:
        return self._by_text().distinct_text(names)

    def text_rows(self, names: Sequence[str]) -> Any:
        return self._by_text().text_rows(names)

    def count_out_of_order(self) -> list[tuple[int, int | None]]:
        return self._by_text().count_out_of_order()

    def fingerprint(self) -> tuple[int, ...]:
        if self.held.fingerprint is None:
            self.held.fingerprint = self._by_text().fingerprint()
        return self.held.fingerprint

    def with_labels(self, columns: Sequence[str], labels: Labels) -> LabeledRows:
        return self._by_text().with_labels(columns, labels)

    def masked_counts(self, words: TextWords, masks: Sequence[Sequence[int]]) -> list[Any]:
        return self._by_text().masked_counts(words, masks)

    def rows_in_small_groups(
        self, words: TextWords, masks: Sequence[Sequence[int]], size: int, enough: int
    ) -> list[int]:
        return self._by_text().rows_in_small_groups(words, masks, size, enough)

    def free_memory(self) -> None:
        self.held.texts = None

    def prepare_release(self) -> None:
        """It is one."""

    def write(self, path: Path) -> None:
        if path.suffix.lower() != ".parquet":
            write_spooled(self.batches(), self.name, path)
            return
        one = self.content
        with room(path):
            write(path, one.names, one.values, one.layout, one.words, one.times)

    def batches(self) -> Iterator[Any]:
        one = self.content
        for begin in range(0, max(1, len(one.words[0])), STRETCH):
            words = [word[begin : begin + STRETCH] for word in one.words]
            if one.times is not None:
                words = [np.repeat(word, one.times[begin : begin + STRETCH]) for word in words]
            columns = [
                values.take(pa.array(one.layout.unpack(words, j)))
                for j, values in enumerate(one.values)
            ]
            yield pa.table(columns, names=list(one.names))

    def native(self) -> Any:
        """A pyarrow table."""
        return pa.concat_tables(self.batches())

    def count_groups(self, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
        return self._plain().count_groups(names, sensitive)

    def count_columns(self, names: Sequence[str]) -> FrequencySet:
        return self._plain().count_columns(names)

    def estimate_groups(self, names: Sequence[str]) -> int:
        return self._plain().estimate_groups(names)

    def remote_counts(self, columns: FrequencySet, tables: Sequence[LevelTable]) -> RemoteCounts:
        return self._plain().remote_counts(columns, tables)

    def eligible_rows(self, eligible: Mapping[str, Sequence[str]]) -> Table:
        return self._plain().eligible_rows(eligible) if eligible else self

    def text_codes(self, name: str) -> Mapping[str | None, int]:
        return self._plain().text_codes(name)

    def edit(self, edit: Edit) -> Table:
        return self._plain().edit(edit)

    def stretch(self, names: Sequence[str], start: int, rows: int) -> Any:
        """So many of the rows of ``text_rows``."""
        return self._by_text().stretch(names, start, rows)

    def _by_text(self) -> CodedText:
        if self.held.texts is None:
            one = self.content
            columns = tuple(
                Column(word, shift, bits, _as_text(values, self.name))
                for word, shift, bits, values in zip(
                    one.layout.word, one.layout.shift, one.layout.bits, one.values, strict=True
                )
            )
            self.held.texts = CodedText(self.name, one.names, columns, one.words, one.times)
        return self.held.texts

    def _plain(self) -> Table:
        """The same in DuckDB, for what nobody asks of a release in a hurry."""
        return DuckDBTable("parquet", duckdb_rows(connection().from_arrow(self.native()),
                                              self.columns, self.name))  # fmt: skip


def expect_cells(written: Table, released: Table) -> None:
    """The cells of a release as those of a file to which it was written."""
    if isinstance(written, CodedFile) and isinstance(released, CodedRelease):
        written.held.expected = released.content.values


def coded_if_fit(again: Opened, files: Sequence[Path]) -> Table:
    """The files as codes, if their types and the memory allow it."""
    opened = [pq.read_metadata(file) for file in files]
    plain = again(None)
    rows = sum(metadata.num_rows for metadata in opened)
    kinds = [kind for metadata in opened for kind in metadata.schema.to_arrow_schema().types]
    if rows * BYTES > memory_limit() or not all(map(suits, kinds)):
        return plain
    return CodedFile(plain, tuple(files), again)


def _luts(codes: Codes, names: Sequence[str]) -> list[Words | None] | None:
    """Keys of the codes of some columns, the first highest; None if there is no room."""
    luts: list[Words | None] = [None] * len(codes.names)
    up = 0
    for name in reversed(names):
        place = codes.names.index(name)
        size = len(codes.values[place])
        luts[place] = np.arange(size, dtype=np.uint64) << np.uint64(up)
        up += max(0, size - 1).bit_length()
    return luts if up <= KEY and len(set(names)) == len(names) else None


def _grouped(codes: Codes, names: Sequence[str]) -> tuple[Any, Any] | None:
    """Sorted tuples of codes over ``names``, and the rows of each."""
    luts = _luts(codes, names)
    if luts is None:
        return None
    found = codes.count(luts, ALL)
    assert found is not None
    keys, counts = found
    tuples = np.empty((len(keys), len(names)), dtype=np.int32)
    up = 0
    for a in reversed(range(len(names))):
        bits = max(0, len(codes.values[codes.names.index(names[a])]) - 1).bit_length()
        tuples[:, a] = (keys >> np.uint64(up)) & np.uint64((1 << bits) - 1)
        up += bits
    return tuples, counts


def _as_text(values: Any, where: str) -> tuple[str | None, ...]:
    """How DuckDB writes each of the values."""
    if pa.types.is_string(values.type):
        return tuple(values.to_pylist())
    rows = duckdb_rows(connection().from_arrow(pa.table({"c": values})), ("c",), where)
    return texts_of(rows, 0, values)
