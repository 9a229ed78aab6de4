"""The digest of a table's rows: SHA-256 over the distinct rows, sorted, with their numbers.

It depends on the rows as text and on the names of the columns, not on their order in the file, the
file format or the engine:

1. Equal rows are one entry. An entry is the number of rows, ``=``, and the cells: a cell is its
   length in bytes (UTF-8), ``:`` and its text; a null is ``-``.
2. Entries are sorted by their cells, column by column, by the bytes of the text; nulls are last.
3. Every 65,536 entries are a part. The digest of a part is the SHA-256 of its entries.
4. The digest of the table is the SHA-256 of a line of JSON, the names of the columns, the number of
   rows and the number of entries, and of the digests of the parts, in hexadecimal, a line each.

Two different tables have different texts to hash, so two tables with the same digest are a
collision of SHA-256. Parts are there so that an engine can hash its rows where they
are, and threads can share the work.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lookalike.tables.sql.relation import Rows

PART_ENTRIES = 1 << 16


def digest_of_parts(columns: Sequence[str], rows: int, entries: int, parts: Iterable[str]) -> str:
    """The digest of a table from the digests of its parts."""
    head = json.dumps([list(columns), rows, entries], ensure_ascii=False, separators=(",", ":"))
    return sha256("".join(f"{line}\n" for line in (head, *parts)).encode()).hexdigest()


def digest_by_query(rows: Rows) -> str:
    """The digest of rows in an SQL engine; only the digests of parts leave the engine."""
    cells, width = rows.engine.cells, range(len(rows.names))
    columns = ", ".join(f"c{i}" for i in width)
    shown = [f"{text} AS c{i}" for i, text in enumerate(rows.texts(rows.names))]
    n = "n" if rows.weighted else "1"
    distinct = (
        f"SELECT {columns}, CAST(sum(n) AS BIGINT) AS n FROM "
        f"(SELECT {', '.join(shown)}, {n} AS n FROM t) x GROUP BY {columns}"
    )
    entry = " || ".join(
        [f"CAST(n AS {cells.TEXT}) || '='"]
        + [
            f"coalesce(CAST({cells.octets(f'c{i}')} AS {cells.TEXT}) || ':' || c{i}, '-')"
            for i in width
        ]
    )
    order = ", ".join(f"c{i} ASC NULLS LAST" for i in width)
    numbered = (
        f"SELECT {entry} AS entry, n, row_number() OVER (ORDER BY {order}) - 1 AS place "
        f"FROM ({distinct}) y"
    )
    part = f"CAST(floor(place / {PART_ENTRIES}.0) AS BIGINT) AS part"
    parts = rows.fetch(
        f"SELECT part, CAST(sum(n) AS BIGINT) AS n, count(*) AS entries, "
        f"{cells.sha256_of_entries('entry', 'place')} AS digest "
        f"FROM (SELECT *, {part} FROM ({numbered}) z) w GROUP BY part"
    ).sort_by("part")
    total, entries = (sum(parts.column(name).to_pylist()) for name in ("n", "entries"))
    return digest_of_parts(rows.names, total, entries, parts.column("digest").to_pylist())
