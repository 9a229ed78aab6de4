"""The fingerprint of a table as one query, for engines that keep their rows: ``fingerprint.py``."""

from __future__ import annotations

from lookalike.tables.fingerprint import PRIME, WORDS
from lookalike.tables.sql.relation import Rows


def fingerprint(rows: Rows, from_hex: str, int64: str) -> tuple[int, ...]:
    """``from_hex`` turns eight hexadecimal digits, {0}, into a number of the type ``int64``."""
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
