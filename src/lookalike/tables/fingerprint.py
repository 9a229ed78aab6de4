"""Compare two tables by a random fingerprint: sums of products, at a point drawn for one check.

A cell is five numbers: those of the SHA-256 of a key, its column's position and its text, modulo
the prime 2^31 - 1. A row is the product of its cells, a table the sum of its rows. As a polynomial
in the cells, a table has one term for each distinct row, so tables with different rows are
different polynomials. The key is drawn after both tables exist, and is never stored, so nobody can
choose rows for it. At a random point two different tables agree with a probability of at most
(1.5 · columns / 2^31)^5 (Schwartz and Zippel; 1.5, because 2^32 is not a multiple of the prime):
below 2^-100 for up to 1,300 columns. The argument is in ``docs/explanation/digests.md``.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lookalike.tables.sql.relation import Rows

PRIME = 2**31 - 1
WORDS = 5  # numbers of a cell
MAX_KNOWN_CELLS = 1 << 20  # of a column whose numbers are remembered
Whole = NDArray[np.int64]


def new_key() -> str:
    """A key of 128 random bits, for one comparison."""
    return secrets.token_hex(16)


def fingerprint_of_batches(key: str, columns: int, batches: Iterable[Any]) -> tuple[int, ...]:
    """The number of rows and the five sums.

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
            if new := [text for text in texts if text not in known[at]]:
                first = len(known[at])
                known[at].update(zip(new, range(first, first + len(new)), strict=True))
                cells = numbers(key, at, new)
                known_numbers[at] = np.concatenate([known_numbers[at], cells])
            of_texts = known_numbers[at][[known[at][text] for text in texts]]
            product *= of_texts.T[:, codes]
            product %= PRIME
        total += int(times.sum())
        for word in range(WORDS):
            sums[word] += _dot(product[word], times)
    return total, *sums


def numbers(key: str, column: int, texts: Iterable[str | None]) -> Whole:
    """(texts, words): the five numbers of each cell."""
    plain, null = f"{key} {column}+".encode(), f"{key} {column}-".encode()
    digests = b"".join(
        sha256(null if text is None else plain + text.encode()).digest()[: 4 * WORDS]
        for text in texts
    )
    return np.frombuffer(digests, dtype=">u4").astype(np.int64).reshape(-1, WORDS) % PRIME


def _dot(product: Whole, times: Whole) -> int:
    """The exact sum, which may be beyond 64 bits."""
    high, low = product >> 16, product & 0xFFFF
    return (int((high * times).sum()) << 16) + int((low * times).sum())


def fingerprint_by_query(rows: Rows, key: str, from_hex: str, int64: str) -> tuple[int, ...]:
    """The same as one query, for engines that keep their rows.

    ``from_hex`` turns eight hexadecimal digits, {0}, into a number of the type ``int64``.
    """
    sha256_hex = rows.engine.cells.sha256_hex
    cells = [
        f"coalesce('{key} {i}+' || {text}, '{key} {i}-')"
        for i, text in enumerate(rows.texts(rows.names))
    ]
    hashed = [f"{sha256_hex(cell)} AS m{i}" for i, cell in enumerate(cells)]
    n = "n" if rows.weighted else f"CAST(1 AS {int64})"
    numbered = rows.query(f"SELECT {', '.join([*hashed, f'{n} AS n'])} FROM t")
    sums = []
    for word in range(WORDS):
        product = f"CAST(1 AS {int64})"
        for i in range(len(rows.names)):
            digits = f"substr(m{i}, {8 * word + 1}, 8)"
            product = f"(({product} * ({from_hex.format(digits)} % {PRIME})) % {PRIME})"
        sums.append(f"sum(CAST({product} AS decimal(38, 0)) * n) AS s{word}")
    totals = numbered.fetch(f"SELECT sum(n) AS n, {', '.join(sums)} FROM t")
    return tuple(int(column[0].as_py() or 0) for column in totals.columns)
