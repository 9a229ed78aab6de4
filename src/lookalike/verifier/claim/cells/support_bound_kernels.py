"""Every lattice node, one after the other: who is alike there, and what follows. Compiled.

Nodes are visited like the numbers of an odometer, so that what the first columns show is kept while
the last ones change. Groups that fewer than k rows are alike with over the first columns have no
one over all of them, and are left aside.
"""

from __future__ import annotations

import numpy as np
from numba import njit

TIE = 1e-11


@njit(cache=True, nogil=True)
def scan(leaf, rows, label, price, many, k, charge, found):  # type: ignore[no-untyped-def]
    """Without charges, lower ``found`` to what each group pays at the cheapest node where k rows
    are alike with it. With charges, raise it to what each is charged too much, for a row.
    """
    columns, groups = leaf.shape
    alike = np.zeros((columns + 1, groups), np.int64)  # a number for those that are
    paid = np.zeros((columns + 1, groups))
    here = np.empty((columns + 1, groups), np.int64)  # the groups that are left, at each depth
    many_here = np.zeros(columns + 1, np.int64)
    many_here[0] = groups
    for g in range(groups):
        here[0, g] = g
    turn = np.zeros(columns, np.int64)
    first = 0
    while True:
        for a in range(first, columns):
            many_here[a + 1] = split(
                leaf[a], rows, label[a, turn[a]], price[a, turn[a]], k, here[a], many_here[a],
                alike[a], paid[a], here[a + 1], alike[a + 1], paid[a + 1],
            )  # fmt: skip
        left = here[columns, : many_here[columns]]
        if len(charge):
            _too_much(rows, k, charge, left, alike[columns], paid[columns], found)
        else:
            for g in left:
                found[g] = min(found[g], paid[columns, g])
        first = columns - 1
        while first >= 0 and turn[first] + 1 == many[first]:
            turn[first] = 0
            first -= 1
        if first < 0:
            return
        turn[first] += 1


@njit(cache=True, nogil=True)
def split(  # type: ignore[no-untyped-def]
    leaf, rows, label, price, k, here, count, alike, paid, here_now, alike_now, paid_now
):
    """Tell groups apart by one column more. Returns how many have k rows alike with them."""
    capacity = 16
    while capacity < 2 * count:
        capacity *= 2
    mask = np.uint64(capacity - 1)
    owner = np.full(capacity, -1, np.int64)
    held = np.zeros(capacity, np.int64)
    slots = np.empty(count, np.uint64)
    for i in range(count):
        g = here[i]
        mixed = np.uint64(alike[g]) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(label[leaf[g]])
        mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)
        slot = (mixed ^ (mixed >> np.uint64(30))) & mask
        while owner[slot] >= 0 and (
            alike[owner[slot]] != alike[g] or label[leaf[owner[slot]]] != label[leaf[g]]
        ):
            slot = (slot + np.uint64(1)) & mask
        if owner[slot] < 0:
            owner[slot] = g
        held[slot] += rows[g]
        slots[i] = slot
    kept = 0
    for i in range(count):
        if held[slots[i]] >= k:
            g = here[i]
            here_now[kept] = g
            alike_now[g] = owner[slots[i]]
            paid_now[g] = paid[g] + price[leaf[g]]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _too_much(rows, k, charge, left, alike, paid, found):  # type: ignore[no-untyped-def]
    """For all that are alike at a node: the set of k rows or more that is charged most too much."""
    above, many = np.zeros(len(rows)), np.zeros(len(rows), np.int64)  # by number
    for g in left:
        if charge[g] > paid[g]:
            above[alike[g]] += rows[g] * (charge[g] - paid[g])
            many[alike[g]] += rows[g]
    some = 0
    for g in left:
        some += many[alike[g]] > 0
    if some == 0:
        return
    # Those short of k rows take in others, who lack least first.
    lacking, count = np.empty(some, np.int64), 0
    for g in left:
        if many[alike[g]] > 0 and charge[g] <= paid[g]:
            lacking[count] = g
            count += 1
    lack = np.empty(count)
    for i in range(count):
        lack[i] = paid[lacking[i]] - charge[lacking[i]]
    for i in np.argsort(lack):
        g = lacking[i]
        number = alike[g]
        if many[number] < k:
            more = min(rows[g], k - many[number])
            above[number] -= more * lack[i]
            many[number] += more
    for g in left:
        if above[alike[g]] > TIE:
            found[g] = max(found[g], above[alike[g]] / k)


