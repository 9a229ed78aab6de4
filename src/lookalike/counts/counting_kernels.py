"""The counting kernels: the equivalence classes of a lattice node, counted on distinct tuples.

They are compiled by numba and cached on disk. ``tests/oracles/counting_plain.py`` has the same in
plain numpy, and the tests compare the two. Import this module late: it loads numba.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.counts.kernel_layout import Encoded, Prices

ONE_INTEGER = 2.0**62  # code tuples with fewer combinations than this fit one integer
NO_LABELS = np.zeros((0, 0), dtype=np.int64)


def gather(encoded: Encoded, source: Classes, levels: NDArray[np.int64]) -> Classes:
    """Merge the classes of a finer node into the classes of ``levels``."""
    labels = NO_LABELS if source.labels is None else source.labels
    into = np.empty(len(source) if source.spreads else 0, dtype=np.int64)
    member, sizes, hist = _gather(
        encoded.leaf, encoded.lookup, encoded.offset, encoded.width,
        encoded.packed, encoded.members, encoded.starts, encoded.leaves,
        levels, source.member, source.sizes, labels, into, encoded.slots, encoded.scratch,
    )  # fmt: skip
    spreads = {name: one.merged(into, len(sizes)) for name, one in source.spreads.items()}
    return Classes(sizes, member, None if source.labels is None else hist, spreads)


def weigh(
    encoded: Encoded,
    classes: Classes,
    levels: NDArray[np.int64],
    broken: NDArray[np.bool_],
    prices: Prices,
) -> NDArray[np.float64]:
    """Per attribute and finer level, the price of all rows in broken classes."""
    total: NDArray[np.float64] = _weigh(
        encoded.leaf, encoded.lookup, encoded.offset, encoded.width, levels,
        classes.member, classes.sizes, broken, prices.flat, prices.offset,
    )  # fmt: skip
    return total


@njit(cache=True, nogil=True)
def _gather(  # type: ignore[no-untyped-def]
    leaf, lookup, offset, width, packed, members, starts, leaves, levels,
    member, sizes, labels, into, slots, scratch,
):  # fmt: skip
    classes = len(member)
    keys, exact, space = scratch[0], np.empty(1, np.bool_), np.empty(1, np.int64)
    _keys(
        lookup, offset, width, packed, members, starts, leaves, levels, member, keys, exact, space
    )
    # Where each class is found: by its key itself if all keys have a slot, else by hashing.
    dense = exact[0] and space[0] <= len(slots)
    capacity = 16
    while capacity < 2 * classes:
        capacity *= 2
    mask = np.uint64(capacity - 1)
    out_keys, out_member, out_sizes, out_slot = scratch[1], scratch[2], scratch[3], scratch[4]
    out_labels = np.zeros((classes if labels.shape[1] else 0, labels.shape[1]), np.int64)
    count = 0
    for c in range(classes):
        key = keys[c]
        if dense:
            slot = np.uint64(key)
        else:
            mixed = key * np.int64(-7046029254386353131)  # 2^64 / golden ratio
            slot = np.uint64(mixed ^ (mixed >> 32)) & mask
        while True:
            at = slots[slot]
            if at < 0:  # a class not met before
                at = np.int32(count)
                slots[slot] = at
                out_keys[count] = key
                out_slot[count] = slot
                out_member[count] = member[c]
                out_sizes[count] = sizes[c]
                count += 1
                break
            if dense or (
                out_keys[np.uint64(at)] == key
                and (
                    exact[0]
                    or _alike(leaf, lookup, offset, levels, member[c], out_member[np.uint64(at)])
                )
            ):
                out_sizes[np.uint64(at)] += sizes[c]
                break
            slot = (slot + np.uint64(1)) & mask
        if len(into):
            into[c] = at
        for v in range(labels.shape[1]):
            out_labels[at, v] += labels[c, v]
    for i in range(count):  # leave the slots as they were found: all free
        slots[np.uint64(out_slot[i])] = -1
    return out_member[:count].copy(), out_sizes[:count].copy(), out_labels[:count].copy()


@njit(cache=True, nogil=True)
def _keys(  # type: ignore[no-untyped-def]
    lookup, offset, width, packed, members, starts, leaves, levels, member, keys, exact, space
):
    """One integer a class: equal for lookalikes; different for others, if all fit (``exact``).

    Indexes are unsigned because numba checks signed ones for being negative, at twice the time.
    """
    attributes, packs = len(levels), packed.shape[1]
    combinations = 1.0
    for a in range(attributes):
        combinations *= width[a, levels[a]]
    exact[0] = combinations < ONE_INTEGER
    stride = np.empty(attributes, np.int64)
    space[0] = 1
    for a in range(attributes):
        if exact[0]:
            stride[a] = space[0]
            space[0] *= width[a, levels[a]]
        else:  # too many combinations: a hash, and classes are compared code by code
            odd = np.int64(a + 1) * np.int64(-7046029254386353131)
            stride[a] = ((odd ^ (odd >> 29)) * np.int64(-4658895280553007687)) | 1

    # One table a pack: what a packed value adds to the key. Columns at `*` add nothing.
    begin = np.empty(packs, np.uint64)
    used = np.empty(packs, np.uint64)
    inuse = 0
    total = 0
    for p in range(packs):
        values = 1
        all_top = True
        for m in range(starts[p], starts[p + 1]):
            values *= leaves[members[m]]
            all_top = all_top and width[members[m], levels[members[m]]] == 1
        if not all_top:
            used[inuse] = p
            begin[inuse] = total
            inuse += 1
            total += values
    add = np.zeros(total, np.int64)
    for q in range(inuse):
        start = np.int64(begin[q])
        values = 1
        for m in range(starts[np.int64(used[q])], starts[np.int64(used[q]) + 1]):
            a = members[m]
            # outer product with the values so far, from the back so that none is overwritten
            for i in range(values - 1, -1, -1):
                so_far = add[start + i]
                for v in range(leaves[a] - 1, -1, -1):
                    code = lookup[offset[a, levels[a]] + v]
                    add[start + i * leaves[a] + v] = so_far + code * stride[a]
            values *= leaves[a]

    for c in range(len(member)):
        group = np.uint64(member[c])
        key = np.int64(0)
        for q in range(inuse):
            key += add[begin[q] + np.uint64(packed[group, used[q]])]
        keys[c] = key


@njit(cache=True, nogil=True)
def _alike(leaf, lookup, offset, levels, one, other):  # type: ignore[no-untyped-def]
    for a in range(leaf.shape[1]):
        base = offset[a, levels[a]]
        if lookup[base + leaf[one, a]] != lookup[base + leaf[other, a]]:
            return False
    return True


@njit(cache=True, nogil=True)
def _weigh(  # type: ignore[no-untyped-def]
    leaf, lookup, offset, width, levels, member, sizes, broken, prices, price_offset
):
    attributes = leaf.shape[1]
    begin = np.zeros(attributes + 1, np.int64)
    base = np.empty(attributes, np.uint64)
    for a in range(attributes):
        begin[a + 1] = begin[a] + width[a, levels[a]]
        base[a] = offset[a, levels[a]]
    lost = np.zeros(begin[attributes], np.int64)  # rows of broken classes per code
    for c in range(len(member)):
        if broken[c]:
            group = np.uint64(member[c])
            for a in range(attributes):
                code = lookup[base[a] + np.uint64(leaf[group, np.uint64(a)])]
                lost[np.uint64(begin[a]) + np.uint64(code)] += sizes[c]
    total = np.zeros(price_offset.shape)
    for a in range(attributes):
        columns = levels[a] + 1
        for code in range(width[a, levels[a]]):
            rows = lost[begin[a] + code]
            if rows:
                at = price_offset[a, levels[a]] + code * columns
                for finer in range(columns):
                    total[a, finer] += rows * prices[at + finer]
    return total
