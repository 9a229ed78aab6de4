"""Columns of text as codes in packed words, for the verifier; keys and sums made of their codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lookalike.tables.packed.bit_layout import WORD_BITS, Words

Text = str | None
Whole = NDArray[np.int64]
KEY_BITS = 62


@dataclass(frozen=True, slots=True)
class TextColumn:
    """Where a column's codes are, and the text of each code."""

    word: int
    shift: int
    bits: int
    texts: tuple[Text, ...]

    def codes(self, words: Sequence[Words], rows: slice) -> NDArray[np.int64]:
        codes = (words[self.word][rows] >> np.uint64(self.shift)) & np.uint64((1 << self.bits) - 1)
        return codes.astype(np.int64)


Luts = list[tuple[TextColumn, Whole]]  # by column: the number of each code


def place_columns(texts: Sequence[tuple[Text, ...]]) -> tuple[TextColumn, ...]:
    """Assign each column its bits, from the top of a word down.

    It does not use the layout of the search: if that were wrong, both would read the same wrong
    cells.
    """
    columns, word, used = [], 0, 0
    for of_column in texts:
        bits = max(1, (len(of_column) - 1).bit_length())
        if used + bits > WORD_BITS:
            word, used = word + 1, 0
        used += bits
        columns.append(TextColumn(word, WORD_BITS - used, bits, of_column))
    return tuple(columns)


def word_count(columns: Sequence[TextColumn]) -> int:
    """The number of words that the columns take."""
    return max((column.word for column in columns), default=0) + 1


def field_lines(columns: Sequence[TextColumn]) -> Words:
    """Where each column is, as the kernels take it: word, shift, mask, begin of its numbers."""
    lines, begin = [], 0
    for column in columns:
        lines.append((column.word, column.shift, (1 << column.bits) - 1, begin))
        begin += 1 << column.bits
    return np.array(lines, dtype=np.uint64).reshape(-1, 4)


class CodeSums:
    """Adds up the numbers of the codes of some columns, row by row."""

    def __init__(self, luts: Luts) -> None:
        self.lines = field_lines([column for column, _ in luts])
        self.numbers = np.zeros(sum(1 << column.bits for column, _ in luts), dtype=np.int64)
        for (_, lut), begin in zip(luts, self.lines[:, 3].tolist(), strict=True):
            self.numbers[begin : begin + len(lut)] = lut

    def of_block(self, block: Words) -> Whole:
        from lookalike.tables.packed.verifier.row_kernels import add_up

        sums = np.zeros(block.shape[1], dtype=np.int64)
        add_up(block, self.lines, self.numbers, sums)
        return sums


class TextKeys:
    """Tuples of texts as one whole number or several."""

    def __init__(self, columns: Sequence[TextColumn]) -> None:
        self.texts: list[list[Text]] = []  # by column: its distinct texts
        self.luts: list[Luts] = [[]]  # by word of the key
        self.places: list[tuple[int, int, int]] = []  # by column: word, shift, bits
        used = 0
        for column in columns:
            number = {text: i for i, text in enumerate(dict.fromkeys(column.texts))}
            bits = max(1, len(number)).bit_length()
            if used + bits > KEY_BITS:
                self.luts.append([])
                used = 0
            self.places.append((len(self.luts) - 1, used, bits))
            lut = np.zeros(1 << column.bits, dtype=np.int64)
            lut[: len(column.texts)] = [number[text] << used for text in column.texts]
            self.luts[-1].append((column, lut))
            self.texts.append(list(number))
            used += bits

    def texts_of(self, keys: Any, i: int) -> Any:
        """The text of column i in each key; ``keys`` has columns w0, w1 …"""
        word, shift, bits = self.places[i]
        numbers = (keys.column(f"w{word}").to_numpy() >> shift) & ((1 << bits) - 1)
        return pa.array(self.texts[i], pa.string()).take(pa.array(numbers))

    def of_texts(self, columns: Sequence[Any]) -> list[Whole]:
        """The keys of tuples given by text, column by column."""
        keys = [np.zeros(len(columns[0]), dtype=np.int64) for _ in self.luts]
        for (word, shift, _), known, texts in zip(self.places, self.texts, columns, strict=True):
            at = pc.index_in(texts, value_set=pa.array(known, pa.string()))
            keys[word] += at.to_numpy().astype(np.int64) << shift
        return keys
