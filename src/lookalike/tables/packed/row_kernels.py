"""Compiled: keys of packed rows, counts of keys, and recoded rows.

A *block* is the words of some rows, ``(words, rows)``. A row's key is the sum of what each of its
fields adds; see ``Fields``. Indexes are unsigned because numba checks whether signed ones are
negative.

A hash table has a power of two of lines (key, count); a line with count 0 is free. A key is at the
line given by the highest bits (all but ``up``) of its product with ``MIX``, or the next free one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from lookalike.tables.packed.code_replacement import KeySet
from lookalike.tables.packed.key_fields import Fields

MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio
ONE, THREE, SIX, LOW = np.uint64(1), np.uint64(3), np.uint64(6), np.uint64(63)
PART_SHIFT = np.uint64(40)  # bits of a hash above these number the parts
BATCH_ROWS = 1024  # whose keys are computed together


@njit(cache=True, nogil=True)
def _keys(block: Any, start: int, fields: Fields, out: Any) -> None:
    """Put the keys of the rows from ``start`` on into ``out``, until it is full."""
    lines, add = fields
    if len(lines) == 0:
        out[:] = block[0, start : start + len(out)]
    for f in range(len(lines)):
        word, shift, mask, begin = lines[f]
        part = block[word, start : start + len(out)]
        if f == 0:
            for i in range(len(out)):
                out[i] = add[begin + ((part[i] >> shift) & mask)]
        else:
            for i in range(len(out)):
                out[i] += add[begin + ((part[i] >> shift) & mask)]


@njit(cache=True, nogil=True)
def keys_of_part(
    block: Any, start: int, end: int, fields: Fields, part: Any, mask: Any, out: Any
) -> Any:
    """Put the keys whose hash has the bits ``part`` into ``out``; return how many they are."""
    key = np.empty(BATCH_ROWS, np.uint64)
    held = np.uint64(0)
    for first in range(start, end, BATCH_ROWS):
        rows = min(BATCH_ROWS, end - first)
        _keys(block, first, fields, key[:rows])
        for i in range(rows):
            out[held] = key[i]
            if ((key[i] * MIX) >> PART_SHIFT) & mask == part:
                held += ONE
    return held


@njit(cache=True, nogil=True)
def count_dense(block: Any, start: int, end: int, fields: Fields, counts: Any) -> None:
    """Add one to ``counts[key]`` for each row."""
    key = np.empty(BATCH_ROWS, np.uint64)
    for first in range(start, end, BATCH_ROWS):
        rows = min(BATCH_ROWS, end - first)
        _keys(block, first, fields, key[:rows])
        for i in range(rows):
            counts[key[i]] += 1


@njit(cache=True, nogil=True)
def count_hashed(
    block: Any, start: int, end: int, fields: Fields, table: Any, up: Any, held: int
) -> Any:
    """Count into a table with ``held`` keys, until it is half full.

    Returns how many keys it has now, and where it stopped.
    """
    key = np.empty(BATCH_ROWS, np.uint64)
    for first in range(start, end, BATCH_ROWS):
        rows = min(BATCH_ROWS, end - first)
        if 2 * (held + rows) > len(table):
            return held, first
        _keys(block, first, fields, key[:rows])
        for i in range(rows):
            held += _add_count(table, up, key[i], ONE)
    return held, end


@njit(cache=True, nogil=True)
def _add_count(table: Any, up: Any, key: Any, count: Any) -> Any:
    """Add to the count of a key; return 1 if the key is new."""
    mask = np.uint64(len(table)) - ONE
    line = (key * MIX) >> up
    while True:
        if table[line, 1] == 0:
            table[line, 0] = key
            table[line, 1] = count
            return 1
        if table[line, 0] == key:
            table[line, 1] += count
            return 0
        line = (line + ONE) & mask


@njit(cache=True, nogil=True)
def merge_tables(old: Any, table: Any, up: Any, held: int) -> Any:
    """Add a hash table to another that has space; return how many keys that has then."""
    for i in range(len(old)):
        if old[i, 1]:
            held += _add_count(table, up, old[i, 0], old[i, 1])
    return held


@njit(cache=True, nogil=True)
def keys_of(table: Any, keys: Any) -> None:
    """Put all keys of a hash table into ``keys``."""
    held = np.uint64(0)
    for i in range(len(table)):
        if table[i, 1]:
            keys[held] = table[i, 0]
            held += ONE


@njit(cache=True, nogil=True)
def counts_of(table: Any, up: Any, keys: Any, counts: Any) -> None:
    """Put the count of each key into ``counts``; all keys are in the table."""
    mask = np.uint64(len(table)) - ONE
    for i in range(len(keys)):
        line = (keys[i] * MIX) >> up
        while table[line, 0] != keys[i] or table[line, 1] == 0:
            line = (line + ONE) & mask
        counts[i] = table[line, 1]


@njit(cache=True, nogil=True)
def fill_set(keys: Any, key_set: KeySet) -> None:
    """Put the keys into a set that is empty: its ``places`` are all ``free``."""
    places, maybe, free, up = key_set
    mask = np.uint64(len(places)) - ONE
    for i in range(len(keys)):
        place = (keys[i] * MIX) >> up
        while places[place] != free:
            place = (place + ONE) & mask
        places[place] = keys[i]
        bit = (keys[i] * MIX) >> (up - THREE)
        maybe[bit >> SIX] |= ONE << (bit & LOW)


@njit(cache=True, nogil=True)
def recode(block: Any, start: int, end: int, fields: Fields, key_fields: Fields, suppressed: KeySet,
           star_fields: Fields, starred: bool, out: Any) -> Any:  # fmt: skip
    """Compute the new words; rows whose key is in the set are starred or left out.

    Returns how many rows stay. ``out`` may be the rows' own part of the only word.
    """
    places, maybe, free, up = suppressed
    mask = np.uint64(len(places)) - ONE
    key, new, star = np.empty((3, BATCH_ROWS), np.uint64)
    kept = np.uint64(0)
    for first in range(start, end, BATCH_ROWS):
        rows = min(BATCH_ROWS, end - first)
        _keys(block, first, fields, new[:rows])
        _keys(block, first, key_fields, key[:rows])
        if starred:
            _keys(block, first, star_fields, star[:rows])
        for i in range(rows):
            mixed = key[i] * MIX
            bit = mixed >> (up - THREE)
            gone = False
            if (maybe[bit >> SIX] >> (bit & LOW)) & ONE:
                place = mixed >> up
                while places[place] != free and places[place] != key[i]:
                    place = (place + ONE) & mask
                gone = places[place] != free
            if not gone or starred:
                out[kept] = star[i] if gone else new[i]
                kept += ONE
    return kept


@njit(cache=True, nogil=True)
def place_words(words: Any, least: Any, down: Any, at: Any, out: Any, move: bool) -> None:
    """Move each word to the next place of its part, ``(word - least) >> down``.

    Without ``move``, only count the words of each part in ``at``.
    """
    if move:
        for i in range(len(words)):
            part = (words[i] - least) >> down
            out[at[part]] = words[i]
            at[part] += ONE
    else:
        for i in range(len(words)):
            at[(words[i] - least) >> down] += ONE
