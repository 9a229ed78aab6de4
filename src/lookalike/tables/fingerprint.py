"""The fingerprint of a table, worked out from its rows as text: four sums of products.

A cell is a number: of the MD5 of its column's place and its text, four of them, modulo the prime
2^31 - 1. A row is the product of its cells, a table the sum of its rows. Seen as a polynomial in
the cells it has a term for each row, so two tables with other rows are different polynomials, and
these agree at a random place with a chance of at most columns / 2^31 (Schwartz and Zippel), at
four places with that to the fourth.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import md5
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

PRIME = 2**31 - 1
WORDS = 4  # numbers of an MD5
MANY = 1 << 20  # cells of a column that are remembered
Whole = NDArray[np.int64]
Met = list[Whole]


def of_batches(columns: int, batches: Iterable[Any]) -> tuple[int, ...]:
    """Rows, and the four sums; batches have text c0, c1 … and how often a row is there, n, last."""
    known: list[dict[str | None, int]] = [{} for _ in range(columns)]
    met: Met = [np.zeros((0, WORDS), dtype=np.int64) for _ in range(columns)]
    total, sums = 0, [0] * WORDS
    for batch in batches:
        times = batch.column(columns).to_numpy(zero_copy_only=False).astype(np.int64)
        product = np.ones((WORDS, len(times)), dtype=np.int64)
        for at in range(columns):
            coded = pc.dictionary_encode(batch.column(at), null_encoding="encode")
            texts, codes = coded.dictionary.to_pylist(), coded.indices.to_numpy()
            if len(known[at]) > MANY:  # nearly unique cells: remembering them gains nothing
                known[at], met[at] = {}, met[at][:0]
            product *= _looked_up(at, texts, known[at], met)[:, codes]
            product %= PRIME
        total += int(times.sum())
        for word in range(WORDS):
            sums[word] += _dot(product[word], times)
    return total, *sums


def numbers(column: int, texts: Iterable[str | None]) -> Whole:
    """(texts, words): the four numbers of each cell."""
    plain, null = b"%d+" % column, b"%d-" % column
    digests = b"".join(
        md5(null if text is None else plain + text.encode(), usedforsecurity=False).digest()
        for text in texts
    )
    return np.frombuffer(digests, dtype=">u4").astype(np.int64).reshape(-1, WORDS) % PRIME


def _looked_up(
    column: int, texts: list[str | None], known: dict[str | None, int], met: Met
) -> Whole:
    """(words, texts), those met before without hashing them again."""
    new = [text for text in texts if text not in known]
    if new:
        known.update(zip(new, range(len(known), len(known) + len(new)), strict=True))
        met[column] = np.concatenate([met[column], numbers(column, new)])
    at = [known[text] for text in texts]
    return met[column][at].T


def _dot(product: Whole, times: Whole) -> int:
    """The exact sum, which may be beyond 64 bits."""
    high, low = product >> 16, product & 0xFFFF
    return (int((high * times).sum()) << 16) + int((low * times).sum())
