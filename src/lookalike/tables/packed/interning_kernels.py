"""Compiled: a growing list of distinct byte strings, found by a number made of each.

Cells of any type come as bytes. A short string is its own number (with its length, unless all are
``wide`` bytes). A long string has a hash, and is compared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio
ONE = np.uint64(1)
BYTE_BITS = np.uint64(8)
SHORT_BYTES = 7
LONG = np.uint64(0xFF << 56)  # not a length of a short string


class Strings(NamedTuple):
    """String i is ``data[ends[i]:ends[i + 1]]``."""

    data: Any  # (bytes,)
    ends: Any  # (strings + 1,)


class KnownStrings(NamedTuple):
    """The list of distinct strings, in the order of their first occurrence."""

    heap: Any  # (bytes,) of all strings, one after the other
    stops: Any  # (strings + 1,) where each string begins in the heap, and the last ends
    lines: Any  # (a power of two, 2) a hash table: number, place in the list + 1; 0 is free
    up: Any  # 64 - log2(lines)


@njit(cache=True, nogil=True)
def intern(
    strings: Strings, wide: int, known: KnownStrings, held: int, first: int, out: Any
) -> Any:
    """Set ``out[i]`` to the place in the list of string i, from the ``first`` one on.

    The list has ``held`` strings and space for all. It stops when it has too few lines. Returns
    how many strings it has now, and where it stopped.
    """
    data, ends = strings
    heap, stops, lines, up = known
    mask, enough = np.uint64(len(lines)) - ONE, 5 * (len(lines) // 8)
    for i in range(first, len(ends) - 1):
        if held >= enough:
            return held, i
        begin, end = np.uint64(ends[i]), np.uint64(ends[i + 1])
        number = np.uint64(0)
        short = end - begin <= SHORT_BYTES or wide == 8
        if short:
            for at in range(begin, end):
                number |= np.uint64(data[at]) << ((at - begin) * BYTE_BITS)
            if wide == 0:
                number |= (end - begin) << np.uint64(56)
        else:
            for at in range(begin, end):
                number = (number ^ np.uint64(data[at])) * MIX
                number ^= number >> np.uint64(32)
            number |= LONG
        line = (number * MIX) >> up
        while True:
            place = lines[line, 1]
            if place == 0:
                at_heap = np.uint64(stops[held])
                for at in range(begin, end):
                    heap[at_heap] = data[at]
                    at_heap += ONE
                held += 1
                stops[held] = at_heap
                lines[line, 0] = number
                lines[line, 1] = held
                out[i] = held - 1
                break
            if lines[line, 0] == number and (
                short or _same(data, begin, end, heap, stops, place - ONE)
            ):
                out[i] = place - ONE
                break
            line = (line + ONE) & mask
    return held, len(ends) - 1


@njit(cache=True, nogil=True)
def _same(data: Any, begin: Any, end: Any, heap: Any, stops: Any, place: Any) -> Any:
    at_heap = np.uint64(stops[place])
    if np.uint64(stops[place + ONE]) - at_heap != end - begin:
        return False
    for at in range(begin, end):
        if data[at] != heap[at_heap]:
            return False
        at_heap += ONE
    return True


@njit(cache=True, nogil=True)
def move_lines(old: Any, lines: Any, up: Any) -> None:
    """Move all lines into a larger table, which is empty."""
    mask = np.uint64(len(lines)) - ONE
    for i in range(len(old)):
        if old[i, 1]:
            line = (old[i, 0] * MIX) >> up
            while lines[line, 1]:
                line = (line + ONE) & mask
            lines[line] = old[i]


@njit(cache=True, nogil=True)
def add_looked_up(index: Any, lut: Any, out: Any) -> None:
    """``out += lut[index]``"""
    for i in range(len(index)):
        out[i] += lut[np.uint32(index[i])]


@njit(cache=True, nogil=True)
def mark_used(index: Any, used: Any) -> None:
    """``used[index] = True``"""
    for i in range(len(index)):
        used[np.uint32(index[i])] = True
