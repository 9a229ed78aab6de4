"""Rows dealt to a few threads, a chunk at a time; compiled kernels let them run side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from lookalike.tables.packed.bit_layout import Words

CHUNK = 1 << 18  # rows
One = TypeVar("One")
Found = TypeVar("Found")


def threads() -> int:
    return min(8, os.cpu_count() or 1)


def each(do: Callable[[One], Found], things: Iterable[One]) -> list[Found]:
    """What ``do`` finds for each, in threads."""
    with ThreadPoolExecutor(threads()) as pool:
        return list(pool.map(do, things))


def chunks(rows: int) -> Iterator[tuple[int, int]]:
    """Where each begins and ends. Threads may share it: whoever is free takes the next."""
    return iter([(start, min(rows, start + CHUNK)) for start in range(0, rows, CHUNK)])


def block(words: Sequence[Words], start: int, end: int) -> tuple[Words, int, int]:
    """The rows' words as one array, and where in it they are; a single word is not copied."""
    if len(words) == 1:
        return words[0][None, :], start, end
    return np.stack([word[start:end] for word in words]), 0, end - start
