"""Write packed rows to one Parquet file: its row groups are encoded in threads.

Columns go to pyarrow as indexes into their values, so no cell is ever built.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lookalike.tables.engine_progress import Step, report_progress
from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.parquet.stitching import ParquetStitcher
from lookalike.tables.packed.row_recoding import SortedRows
from lookalike.tables.packed.threads import threads

GROUP_ROWS = 1 << 20  # rows of a row group


def write_file(path: Path, rows: SortedRows) -> None:
    """Write the rows in their order; a column in the file gets the type of its values.

    An existing file is overwritten; if writing fails, part of the file is left.
    """
    step = Step("writing", -(-rows.rows // GROUP_ROWS))
    with report_progress(step), path.open("wb") as file, ThreadPoolExecutor(threads()) as pool:
        whole = ParquetStitcher(file, _encode(rows, [word[:0] for word in rows.words], None))
        waiting: deque[Future[Any]] = deque()
        for words, repeats in rows.parts(GROUP_ROWS):
            waiting.append(pool.submit(_encode, rows, words, repeats))
            if len(waiting) > threads():
                whole.add(waiting.popleft().result())
                step.add(1)
        for encoded in waiting:
            whole.add(encoded.result())
        whole.end()


def _encode(rows: SortedRows, words: Sequence[Words], repeats: NDArray[np.int64] | None) -> Any:
    """A Parquet file in memory, of some words of the rows."""
    if repeats is not None:
        words = [np.repeat(word, repeats) for word in words]
    columns = [_column(rows, words, j) for j in range(len(rows.names))]
    table = pa.table(columns, names=list(rows.names))
    file = pa.BufferOutputStream()
    # Statistics of a column of indexes take as long as all else: only what is sorted has them.
    with pq.ParquetWriter(
        file, table.schema, compression="zstd", store_schema=False,
        write_statistics=list(rows.names[:1]), write_batch_size=1 << 16,
        dictionary_pagesize_limit=1 << 30,
    ) as writer:  # fmt: skip
        if len(table):
            writer.write_table(table, row_group_size=GROUP_ROWS)
    return file.getvalue()


def _column(rows: SortedRows, words: Sequence[Words], column: int) -> Any:
    from lookalike.tables.packed.interning_kernels import mark_used

    values, index = rows.values[column], rows.layout.unpack(words, column)
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
