"""Run work on packed rows in a few threads, one chunk of rows at a time.

Compiled kernels release the lock of the interpreter, so threads really run in parallel.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from lookalike.tables.packed.bit_layout import Words

CHUNK_ROWS = 1 << 18
Item = TypeVar("Item")
Result = TypeVar("Result")


def threads() -> int:
    """The number of threads to use."""
    return min(8, os.cpu_count() or 1)


def run_in_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """The results of ``work`` for each item, in order."""
    with ThreadPoolExecutor(threads()) as pool:
        return list(pool.map(work, items))


def map_in_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """The result of ``work`` for each item, in order; only a few items are held at a time."""
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads()) as pool:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > 4 * threads():
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def chunks(rows: int) -> Iterator[slice]:
    """The rows of each chunk; threads may share the iterator and take the next one."""
    starts = range(0, rows, CHUNK_ROWS)
    return iter([slice(start, min(rows, start + CHUNK_ROWS)) for start in starts])


def block(words: Sequence[Words], rows: slice) -> tuple[Words, int, int]:
    """The rows' words as one array, and where in it they are; a single word is not copied."""
    if len(words) == 1:
        return words[0][None, :], rows.start, rows.stop
    return np.stack([word[rows] for word in words]), 0, rows.stop - rows.start
