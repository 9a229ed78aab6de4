"""Rows to keys, keys to counts and to other rows. Compiled.

A *block* is the words of some rows, ``(words, rows)``. A row's key is the sum of what each of its
fields adds, and a field is a line of ``fields``: its word, how far up it is, its mask, and where
its part of ``add`` begins. Without fields the key is the word itself. Indexes are unsigned because
numba checks signed ones for being negative.

A hash table is a power of two of lines (key, count), a count of 0 being a free line; keys go where
their product with ``MIX`` has its highest bits (all but ``up``), or the next free line after it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio
ONE, THREE, SIX, LOW = np.uint64(1), np.uint64(3), np.uint64(6), np.uint64(63)
HASHED = np.uint64(40)
BATCH = 1024  # rows whose keys are made together


@njit(cache=True, nogil=True)
def _keys(block: Any, start: int, fields: Any, add: Any, out: Any) -> None:
    """Of the rows from ``start`` on, as many as ``out`` has room for."""
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
    """The keys of the rows, as far as some bits of their hash are ``part``. How many."""
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
def rows_in_short_runs(words: Any, fewer: int) -> Any:
    """Of words in order: how many are of a kind that fewer than so many are of."""
    found, begin = 0, 0
    for i in range(1, len(words) + 1):
        if i == len(words) or words[i] != words[begin]:
            if i - begin < fewer:
                found += i - begin
            begin = i
    return found


@njit(cache=True, nogil=True)
def count_dense(block: Any, start: int, end: int, fields: Any, add: Any, counts: Any) -> None:
    """``counts[key]`` grows by one a row."""
    key = np.empty(BATCH, np.uint64)
    for first in range(start, end, BATCH):
        rows = min(BATCH, end - first)
        _keys(block, first, fields, add, key[:rows])
        for i in range(rows):
            counts[key[i]] += 1


@njit(cache=True, nogil=True)
def count_hashed(block: Any, start: int, end: int, fields: Any, add: Any, table: Any, up: Any,
                 held: int) -> Any:  # fmt: skip
    """Into a table that holds ``held`` keys, until it is half full. How many now, and where."""
    key = np.empty(BATCH, np.uint64)
    for first in range(start, end, BATCH):
        rows = min(BATCH, end - first)
        if 2 * (held + rows) > len(table):
            return held, first
        _keys(block, first, fields, add, key[:rows])
        for i in range(rows):
            held += _grow(table, up, key[i], ONE)
    return held, end


@njit(cache=True, nogil=True)
def _grow(table: Any, up: Any, key: Any, count: Any) -> Any:
    """1 if the key is new."""
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
def pour(old: Any, table: Any, up: Any, held: int) -> Any:
    """All of a hash table into another that has room; how many keys that holds then."""
    for i in range(len(old)):
        if old[i, 1]:
            held += _grow(table, up, old[i, 0], old[i, 1])
    return held


@njit(cache=True, nogil=True)
def keys_of(table: Any, keys: Any) -> None:
    """The keys a hash table holds, as many as there are."""
    held = np.uint64(0)
    for i in range(len(table)):
        if table[i, 1]:
            keys[held] = table[i, 0]
            held += ONE


@njit(cache=True, nogil=True)
def counts_of(table: Any, up: Any, keys: Any, counts: Any) -> None:
    """Of each of the keys, which are all there."""
    mask = np.uint64(len(table)) - ONE
    for i in range(len(keys)):
        line = (keys[i] * MIX) >> up
        while table[line, 0] != keys[i] or table[line, 1] == 0:
            line = (line + ONE) & mask
        counts[i] = table[line, 1]


@njit(cache=True, nogil=True)
def fill_set(keys: Any, free: Any, up: Any, places: Any, maybe: Any) -> None:
    """A set: ``places`` are all ``free``, a number that is none of the keys.

    ``maybe`` has 64 bits for every 8 places: it is small, and says no to most keys not there.
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
    """The rows' new words; those whose key is in the set get starred, or left out. How many stay.

    ``out`` may be the rows' own part of the only word.
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
    """Words by their part ``(word - least) >> down``: each to the next place of its part.

    Only counted, in ``at``, if they are not to ``move``.
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
    """A field's codes."""
    for i in range(len(words)):
        out[i] = (words[i] >> shift) & mask


@njit(cache=True, nogil=True)
def lengths(new: Any, counts: Any) -> None:
    """``counts`` of zeros: how many follow each that is new, with itself. The first is new."""
    at = np.uint64(0)
    for i in range(len(new)):
        if new[i] and i > 0:
            at += ONE
        counts[at] += 1
