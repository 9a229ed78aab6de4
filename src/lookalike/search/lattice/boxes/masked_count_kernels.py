"""Count the rows in small classes of a node, where tuples are words and a node is a mask.

Two tuples are lookalikes at a node if their words agree under the mask of the node
(``counts/bit_codes.py``). The tuples come in blocks, and lookalikes are always in one block. So
each block has a small hash table, and counting stops as soon as more rows stand out than may.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.jit import helper, kernel

BLOCK = 512  # tuples in a block, at least


@kernel
def count_small_rows(  # type: ignore[no-untyped-def]
    words, sizes, starts, masks, smallest, limit, slots, first, rows
) -> Any:
    """Rows in classes below the smallest size; if these exceed the limit, a part of them.

    ``words`` (tuples, words) and ``sizes`` (tuples,) in blocks that begin at ``starts``; ``slots``,
    ``first`` and ``rows`` are room to count in.
    """
    small = np.int64(0)
    for block in range(len(starts) - 1):
        begin, end = starts[block], starts[block + 1]
        classes = _classes_of_block(
            words, sizes, begin, end, masks, slots, first, rows, slots, False
        )
        for c in range(classes):
            if rows[c] < smallest:
                small += rows[c]
        if small > limit:
            break
    return small


@kernel
def flag_small_classes(  # type: ignore[no-untyped-def]
    words, sizes, starts, masks, smallest, slots, first, rows, of
) -> Any:
    """(tuples,) is the class of a tuple at the node below the smallest size?"""
    small = np.zeros(len(sizes), np.bool_)
    for block in range(len(starts) - 1):
        begin, end = starts[block], starts[block + 1]
        _classes_of_block(words, sizes, begin, end, masks, slots, first, rows, of, True)
        for i in range(begin, end):
            small[i] = rows[of[i]] < smallest
    return small


@kernel
def refine(  # type: ignore[no-untyped-def]
    words, sizes, member, starts, low_masks, high_masks, slots, first, rows, of
) -> Any:
    """The tuples merged at a low node, in blocks of lookalikes at a high node.

    Lookalikes at the high node are in one block already. Returns words, sizes and members of the
    merged tuples, and where the new blocks begin.
    """
    total, width = words.shape
    new_words = np.empty((total, width), np.int64)
    new_sizes, new_member = np.empty(total, np.int64), np.empty(total, np.int64)
    new_starts = np.empty(total + 2, np.int64)
    new_starts[0] = 0
    begin = np.empty(total + 1, np.int64)
    merged = np.empty(total, np.int64)
    block_rows = np.empty(total, np.int64)
    blocks = written = 0
    for block in range(len(starts) - 1):
        start, end = starts[block], starts[block + 1]
        count = _classes_of_block(
            words, sizes, start, end, low_masks, slots, first, rows, slots, False
        )
        for c in range(count):
            merged[c] = first[c]
            block_rows[c] = rows[c]
        classes = _classes_of_some(words, merged, count, high_masks, slots, first, of)
        begin[: classes + 1] = 0
        for c in range(count):
            begin[of[c] + 1] += 1
        for c in range(classes):
            begin[c + 1] += begin[c]
        for c in range(classes):
            if written + begin[c + 1] - new_starts[blocks] >= BLOCK or c == classes - 1:
                blocks += 1
                new_starts[blocks] = written + begin[c + 1]
        for c in range(count):
            at = written + begin[of[c]]
            begin[of[c]] += 1
            new_words[at] = words[merged[c]]
            new_sizes[at] = block_rows[c]
            new_member[at] = member[merged[c]]
        written += count
    return (
        new_words[:written].copy(),
        new_sizes[:written].copy(),
        new_member[:written].copy(),
        new_starts[: blocks + 1].copy(),
    )


@helper
def _classes_of_some(words, some, count, masks, slots, first, of) -> Any:  # type: ignore[no-untyped-def]
    """Number the classes of some tuples; ``first`` is the first tuple of each class."""
    capacity = 16
    while capacity < 2 * count:
        capacity *= 2
    bits = np.uint64(capacity - 1)
    slots[:capacity] = -1
    classes = 0
    width = words.shape[1]
    for i in range(count):
        key: Any = np.int64(0)
        for w in range(width):
            key = (key ^ (words[some[i], w] & masks[w])) * np.int64(-7046029254386353131)
            key ^= (key >> 32) & np.int64(0xFFFFFFFF)
        at: Any = np.uint64(key) & bits
        while True:
            c = slots[at]
            if c < 0:
                c = np.int32(classes)
                slots[at] = c
                first[classes] = some[i]
                classes += 1
                break
            other = first[c]
            same = True
            for w in range(width):
                if ((words[some[i], w] ^ words[other, w]) & masks[w]) != 0:
                    same = False
                    break
            if same:
                break
            at = (at + np.uint64(1)) & bits
        of[i] = c
    return classes


@helper
def _classes_of_block(words, sizes, begin, end, masks, slots, first, rows, of, keep) -> Any:  # type: ignore[no-untyped-def]
    """Count the rows of each class of a block; ``keep``: also note the class of each tuple."""
    capacity = 16
    while capacity < 2 * (end - begin):
        capacity *= 2
    bits = np.uint64(capacity - 1)
    for slot in range(capacity):
        slots[slot] = -1
    classes = 0
    width = words.shape[1]
    for i in range(begin, end):
        key: Any = np.int64(0)
        for w in range(width):
            key = (key ^ (words[i, w] & masks[w])) * np.int64(-7046029254386353131)
            key ^= (key >> 32) & np.int64(0xFFFFFFFF)
        at: Any = np.uint64(key) & bits
        while True:
            c = slots[at]
            if c < 0:
                c = np.int32(classes)
                slots[at] = c
                first[classes] = i
                rows[classes] = sizes[i]
                classes += 1
                break
            other = first[c]
            same = True
            for w in range(width):
                if ((words[i, w] ^ words[other, w]) & masks[w]) != 0:
                    same = False
                    break
            if same:
                rows[c] += sizes[i]
                break
            at = (at + np.uint64(1)) & bits
        if keep:
            of[i] = c
    return classes
