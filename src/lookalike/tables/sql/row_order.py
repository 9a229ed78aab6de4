"""Are rows stored in the order of their cells? TextRows on the engine, one row against the next."""

from __future__ import annotations

from lookalike.tables.sql.relation import Rows


def count_out_of_order(rows: Rows) -> list[tuple[int, int | None]]:
    """As ``Table.count_out_of_order`` says."""
    width = len(rows.names)
    if not width:
        return []
    texts = rows.texts(rows.names)
    shown = [*texts, *(rows.engine.number(text) for text in texts)]
    pairs = rows.engine.previous(rows.relation, shown, rows.where)
    first = " ".join(f"WHEN p{i} IS DISTINCT FROM c{i} THEN {i}" for i in range(width))
    apart = Rows(rows.engine, pairs, (), rows.where).query(
        f"SELECT *, CASE {first} END AS apart FROM t"  # the first column in which they differ
    )
    counted = []
    for i in range(width):
        number = width + i
        no_number = f"(c{i} IS NOT NULL AND c{number} IS NULL)"
        no_number += f" OR (p{i} IS NOT NULL AND p{number} IS NULL)"
        counted += [
            f"count(CASE WHEN apart = {i} AND {_falls(i)} THEN 1 END) AS t{i}",
            f"count(CASE WHEN apart = {i} AND {_falls(number)} THEN 1 END) AS n{i}",
            f"count(CASE WHEN {no_number} THEN 1 END) AS w{i}",
        ]
    [found] = apart.fetch(f"SELECT {', '.join(counted)} FROM t").to_pylist()
    return [(found[f"t{i}"], None if found[f"w{i}"] else found[f"n{i}"]) for i in range(width)]


def _falls(i: int) -> str:
    """The later cell is the smaller; nulls are last."""
    return f"(p{i} > c{i} OR (p{i} IS NULL AND c{i} IS NOT NULL))"
