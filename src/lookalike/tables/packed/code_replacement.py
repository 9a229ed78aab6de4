"""Replace the codes of packed rows column by column, and leave out or star suppressed rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.key_fields import KeyFields
from lookalike.tables.packed.threads import block, chunks, run_in_threads


@dataclass(frozen=True, slots=True, eq=False)
class KeySet:
    """A set of keys in a hash table, and how to make the key of a row."""

    fields: KeyFields
    places: Words
    maybe: Words
    free: np.uint64
    up: np.uint64

    @classmethod
    def build(cls, fields: KeyFields, keys: Words) -> KeySet:
        """``keys``: sorted and distinct."""
        from lookalike.tables.packed.row_kernels import fill_set

        skipped = np.flatnonzero(keys != np.arange(len(keys), dtype=np.uint64))
        free = np.uint64(skipped[0] if len(skipped) else len(keys))  # the least that is no key
        bits = max(3, (2 * len(keys)).bit_length())
        places, up = np.full(1 << bits, free), np.uint64(64 - bits)
        maybe = np.zeros(1 << (bits - 3), np.uint64)
        fill_set(keys, free, up, places, maybe)
        return cls(fields, places, maybe, free, up)


def replace_codes(
    words: Sequence[Words],
    new: Sequence[KeyFields],
    suppressed: KeySet,
    starred: Sequence[KeyFields] | None,
    reuse: bool,
) -> tuple[Words, ...]:
    """A word for each of ``new``, in the order of the rows.

    Rows whose key is suppressed are left out, or become what ``starred`` says. With ``reuse`` the
    result overwrites the words, as far as there are any.
    """
    from lookalike.tables.packed.row_kernels import recode

    rows = len(words[0])
    out = [words[i] if reuse and i < len(words) else np.empty(rows, np.uint64)
           for i in range(len(new))]  # fmt: skip
    star, keys = starred or new, suppressed.fields

    def replace_part(part: tuple[int, int]) -> int:
        some, start, end = block(words, *part)
        if reuse and len(new) > 1 and len(words) == 1:
            some, start, end = some[:, start:end].copy(), 0, end - start
        kept = 0
        for i, fields in enumerate(new):
            kept = recode(
                some, start, end, fields.lines, fields.add, keys.lines, keys.add,
                suppressed.places, suppressed.maybe, suppressed.free, suppressed.up,
                starred is not None, star[i].lines, star[i].add, out[i][slice(*part)],
            )  # fmt: skip
        return int(kept)

    parts = list(chunks(rows))
    kept = run_in_threads(replace_part, parts)
    return tuple(_close_gaps(word, parts, kept) for word in out)


def _close_gaps(word: Words, parts: Sequence[tuple[int, int]], kept: Sequence[int]) -> Words:
    """Move the rows that stay together."""
    end = 0
    for (start, _), count in zip(parts, kept, strict=True):
        if end < start:
            word[end : end + count] = word[start : start + count]
        end += count
    return word[:end]
