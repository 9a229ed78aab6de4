"""Sort words in threads: divide them by their highest bits, then sort each small part by numpy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.threads import run_in_threads, threads

PART_WORDS = 1 << 10  # words that numpy sorts together, about
MIN_DIVIDED_WORDS = 1 << 16  # fewer are sorted at once


def sort_rows(words: Sequence[Words]) -> tuple[Words, ...]:
    """Sort rows of one word or several. The arguments are overwritten."""
    if len(words) == 1:
        return (sort_words(words[0]),)
    order = np.lexsort(list(words)[::-1])
    return tuple(word[order] for word in words)


def sort_words(words: Words) -> Words:
    """Sort the words. The argument is overwritten, and may be the result."""
    if len(words) <= MIN_DIVIDED_WORDS:
        words.sort()
        return words
    out = np.empty_like(words)
    parts = _divide(words, out, threads())
    step = max(1, len(parts) // 256)
    run_in_threads(_sort, [parts[i : i + step] for i in range(0, len(parts), step)])
    return out


def _sort(parts: Sequence[tuple[Words, Words]]) -> None:
    for part, scratch in parts:
        if len(part) <= MIN_DIVIDED_WORDS:
            part.sort()
        else:
            scratch[:] = part
            _sort(_divide(scratch, part, 1))


def _divide(words: Words, out: Words, workers: int) -> list[tuple[Words, Words]]:
    """Move the words to about where they will be, in this number of threads.

    Returns the parts of ``out`` that are still to be sorted, each with as much space for scratch.
    """
    from lookalike.tables.packed.row_kernels import place_words

    least = words.min()
    bits = min(13, max(8, (len(words) // PART_WORDS).bit_length()))
    down = np.uint64(max(0, int(words.max() - least).bit_length() - bits))
    cuts = np.linspace(0, len(words), workers + 1).astype(np.int64).tolist()
    pieces = [words[a:b] for a, b in pairwise(cuts)]
    sizes = np.zeros((len(pieces), 1 << bits), np.uint64)  # by piece and part
    turns = range(len(pieces))
    run = run_in_threads if workers > 1 else map
    list(run(lambda i: place_words(pieces[i], least, down, sizes[i], out, False), turns))
    ends = np.cumsum(sizes.sum(axis=0))
    at = np.cumsum(sizes, axis=0) - sizes + (ends - sizes.sum(axis=0))
    list(run(lambda i: place_words(pieces[i], least, down, at[i], out, True), turns))
    if down == 0:
        return []
    unsorted = []
    bounds = [0, *ends.astype(np.int64).tolist()]
    for a, b in pairwise(bounds):
        part, scratch = out[a:b], words[a:b]
        if workers > 1 and b - a > len(words) // (8 * workers):
            scratch[:] = part
            unsorted += _divide(scratch, part, workers)
        elif b - a > 1:
            unsorted.append((part, scratch))
    return unsorted


def count_sorted(words: Sequence[Words]) -> tuple[tuple[Words, ...], NDArray[np.int64]]:
    """The distinct rows of sorted rows, and the number of each."""
    new = np.zeros(len(words[0]), np.bool_)
    new[:1] = True
    for word in words:
        new[1:] |= word[1:] != word[:-1]
    counts = np.diff(np.flatnonzero(new), append=len(new))
    return tuple(word[new] for word in words), counts
