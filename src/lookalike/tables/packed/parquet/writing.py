"""Write packed rows to one Parquet file: its row groups are encoded in threads.

Columns go to pyarrow as indexes into their values, so no cell is ever built.
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

from lookalike.tables.engine_progress import Step, report_progress
from lookalike.tables.files.file_writing import repeated_slices
from lookalike.tables.packed.bit_layout import BitLayout, Words
from lookalike.tables.packed.parquet.stitching import ParquetStitcher
from lookalike.tables.packed.threads import threads

GROUP_ROWS = 1 << 20  # rows of a row group


def write_file(
    path: Path,
    names: Sequence[str],
    values: Sequence[Any],
    layout: BitLayout,
    words: Sequence[Words],
    counts: NDArray[np.int64] | None = None,
) -> None:
    """Write the rows in their order, each as often as ``counts`` says.

    ``values``: a pyarrow array a column, whose type the column in the file gets; null may be among
    them. An existing file is overwritten; if writing fails, part of the file is left.
    """
    encoder = _Encoder(tuple(names), tuple(values), layout)
    rows = len(words[0]) if counts is None else int(counts.sum())
    step = Step("writing", -(-rows // GROUP_ROWS))
    with report_progress(step), path.open("wb") as file, ThreadPoolExecutor(threads()) as pool:
        whole = ParquetStitcher(file, encoder.encode([word[:0] for word in words]))
        waiting: deque[Future[Any]] = deque()
        for group in _row_groups(words, counts):
            waiting.append(pool.submit(encoder.encode, *group))
            if len(waiting) > threads():
                whole.add(waiting.popleft().result())
                step.add(1)
        for encoded in waiting:
            whole.add(encoded.result())
        whole.end()


def _row_groups(words: Sequence[Words], counts: NDArray[np.int64] | None) -> Iterator[Any]:
    """The words of each row group, and how often each row occurs in it."""
    if counts is None:
        for begin in range(0, len(words[0]), GROUP_ROWS):
            yield ([word[begin : begin + GROUP_ROWS] for word in words],)
        return
    for part, repeats in repeated_slices(counts, GROUP_ROWS):
        yield [word[part] for word in words], repeats


@dataclass(frozen=True, slots=True, eq=False)
class _Encoder:
    names: tuple[str, ...]
    values: tuple[Any, ...]
    layout: BitLayout

    def encode(self, words: Sequence[Words], counts: NDArray[np.int64] | None = None) -> Any:
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
                writer.write_table(table, row_group_size=GROUP_ROWS)
        return file.getvalue()

    def _column(self, words: Sequence[Words], column: int) -> Any:
        from lookalike.tables.packed.interning_kernels import mark_used
        from lookalike.tables.packed.row_kernels import unpack

        values, layout = self.values[column], self.layout
        index = np.empty(len(words[0]), np.int32)
        mask = np.uint64((1 << layout.bits[column]) - 1)
        unpack(words[layout.word[column]], np.uint64(layout.shift[column]), mask, index)
        valid = values.is_valid().to_numpy(zero_copy_only=False)
        used = np.zeros(len(values), np.bool_)
        index.flags.writeable = False  # the same type for the compiler as in reading
        mark_used(index, used)
        null = ~valid[index] if values.null_count else None
        used &= valid
        if not used.all():  # a cell that only suppressed rows have must not be in the file
            values = values.filter(pa.array(used))
            index = (np.cumsum(used, dtype=np.int32) - 1)[index]
        indices = pa.array(index, mask=null)
        return pa.DictionaryArray.from_arrays(indices, values, safe=False)
