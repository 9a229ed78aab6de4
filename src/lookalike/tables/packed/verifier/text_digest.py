"""The digest of a packed table of text, as ``row_digest.py`` defines it, hashed in threads.

Packed rows are sorted by their codes. If the codes of every column are in the order of their texts,
the rows are in the order of the digest already; otherwise they are packed again and sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.sorting import sort_rows
from lookalike.tables.packed.threads import map_in_threads
from lookalike.tables.packed.verifier.text_columns import (
    CodeSums,
    Luts,
    Text,
    TextColumn,
    Whole,
    field_lines,
    place_columns,
    word_count,
)
from lookalike.tables.row_digest import PART_ENTRIES, digest_of_parts

SEARCHED_ROWS = 1 << 20  # rows that are compared with the row before at a time
WRITTEN_BYTES = 1 << 20  # that a thread hashes at a time, at most, if an entry is not longer
MAX_COUNT_BYTES = 21  # the digits of a number of rows, and ``=``
Part = tuple[Whole, Whole, int]  # where each distinct row begins, how often it occurs; the end


def digest_of_text(
    names: Sequence[str],
    columns: Sequence[TextColumn],
    words: Sequence[Words],
    counts: Whole | None,
) -> str:
    """The digest of packed rows; ``counts`` is how often each occurs, if not once."""
    from lookalike.tables.packed.verifier.row_kernels import write_entries

    if not _in_text_order(columns, words):
        columns, words, counts = _sorted_by_text(columns, words, counts)
    fields = field_lines(columns)
    starts, cells = _encoded_cells(columns)
    width = MAX_COUNT_BYTES + sum(_longest(columns, starts))
    step = max(1, WRITTEN_BYTES // width)

    def hash_part(part: Part) -> tuple[str, int, int]:
        first, times, end = part
        block = np.stack([word[first[0] : end] for word in words])
        places, digest = first - first[0], sha256()
        entries = np.empty(width * min(step, len(first)), np.uint8)
        for at in range(0, len(first), step):
            some = slice(at, at + step)
            size = write_entries(block, fields, starts, cells, places[some], times[some], entries)
            digest.update(entries[:size].data)
        return digest.hexdigest(), len(first), int(times.sum())

    hashed = list(map_in_threads(hash_part, _parts(words, counts)))
    digests, entries, rows = zip(*hashed, strict=True) if hashed else ((), (), ())
    return digest_of_parts(names, sum(rows), sum(entries), digests)


def _text_order(text: Text) -> tuple[bool, bytes]:
    """By bytes; null last."""
    return text is None, b"" if text is None else text.encode()


def _in_text_order(columns: Sequence[TextColumn], words: Sequence[Words]) -> bool:
    """Are the rows sorted by their texts, first column first?"""
    wide = [column for column in columns if column.bits]
    places = [(column.word, -column.shift) for column in wide]
    if any(a >= b for a, b in pairwise(places)):
        return False
    for column in wide:
        if any(_text_order(a) >= _text_order(b) for a, b in pairwise(column.texts)):
            return False
    return all(np.all(rising) for rising in _rising(words))


def _rising(words: Sequence[Words]) -> Iterator[NDArray[np.bool_]]:
    """For some rows at a time: is each at least as large as the row before?"""
    for start in range(1, len(words[0]), SEARCHED_ROWS):
        after = [word[start : start + SEARCHED_ROWS] for word in words]
        before = [word[start - 1 : start - 1 + len(after[0])] for word in words]
        rising = np.ones(len(after[0]), np.bool_)
        for a, b in zip(before[::-1], after[::-1], strict=True):
            rising = (a < b) | ((a == b) & rising)
        yield rising


def _sorted_by_text(
    columns: Sequence[TextColumn], words: Sequence[Words], counts: Whole | None
) -> tuple[Sequence[TextColumn], Sequence[Words], Whole | None]:
    """The same rows with the codes of each column in the order of its texts, sorted."""
    ordered = [tuple(sorted(set(column.texts), key=_text_order)) for column in columns]
    placed = place_columns(ordered)
    luts: list[Luts] = [[] for _ in range(word_count(placed))]
    for column, new in zip(columns, placed, strict=True):
        rank = {text: i for i, text in enumerate(new.texts)}
        codes = np.array([rank[text] for text in column.texts], dtype=np.uint64).reshape(-1)
        luts[new.word].append((column, (codes << np.uint64(new.shift)).view(np.int64)))
    block = np.stack(words)
    packed = [CodeSums(of_word).of_block(block).view(np.uint64) for of_word in luts]
    if counts is None:
        return placed, sort_rows(packed), None
    order = np.lexsort(packed[::-1])
    return placed, [word[order] for word in packed], counts[order]


def _encoded_cells(columns: Sequence[TextColumn]) -> tuple[Whole, NDArray[np.uint8]]:
    """The text of each code with its length before it, as bytes, and where each begins."""
    encoded: list[bytes] = []
    for column in columns:
        texts = [None if text is None else text.encode() for text in column.texts]
        encoded += [b"-" if text is None else b"%d:%s" % (len(text), text) for text in texts]
        encoded += [b""] * ((1 << column.bits) - len(texts))
    starts = np.cumsum([0, *map(len, encoded)])
    return starts, np.frombuffer(b"".join(encoded), np.uint8)


def _longest(columns: Sequence[TextColumn], starts: Whole) -> list[int]:
    """The bytes of the longest cell of each column."""
    ends = np.cumsum([1 << column.bits for column in columns])
    lengths = np.diff(starts)
    return [int(of.max(initial=0)) for of in np.split(lengths, ends[:-1])] if columns else []


def _parts(words: Sequence[Words], counts: Whole | None) -> Iterator[Part]:
    """The distinct rows of sorted rows, as many at a time as a part of the digest has."""
    rows, first = len(words[0]), np.zeros(0, np.int64)
    for start in range(0, rows, SEARCHED_ROWS):
        end = min(rows, start + SEARCHED_ROWS)
        new = np.zeros(end - start, np.bool_)
        new[0] = start == 0
        for word in words:
            new[1:] |= word[start + 1 : end] != word[start : end - 1]
            new[0] |= start > 0 and word[start] != word[start - 1]
        first = np.concatenate([first, np.flatnonzero(new) + start])
        while len(first) > PART_ENTRIES:
            yield _part(first[:PART_ENTRIES], int(first[PART_ENTRIES]), counts)
            first = first[PART_ENTRIES:]
    if len(first):
        yield _part(first, rows, counts)


def _part(first: Whole, end: int, counts: Whole | None) -> Part:
    if counts is None:
        return first, np.diff(first, append=end), end
    return first, np.add.reduceat(counts[first[0] : end], first - first[0]), end
