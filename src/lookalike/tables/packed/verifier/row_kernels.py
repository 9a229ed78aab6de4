"""Compiled: what the verifier computes from packed rows: fingerprints, sums, order, codes.

A column is a line of ``fields``: its word, its shift, its mask, and where its part of the numbers
begins. A block is the words of some rows, ``(words, rows)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

PRIME = np.uint64(2**31 - 1)
PRIME_BITS = np.uint64(31)
ONE = np.uint64(1)
MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio


@njit(cache=True, nogil=True)
def _folded(product: Any) -> Any:
    """The same modulo 2^31 - 1, and at most 2^31 + 3: higher bits are added to the lower ones."""
    once = (product & PRIME) + (product >> PRIME_BITS)
    return (once & PRIME) + (once >> PRIME_BITS)


@njit(cache=True, nogil=True)
def add_products(block: Any, fields: Any, numbers: Any, times: Any, gone: Any, sums: Any) -> None:
    """Add each row's product of the five numbers of its cells, modulo the prime, to ``sums``.

    ``numbers`` is (cells, 5); ``times`` is how often each row occurs, or empty; ``gone`` flags the
    rows that do not count, or is empty.
    """
    for i in range(block.shape[1]):
        if len(gone) and gone[i]:
            continue
        a = b = c = d = e = np.uint64(1)
        for f in range(len(fields)):
            word, shift, mask, begin = fields[f]
            at = begin + ((block[word, i] >> shift) & mask)
            a = _folded(a * numbers[at, 0])
            b = _folded(b * numbers[at, 1])
            c = _folded(c * numbers[at, 2])
            d = _folded(d * numbers[at, 3])
            e = _folded(e * numbers[at, 4])
        repeats = np.uint64(times[i]) if len(times) else np.uint64(1)
        sums[0] += (a % PRIME) * repeats
        sums[1] += (b % PRIME) * repeats
        sums[2] += (c % PRIME) * repeats
        sums[3] += (d % PRIME) * repeats
        sums[4] += (e % PRIME) * repeats


@njit(cache=True, nogil=True)
def add_up(block: Any, fields: Any, numbers: Any, sums: Any) -> None:
    """Add up the numbers of the cells of each row in ``sums``."""
    for f in range(len(fields)):
        word, shift, mask, begin = fields[f]
        part = block[word]
        if f == 0:
            for i in range(len(sums)):
                sums[i] = numbers[begin + ((part[i] >> shift) & mask)]
        else:
            for i in range(len(sums)):
                sums[i] += numbers[begin + ((part[i] >> shift) & mask)]


@njit(cache=True, nogil=True)
def add_falls(
    block: Any, fields: Any, cells: Any, by_text: Any, by_number: Any, falls: Any
) -> None:
    """Count in ``falls[column]`` the rows that first differ from the previous row in this column
    and have a smaller text (0) or number (1) there.

    ``cells`` numbers the distinct cells; ``by_text`` and ``by_number`` are their ranks.
    """
    for i in range(1, block.shape[1]):
        for f in range(len(fields)):
            word, shift, mask, begin = fields[f]
            before = begin + ((block[word, i - 1] >> shift) & mask)
            after = begin + ((block[word, i] >> shift) & mask)
            if cells[before] != cells[after]:
                if by_text[after] < by_text[before]:
                    falls[f, 0] += 1
                if by_number[after] < by_number[before]:
                    falls[f, 1] += 1
                break


@njit(cache=True, nogil=True)
def list_hashes(hashes: Any, up: Any, lines: Any) -> bool:
    """Fill ``lines``, all free, with (hash, place + 1); False if a hash occurs twice."""
    mask = np.uint64(len(lines)) - ONE
    for i in range(len(hashes)):
        line = (hashes[i] * MIX) >> up
        while lines[line, 1]:
            if lines[line, 0] == hashes[i]:
                return False
            line = (line + ONE) & mask
        lines[line, 0] = hashes[i]
        lines[line, 1] = i + 1
    return True


@njit(cache=True, nogil=True)
def add_listed(hashes: Any, up: Any, lines: Any, shift: Any, words: Any) -> bool:
    """Add the shifted place of each hash in the list to ``words``; False if one is missing."""
    mask = np.uint64(len(lines)) - ONE
    for i in range(len(hashes)):
        line = (hashes[i] * MIX) >> up
        while lines[line, 1] and lines[line, 0] != hashes[i]:
            line = (line + ONE) & mask
        if not lines[line, 1]:
            return False
        words[i] += (lines[line, 1] - ONE) << shift
    return True


@njit(cache=True, nogil=True)
def write_entries(
    block: Any, fields: Any, starts: Any, cells: Any, first: Any, counts: Any, out: Any
) -> int:
    """Write the digest's entries of the rows ``first`` into ``out``; returns how many bytes.

    ``first`` are places in the block, one for each distinct row, and ``counts`` how often it
    occurs. The text of a code, with its length before it, is ``cells[starts[code] :
    starts[code + 1]]``. ``out`` is large enough.
    """
    digits = np.empty(20, np.uint8)
    size = 0
    for entry in range(len(first)):
        left, places = counts[entry], 0
        while left or not places:
            digits[places] = 48 + left % 10
            left //= 10
            places += 1
        for i in range(places):
            out[size + i] = digits[places - 1 - i]
        out[size + places] = 61  # =
        size += places + 1
        for f in range(len(fields)):
            word, shift, mask, begin = fields[f]
            at = begin + ((block[word, first[entry]] >> shift) & mask)
            start, stop = starts[at], starts[at + np.uint64(1)]
            for i in range(start, stop):
                out[size + i - start] = cells[i]
            size += stop - start
    return size
