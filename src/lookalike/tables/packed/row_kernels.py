"""Compiled: keys of packed rows, counts of keys, and recoded rows.

A *block* is the words of some rows, ``(words, rows)``. A row's key is the sum of what each of its
fields adds. A field is a line of ``fields``: its word, its shift, its mask, and where its part of
``add`` begins. Without fields the key is the word itself. Indexes are unsigned because numba checks
whether signed ones are negative.

A hash table has a power of two of lines (key, count); a line with count 0 is free. A key is at the
line given by the highest bits (all but ``up``) of its product with ``MIX``, or the next free one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio
ONE, THREE, SIX, LOW = np.uint64(1), np.uint64(3), np.uint64(6), np.uint64(63)
HASHED = np.uint64(40)
BATCH = 1024  # rows whose keys are computed together


@njit(cache=True, nogil=True)
def _keys(block: Any, start: int, fields: Any, add: Any, out: Any) -> None:
    """Put the keys of the rows from ``start`` on into ``out``, until it is full."""
    if len(fields) == 0:
        out[:] = block[0, start : start + len(out)]
    for f in range(len(fields)):
        word, shift, mask, begin = fields[f]
        part = block[word, start : start + len(out)]
        if f == 0:
            for i in range(len(out)):
                out[i] = add[begin + ((part[i] >> shift) & mask)]
        else:
            for i in range(len(out)):
                out[i] += add[begin + ((part[i] >> shift) & mask)]


@njit(cache=True, nogil=True)
def keys_of_part(block: Any, start: int, end: int, fields: Any, add: Any, part: Any, mask: Any,
                 out: Any) -> Any:  # fmt: skip
    """Put the keys whose hash has the bits ``part`` into ``out``; return how many they are."""
    key = np.empty(BATCH, np.uint64)
    held = np.uint64(0)
    for first in range(start, end, BATCH):
        rows = min(BATCH, end - first)
        _keys(block, first, fields, add, key[:rows])
        for i in range(rows):
            out[held] = key[i]
            if ((key[i] * MIX) >> HASHED) & mask == part:
                held += ONE
    return held


@njit(cache=True, nogil=True)
def rows_in_short_runs(words: Any, size: int) -> Any:
    """Count the words, in sorted words, that occur fewer than ``size`` times."""
    found, begin = 0, 0
    for i in range(1, len(words) + 1):
        if i == len(words) or words[i] != words[begin]:
            if i - begin < size:
                found += i - begin
            begin = i
    return found


@njit(cache=True, nogil=True)
def count_dense(block: Any, start: int, end: int, fields: Any, add: Any, counts: Any) -> None:
    """Add one to ``counts[key]`` for each row."""
    key = np.empty(BATCH, np.uint64)
    for first in range(start, end, BATCH):
        rows = min(BATCH, end - first)
        _keys(block, first, fields, add, key[:rows])
        for i in range(rows):
            counts[key[i]] += 1


@njit(cache=True, nogil=True)
def count_hashed(block: Any, start: int, end: int, fields: Any, add: Any, table: Any, up: Any,
                 held: int) -> Any:  # fmt: skip
    """Count into a table with ``held`` keys, until it is half full.

    Returns how many keys it has now, and where it stopped.
    """
    key = np.empty(BATCH, np.uint64)
    for first in range(start, end, BATCH):
        rows = min(BATCH, end - first)
        if 2 * (held + rows) > len(table):
            return held, first
        _keys(block, first, fields, add, key[:rows])
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
def fill_set(keys: Any, free: Any, up: Any, places: Any, maybe: Any) -> None:
    """Fill a set of keys: ``places`` are all ``free``, a number that is not a key.

    ``maybe`` has 64 bits for every 8 places: a small filter that excludes most other keys.
    """
    mask = np.uint64(len(places)) - ONE
    for i in range(len(keys)):
        place = (keys[i] * MIX) >> up
        while places[place] != free:
            place = (place + ONE) & mask
        places[place] = keys[i]
        bit = (keys[i] * MIX) >> (up - THREE)
        maybe[bit >> SIX] |= ONE << (bit & LOW)


@njit(cache=True, nogil=True)
def recode(block: Any, start: int, end: int, fields: Any, add: Any, key_fields: Any, key_add: Any,
           places: Any, maybe: Any, free: Any, up: Any, starred: bool, star_fields: Any,
           star_add: Any, out: Any) -> Any:  # fmt: skip
    """Compute the new words; rows whose key is in the set are starred or left out.

    Returns how many rows stay. ``out`` may be the rows' own part of the only word.
    """
    mask = np.uint64(len(places)) - ONE
    key, new, star = np.empty((3, BATCH), np.uint64)
    kept = np.uint64(0)
    for first in range(start, end, BATCH):
        rows = min(BATCH, end - first)
        _keys(block, first, fields, add, new[:rows])
        _keys(block, first, key_fields, key_add, key[:rows])
        if starred:
            _keys(block, first, star_fields, star_add, star[:rows])
        for i in range(rows):
            mixed = key[i] * MIX
            bit = mixed >> (up - THREE)
            found = False
            if (maybe[bit >> SIX] >> (bit & LOW)) & ONE:
                place = mixed >> up
                while places[place] != free and places[place] != key[i]:
                    place = (place + ONE) & mask
                found = places[place] != free
            if not found or starred:
                out[kept] = star[i] if found else new[i]
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


@njit(cache=True, nogil=True)
def unpack(words: Any, shift: Any, mask: Any, out: Any) -> None:
    """Put the codes of a field into ``out``."""
    for i in range(len(words)):
        out[i] = (words[i] >> shift) & mask


@njit(cache=True, nogil=True)
def run_lengths(new: Any, counts: Any) -> None:
    """Count the length of each run into ``counts``, all 0; ``new`` marks where runs begin."""
    at = np.uint64(0)
    for i in range(len(new)):
        if new[i] and i > 0:
            at += ONE
        counts[at] += 1
