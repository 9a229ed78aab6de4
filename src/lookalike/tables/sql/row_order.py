"""Count the rows that break the sort order, on the engine: each row is compared with the next."""

from __future__ import annotations

from lookalike.tables.sql.relation import Rows


def count_out_of_order(rows: Rows) -> list[tuple[int, int | None]]:
    """As ``Table.count_out_of_order``."""
    width = len(rows.names)
    if not width:
        return []
    texts = rows.texts(rows.names)
    shown = [*texts, *(rows.engine.cells.number(text) for text in texts)]
    pairs = rows.engine.consecutive_rows(rows.relation, shown, rows.where)
    first = " ".join(f"WHEN p{i} IS DISTINCT FROM c{i} THEN {i}" for i in range(width))
    differing = Rows(rows.engine, pairs, (), rows.where).query(
        f"SELECT *, CASE {first} END AS apart FROM t"  # the first column in which they differ
    )
    counts = []
    for i in range(width):
        number = width + i
        not_number = f"(c{i} IS NOT NULL AND c{number} IS NULL)"
        not_number += f" OR (p{i} IS NOT NULL AND p{number} IS NULL)"
        counts += [
            f"count(CASE WHEN apart = {i} AND {_falls(i)} THEN 1 END) AS t{i}",
            f"count(CASE WHEN apart = {i} AND {_falls(number)} THEN 1 END) AS n{i}",
            f"count(CASE WHEN {not_number} THEN 1 END) AS w{i}",
        ]
    [counted] = differing.fetch(f"SELECT {', '.join(counts)} FROM t").to_pylist()
    return [
        (counted[f"t{i}"], None if counted[f"w{i}"] else counted[f"n{i}"]) for i in range(width)
    ]


def _falls(i: int) -> str:
    """The later cell is the smaller one; nulls are last."""
    return f"(p{i} > c{i} OR (p{i} IS NULL AND c{i} IS NOT NULL))"
