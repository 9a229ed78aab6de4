"""Words in order: parted by their highest bits, and each small part sorted by numpy, in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.threads import each, threads

PART = 1 << 10  # words that numpy sorts together, about
FEW = 1 << 16  # words that are not worth parting


def sort_rows(words: Sequence[Words]) -> tuple[Words, ...]:
    """Rows of one word or several, rising. The arrays that were given are scratch from now on."""
    if len(words) == 1:
        return (sort_words(words[0]),)
    order = np.lexsort(list(words)[::-1])
    return tuple(word[order] for word in words)


def sort_words(words: Words) -> Words:
    """Rising. The array that was given is scratch from now on; what returns may be it or not."""
    if len(words) <= FEW:
        words.sort()
        return words
    out = np.empty_like(words)
    parts = _part(words, out, threads())
    many = max(1, len(parts) // 256)
    each(_sort, [parts[i : i + many] for i in range(0, len(parts), many)])
    return out


def _sort(parts: Sequence[tuple[Words, Words]]) -> None:
    for part, scratch in parts:
        if len(part) <= FEW:
            part.sort()
        else:
            scratch[:] = part
            _sort(_part(scratch, part, 1))


def _part(words: Words, out: Words, many: int) -> list[tuple[Words, Words]]:
    """Move the words to about where they will be, in so many threads.

    Finds the parts of ``out`` that are still to be sorted, each with as much room for scratch.
    """
    from lookalike.tables.packed.row_kernels import place_words

    least, most = words.min(), words.max()
    bits = min(13, max(8, (len(words) // PART).bit_length()))
    down = np.uint64(max(0, int(most - least).bit_length() - bits))
    cuts = np.linspace(0, len(words), many + 1).astype(np.int64).tolist()
    pieces = [words[a:b] for a, b in pairwise(cuts)]
    held = np.zeros((len(pieces), 1 << bits), np.uint64)  # by piece and part
    turns = range(len(pieces))
    run = each if many > 1 else _in_turn
    run(lambda i: place_words(pieces[i], least, down, held[i], out, False), turns)
    ends = np.cumsum(held.sum(axis=0))
    at = np.cumsum(held, axis=0) - held + (ends - held.sum(axis=0))
    run(lambda i: place_words(pieces[i], least, down, at[i], out, True), turns)
    if down == 0:
        return []
    found = []
    bounds = [0, *ends.astype(np.int64).tolist()]
    for a, b in pairwise(bounds):
        part, scratch = out[a:b], words[a:b]
        if many > 1 and b - a > len(words) // (8 * many):
            scratch[:] = part
            found += _part(scratch, part, many)
        elif b - a > 1:
            found.append((part, scratch))
    return found


def _in_turn(do: Callable[[int], None], turns: Iterable[int]) -> None:
    for turn in turns:
        do(turn)


def distinct(words: Sequence[Words]) -> tuple[tuple[Words, ...], NDArray[np.int64]]:
    """Of rows in order: each once, and how often it was there."""
    from lookalike.tables.packed.row_kernels import lengths

    new = np.zeros(len(words[0]), np.bool_)
    new[:1] = True
    for word in words:
        new[1:] |= word[1:] != word[:-1]
    counts = np.zeros(np.count_nonzero(new), np.int64)
    lengths(new, counts)
    return tuple(word[new] for word in words), counts
