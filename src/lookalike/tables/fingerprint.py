"""The fingerprint of a table, computed from its rows as text: four sums of products.

A cell is four numbers: those of the MD5 of its column's position and its text, modulo the prime
2^31 - 1. A row is the product of its cells, a table the sum of its rows. As a polynomial in the
cells, a table has a term for each row, so tables with different rows are different polynomials.
They agree at a random point with a probability of at most columns / 2^31 (Schwartz and Zippel), and
at four points with the fourth power of that.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import md5
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lookalike.tables.sql.relation import Rows

PRIME = 2**31 - 1
WORDS = 4  # numbers of an MD5
MAX_KNOWN_CELLS = 1 << 20  # of a column whose numbers are remembered
Whole = NDArray[np.int64]


def fingerprint_of_batches(columns: int, batches: Iterable[Any]) -> tuple[int, ...]:
    """The number of rows and the four sums.

    Batches have text columns c0, c1 … and, last, how often each row occurs, n.
    """
    known: list[dict[str | None, int]] = [{} for _ in range(columns)]
    known_numbers = [np.zeros((0, WORDS), dtype=np.int64) for _ in range(columns)]
    total, sums = 0, [0] * WORDS
    for batch in batches:
        times = batch.column(columns).to_numpy(zero_copy_only=False).astype(np.int64)
        product = np.ones((WORDS, len(times)), dtype=np.int64)
        for at in range(columns):
            coded = pc.dictionary_encode(batch.column(at), null_encoding="encode")
            texts, codes = coded.dictionary.to_pylist(), coded.indices.to_numpy()
            if len(known[at]) > MAX_KNOWN_CELLS:  # remembering nearly unique cells gains nothing
                known[at], known_numbers[at] = {}, known_numbers[at][:0]
            product *= _look_up(at, texts, known[at], known_numbers)[:, codes]
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


def _look_up(
    column: int, texts: list[str | None], known: dict[str | None, int], known_numbers: list[Whole]
) -> Whole:
    """(words, texts): the numbers of each; known texts are not hashed again."""
    new = [text for text in texts if text not in known]
    if new:
        known.update(zip(new, range(len(known), len(known) + len(new)), strict=True))
        known_numbers[column] = np.concatenate([known_numbers[column], numbers(column, new)])
    at = [known[text] for text in texts]
    return known_numbers[column][at].T


def _dot(product: Whole, times: Whole) -> int:
    """The exact sum, which may be beyond 64 bits."""
    high, low = product >> 16, product & 0xFFFF
    return (int((high * times).sum()) << 16) + int((low * times).sum())


def fingerprint_by_query(rows: Rows, from_hex: str, int64: str) -> tuple[int, ...]:
    """The same as one query, for engines that keep their rows.

    ``from_hex`` turns eight hexadecimal digits, {0}, into a number of the type ``int64``.
    """
    hashed = ", ".join(
        f"md5(coalesce('{i}+' || {text}, '{i}-')) AS m{i}"
        for i, text in enumerate(rows.texts(rows.names))
    )
    n = "n" if rows.weighted else f"CAST(1 AS {int64})"
    cells = rows.query(f"SELECT {hashed}{', ' if hashed else ''}{n} AS n FROM t")
    sums = []
    for word in range(WORDS):
        product = f"CAST(1 AS {int64})"
        for i in range(len(rows.names)):
            digits = f"substr(m{i}, {8 * word + 1}, 8)"
            product = f"(({product} * ({from_hex.format(digits)} % {PRIME})) % {PRIME})"
        sums.append(f"sum(CAST({product} AS decimal(38, 0)) * n) AS s{word}")
    totals = cells.fetch(f"SELECT sum(n) AS n, {', '.join(sums)} FROM t")
    return tuple(int(column[0].as_py() or 0) for column in totals.columns)
