"""Count the rows in small classes of a lattice node, for proofs that cite thousands of nodes.

The codes that a group shows are written as digits of one number, or of several if one is too
short. Equal numbers are found with a hash table; two that fall into the same place are compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.jit import kernel

LARGEST = 2.0**62  # what one number may hold


@kernel
def rows_in_small_classes(shown, at, widths, rows, smallest, keys, places, first, held) -> Any:  # type: ignore[no-untyped-def]
    """Rows in classes with fewer rows than ``smallest``.

    ``shown`` (columns and levels, groups): ``shown[at[a]]`` are the codes of column a, of which
    there are ``widths[a]``. ``keys`` (numbers, groups), ``places``, ``first`` and ``held`` are room
    to count in; there are a power of two ``places``, and at least twice as many as groups.
    """
    groups = len(rows)
    numbers = 0
    room = 1.0
    keys[0, :] = 0
    for a in range(len(at)):
        if widths[a] <= 1:
            continue
        if room * widths[a] >= LARGEST:
            numbers += 1
            keys[numbers, :] = 0
            room = 1.0
        room *= widths[a]
        codes, width = shown[at[a]], np.int64(widths[a])
        for g in range(groups):
            keys[numbers, g] = keys[numbers, g] * width + codes[g]
    places[:] = -1
    bits = len(places) - 1
    classes = 0
    for g in range(groups):
        place = np.int64(0)
        for n in range(numbers + 1):
            place = (place + keys[n, g]) * np.int64(0x2545F4914F6CDD1D)
            place ^= (place >> 29) & np.int64(0x7FFFFFFFF)
        place &= bits
        while True:
            c = places[place]
            if c < 0:
                places[place] = classes
                first[classes] = g
                held[classes] = rows[g]
                classes += 1
                break
            same = True
            for n in range(numbers + 1):
                if keys[n, g] != keys[n, first[c]]:
                    same = False
            if same:
                held[c] += rows[g]
                break
            place = (place + 1) & bits
    small = np.int64(0)
    for c in range(classes):
        if held[c] < smallest:
            small += held[c]
    return small
