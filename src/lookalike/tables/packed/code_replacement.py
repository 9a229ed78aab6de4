"""Rows to other rows: each column's codes replaced, and some rows left out or starred."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.key_fields import Fields
from lookalike.tables.packed.threads import block, chunks, each


@dataclass(frozen=True, slots=True, eq=False)
class Gone:
    """A set of keys, by hash."""

    keys: Fields
    places: Words
    maybe: Words
    free: np.uint64
    up: np.uint64

    @classmethod
    def of(cls, keys: Fields, gone: Words) -> Gone:
        """``gone``: rising, each once."""
        from lookalike.tables.packed.row_kernels import fill_set

        skipped = np.flatnonzero(gone != np.arange(len(gone), dtype=np.uint64))
        free = np.uint64(skipped[0] if len(skipped) else len(gone))  # the least that is not gone
        bits = max(3, (2 * len(gone)).bit_length())
        places, up = np.full(1 << bits, free), np.uint64(64 - bits)
        maybe = np.zeros(1 << (bits - 3), np.uint64)
        fill_set(gone, free, up, places, maybe)
        return cls(keys, places, maybe, free, up)


def recode(
    words: Sequence[Words],
    new: Sequence[Fields],
    gone: Gone,
    starred: Sequence[Fields] | None,
    reuse: bool,
) -> tuple[Words, ...]:
    """A word for each of ``new``, in the order of the rows.

    Rows whose key is gone are left out, or become what ``starred`` says. With ``reuse`` the result
    takes the place of the words, as far as there are any.
    """
    from lookalike.tables.packed.row_kernels import recode as kernel

    rows = len(words[0])
    out = [words[i] if reuse and i < len(words) else np.empty(rows, np.uint64)
           for i in range(len(new))]  # fmt: skip
    star = starred or new

    def one(part: tuple[int, int]) -> int:
        some, start, end = block(words, *part)
        if reuse and len(new) > 1 and len(words) == 1:
            some, start, end = some[:, start:end].copy(), 0, end - start
        kept = 0
        for i, fields in enumerate(new):
            kept = kernel(
                some, start, end, fields.lines, fields.add, gone.keys.lines, gone.keys.add,
                gone.places, gone.maybe, gone.free, gone.up, starred is not None,
                star[i].lines, star[i].add, out[i][slice(*part)],
            )  # fmt: skip
        return int(kept)

    parts = list(chunks(rows))
    kept = each(one, parts)
    return tuple(_closed(word, parts, kept) for word in out)


def _closed(word: Words, parts: Sequence[tuple[int, int]], kept: Sequence[int]) -> Words:
    """The rows that stay, moved together."""
    end = 0
    for (start, _), many in zip(parts, kept, strict=True):
        if end < start:
            word[end : end + many] = word[start : start + many]
        end += many
    return word[:end]
