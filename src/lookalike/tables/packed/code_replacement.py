"""Replace the codes of packed rows column by column, and leave out or star suppressed rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.key_fields import KeyFields
from lookalike.tables.packed.threads import block, chunks, run_in_threads


class KeySet(NamedTuple):
    """A set of keys in a hash table, for the kernels."""

    places: Words  # (a power of two,): keys, or ``free``
    maybe: Words  # 64 bits for every 8 places: a small filter that excludes most other keys
    free: np.uint64  # a number that is not a key
    up: np.uint64  # 64 - log2(places)

    @classmethod
    def build(cls, keys: Words) -> KeySet:
        """``keys``: sorted and distinct."""
        from lookalike.tables.packed.row_kernels import fill_set

        skipped = np.flatnonzero(keys != np.arange(len(keys), dtype=np.uint64))
        free = np.uint64(skipped[0] if len(skipped) else len(keys))  # the least that is not a key
        bits = max(3, (2 * len(keys)).bit_length())
        maybe = np.zeros(1 << (bits - 3), np.uint64)
        key_set = cls(np.full(1 << bits, free), maybe, free, np.uint64(64 - bits))
        fill_set(keys, key_set)
        return key_set


def replace_codes(
    words: Sequence[Words],
    new: Sequence[KeyFields],
    keys: KeyFields,
    suppressed: KeySet,
    starred: Sequence[KeyFields] | None,
) -> tuple[Words, ...]:
    """A word for each of ``new``, in the order of the rows.

    Rows whose key is suppressed are left out, or become what ``starred`` says. The result
    overwrites the words, as far as there are any.
    """
    from lookalike.tables.packed.row_kernels import recode

    rows = len(words[0])
    out = [*words[: len(new)], *(np.empty(rows, np.uint64) for _ in new[len(words) :])]
    star = starred or new

    def replace_part(part: slice) -> int:
        some, start, end = block(words, part)
        if len(new) > 1 and len(words) == 1:
            some, start, end = some[:, start:end].copy(), 0, end - start
        kept = 0
        for fields, star_fields, word in zip(new, star, out, strict=True):
            kept = recode(
                some, start, end, fields.kernel, keys.kernel, suppressed,
                star_fields.kernel, starred is not None, word[part],
            )  # fmt: skip
        return int(kept)

    parts = list(chunks(rows))
    kept = run_in_threads(replace_part, parts)
    return tuple(_close_gaps(word, parts, kept) for word in out)


def _close_gaps(word: Words, parts: Sequence[slice], kept: Sequence[int]) -> Words:
    """Move the rows that stay together."""
    end = 0
    for part, count in zip(parts, kept, strict=True):
        if end < part.start:
            word[end : end + count] = word[part.start : part.start + count]
        end += count
    return word[:end]