@njit(cache=True, nogil=True)
def sets_near(leaf, rows, label, price, many, k, charge, reach, told, most):  # type: ignore[no-untyped-def]
    """Every set of k to 2k − 1 rows that lacks at most ``reach``, as rows of ``told``.

    A row of ``told`` has the groups of a set, one entry a row of the table, then −1. Each set is
    told at the node of its lowest shared labels. Returns how many, −1 if they are more than
    ``most`` or ``told`` has no room.
    """
    columns, groups = leaf.shape
    alike = np.zeros((columns + 1, groups), np.int64)
    paid = np.zeros((columns + 1, groups))
    here = np.empty((columns + 1, groups), np.int64)
    many_here = np.zeros(columns + 1, np.int64)
    many_here[0] = groups
    for g in range(groups):
        here[0, g] = g
    turn = np.zeros(columns, np.int64)
    first, count = 0, 0
    while True:
        for a in range(first, columns):
            many_here[a + 1] = split(
                leaf[a], rows, label[a, turn[a]], price[a, turn[a]], k, here[a], many_here[a],
                alike[a], paid[a], here[a + 1], alike[a + 1], paid[a + 1],
            )  # fmt: skip
        left = here[columns, : many_here[columns]].copy()
        order = np.argsort(alike[columns][left], kind="mergesort")
        begin = 0
        while begin < len(left):
            end = begin + 1
            number = alike[columns, left[order[begin]]]
            while end < len(left) and alike[columns, left[order[end]]] == number:
                end += 1
            count = _sets_in(
                leaf, rows, label, turn, k, charge, paid[columns], left[order[begin:end]], reach,
                told, count, most,
            )  # fmt: skip
            if count < 0:
                return -1
            begin = end
        first = columns - 1
        while first >= 0 and turn[first] + 1 == many[first]:
            turn[first] = 0
            first -= 1
        if first < 0:
            return count
        turn[first] += 1


@njit(cache=True, nogil=True)
def _sets_in(leaf, rows, label, turn, k, charge, paid, members, reach, told, count, most):  # type: ignore[no-untyped-def]
    """The sets among those that are alike at one node. Returns how many are told by now."""
    widest = 2 * k - 1
    lack = paid[members] - charge[members]
    by_lack = np.argsort(lack, kind="mergesort")
    sorted_lack = lack[by_lack]
    # The least that sets of k rows or more lack here.
    least, taken = 0.0, 0
    for i in range(len(members)):
        more = min(rows[members[by_lack[i]]], widest - taken)
        if sorted_lack[i] >= 0:
            more = min(more, k - taken)
        if more <= 0:
            break
        least += more * sorted_lack[i]
        taken += more
    if least > reach + TIE:
        return count
    # How many rows of each member are in the set, from the first member on.
    amount = np.zeros(len(members), np.int64)
    at, size, total, down = 0, 0, 0.0, True
    while at >= 0:
        if down:
            ends = at == len(members) or size == widest
            if not ends and sorted_lack[at] > 0:
                ends = total + sorted_lack[at] > reach + TIE
            if not ends and size < k and total + (k - size) * sorted_lack[at] > reach + TIE:
                at -= 1
                down = False
            elif not ends:
                amount[at] = min(rows[members[by_lack[at]]], widest - size)
                size += amount[at]
                total += amount[at] * sorted_lack[at]
                at += 1
            else:
                if (
                    size >= k
                    and total <= reach + TIE
                    and _nothing_lower(leaf, label, turn, members, by_lack, amount)
                ):
                    if count == most or count == len(told):
                        return -1
                    place = 0
                    for i in range(at):
                        for _ in range(amount[i]):
                            told[count, place] = members[by_lack[i]]
                            place += 1
                    count += 1
                at -= 1
                down = False
        elif amount[at] > 0:
            amount[at] -= 1
            size -= 1
            total -= sorted_lack[at]
            at += 1
            down = True
        else:
            at -= 1
    return count


@njit(cache=True, nogil=True)
def _nothing_lower(leaf, label, turn, members, by_lack, amount):  # type: ignore[no-untyped-def]
    """Is there no column in which all members of the set show one label on a lower level?"""
    for a in range(len(leaf)):
        for lower in range(turn[a]):
            shown, same = -1, True
            for i in range(len(members)):
                if amount[i] > 0:
                    one = label[a, lower, leaf[a, members[by_lack[i]]]]
                    if shown < 0:
                        shown = one
                    elif shown != one:
                        same = False
                        break
            if same:
                return False
    return True
