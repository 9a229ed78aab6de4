"""Packed rows to one Parquet file: its row groups are made apart, in threads.

Columns go to pyarrow as indexes into their labels, so no cell is ever made.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lookalike.tables.engine_progress import Step, telling
from lookalike.tables.packed.bit_layout import Layout, Words
from lookalike.tables.packed.parquet.stitching import Stitched
from lookalike.tables.packed.threads import threads

GROUP = 1 << 20  # rows of a row group


def write(
    path: Path,
    names: Sequence[str],
    values: Sequence[Any],
    layout: Layout,
    words: Sequence[Words],
    counts: NDArray[np.int64] | None = None,
) -> None:
    """The rows in their order, each as often as ``counts`` says; a code stands for its value.

    ``values``: a pyarrow array a column, whose type the column in the file gets; null may be among
    them. The file must not be there or may be written over; if writing fails, part of it is there.
    """
    out = _Out(tuple(names), tuple(values), layout)
    rows = len(words[0]) if counts is None else int(counts.sum())
    step = Step("writing", -(-rows // GROUP))
    with telling(step), path.open("wb") as file, ThreadPoolExecutor(threads()) as pool:
        whole = Stitched(file, out.encoded([word[:0] for word in words]))
        waiting: deque[Future[Any]] = deque()
        for stretch in _stretches(words, counts):
            waiting.append(pool.submit(out.encoded, *stretch))
            if len(waiting) > threads():
                whole.add(waiting.popleft().result())
                step.add(1)
        for one in waiting:
            whole.add(one.result())
        whole.end()


def _stretches(words: Sequence[Words], counts: NDArray[np.int64] | None) -> Iterator[Any]:
    """The words of each row group, and how often each."""
    if counts is None:
        for begin in range(0, len(words[0]), GROUP):
            yield ([word[begin : begin + GROUP] for word in words],)
        return
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    for begin in range(0, total, GROUP):
        end = min(total, begin + GROUP)
        first, last = np.searchsorted(ends, [begin, end - 1], side="right").tolist()
        part = slice(first, last + 1)
        held = np.minimum(ends[part], end) - np.maximum(ends[part] - counts[part], begin)
        yield [word[part] for word in words], held


@dataclass(frozen=True, slots=True, eq=False)
class _Out:
    names: tuple[str, ...]
    values: tuple[Any, ...]
    layout: Layout

    def encoded(self, words: Sequence[Words], counts: NDArray[np.int64] | None = None) -> Any:
        """A Parquet file of these rows, in memory."""
        if counts is not None:
            words = [np.repeat(word, counts) for word in words]
        columns = [self._column(words, j) for j in range(len(self.names))]
        fields = zip(self.names, (column.type for column in columns), strict=True)
        table = pa.table(columns, schema=pa.schema(list(fields)))
        file = pa.BufferOutputStream()
        # Statistics of a column of indexes take as long as all else: only what is sorted has them.
        with pq.ParquetWriter(
            file, table.schema, compression="zstd", store_schema=False,
            write_statistics=list(self.names[:1]), write_batch_size=1 << 16,
            dictionary_pagesize_limit=1 << 30,
        ) as writer:  # fmt: skip
            if len(table):
                writer.write_table(table, row_group_size=GROUP)
        return file.getvalue()

    def _column(self, words: Sequence[Words], column: int) -> Any:
        from lookalike.tables.packed.interning_kernels import mark
        from lookalike.tables.packed.row_kernels import unpack

        values, layout = self.values[column], self.layout
        index = np.empty(len(words[0]), np.int32)
        mask = np.uint64((1 << layout.bits[column]) - 1)
        unpack(words[layout.word[column]], np.uint64(layout.shift[column]), mask, index)
        valid = values.is_valid().to_numpy(zero_copy_only=False)
        used = np.zeros(len(values), np.bool_)
        index.flags.writeable = False  # as in reading: one type for the compiler
        mark(index, used)
        null = ~valid[index] if values.null_count else None
        used &= valid
        if not used.all():  # a cell that no row holds, as one of suppressed rows, is not listed
            values = values.filter(pa.array(used))
            index = (np.cumsum(used, dtype=np.int32) - 1)[index]
        indices = pa.array(index, mask=null)
        return pa.DictionaryArray.from_arrays(indices, values, safe=False)
