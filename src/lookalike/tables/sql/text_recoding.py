"""The verifier's own recoding, on the engine: cells are seen as text, and text turns into labels.

It shares nothing with ``editing.py`` and ``grouping.py``, which join by value and by code. Rows are
grouped where few of them are distinct, and stay as they are where a kept column is nearly unique.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from lookalike.counts.level_table import TOP
from lookalike.tables.sql.relation import Rows, grouped_by
from lookalike.tables.table import Labels, Words

LOOK = 200_000  # rows to look at
FEW = 0.5  # of them are distinct


def with_labels(rows: Rows, columns: Sequence[str], labels: Labels) -> Rows:
    """``columns`` as text, those with labels relabelled. A text that has no label is a KeyError."""
    shown = ", ".join(f"{text} AS c{i}" for i, text in enumerate(rows.texts(columns)))
    text = rows.query(f"SELECT {shown} FROM t").rename(columns)
    numbered, keys, names = text, [], []
    for i, name in enumerate(columns):
        if name not in labels:
            keys.append(f"c{i}")
            continue
        known = {label: number for number, label in enumerate(dict.fromkeys(labels[name].values()))}
        numbers = {text: known[label] for text, label in labels[name].items()}
        numbered = _with_number(numbered, f"c{i}", numbers, f"l{i}")
        keys.append(f"l{i}")
        names.append((i, name, known))
    if _few(numbered, keys):
        by = f"SELECT {', '.join(keys)}, count(*) AS n FROM t{grouped_by(len(keys))}"
        numbered = numbered.query(by).rename(columns, weighted=True).materialize()
    for i, _, known in names:
        given = pa.table(
            {
                "number": pa.array(list(known.values()), pa.int64()),
                "label": pa.array(list(known), pa.string()),
            }
        )
        sql = (
            f"SELECT t.*, m.label AS s{i} FROM t LEFT JOIN _lookalike_given m ON t.l{i} = m.number"
        )
        numbered = numbered.query(sql, given)
    of = {i for i, _, _ in names}
    last = ", ".join(f"s{i} AS c{i}" if i in of else f"c{i}" for i in range(len(columns)))
    lost = "".join(f" OR l{i} IS NULL" for i in of)
    count = numbered.fetch(f"SELECT count(*) AS n FROM t WHERE false{lost}")
    if count["n"][0].as_py():
        raise KeyError("a text of the table has no label")
    weight = ", n" if numbered.weighted else ""
    return numbered.query(f"SELECT {last}{weight} FROM t")


def masked_counts(rows: Rows, words: Words, masks: Sequence[Sequence[int]]) -> list[Any]:
    """As ``Table.masked_counts`` says."""
    held = _summed(rows, words)
    return [held.fetch(_masked(of_word)) for of_word in masks]


def rows_in_small_groups(
    rows: Rows, words: Words, masks: Sequence[Sequence[int]], size: int
) -> list[int]:
    """As ``Table.rows_in_small_groups`` says."""
    held, found = _summed(rows, words), []
    for of_word in masks:
        sql = f"SELECT sum(n) AS n FROM ({_masked(of_word)}) g WHERE n < {size}"
        found.append(int(held.fetch(sql)["n"][0].as_py() or 0))
    return found


def _masked(masks: Sequence[int]) -> str:
    keys = ", ".join(f"w{i} & {mask} AS w{i}" for i, mask in enumerate(masks))
    return f"SELECT {keys}, count(*) AS n FROM t{grouped_by(len(masks))}"


def _summed(rows: Rows, words: Words) -> Rows:
    """Each row as its sums w0, w1 …, held."""
    names = [name for word in words for name in word]
    places = {name: i for i, name in enumerate(names)}
    shown = [f"{text} AS c{i}" for i, text in enumerate(rows.texts(names))]
    summed = rows.query(f"SELECT {', '.join(shown)} FROM t").rename(())
    sums = []
    for i, word in enumerate(words):
        for name, of_text in word.items():
            at = places[name]
            summed = _with_number(summed, f"c{at}", of_text, f"n{at}")
        sums.append(f"{' + '.join(f'n{places[name]}' for name in word)} AS w{i}")
    held = summed.query(f"SELECT {', '.join(sums)} FROM t").materialize()
    lost = " OR ".join(f"w{i} IS NULL" for i in range(len(words)))
    if held.fetch(f"SELECT count(*) AS n FROM t WHERE {lost}")["n"][0].as_py():
        raise KeyError("a text of the table has no number")
    return held


def suppress_rows(rows: Rows, names: Sequence[str], gone: Any, *, star: bool) -> Rows:
    """Without the rows whose text over ``names`` is among ``gone``; or with stars in their place.

    ``gone`` is a pyarrow table with the columns g0, g1 …
    """
    at = rows.at(names)
    same = " AND ".join(
        f"{_not_null(f't.c{place}')} = {_not_null(f'g.g{i}')}" for i, place in enumerate(at)
    )
    sql = (
        "SELECT t.*, g.gone IS NOT NULL AS gone FROM t LEFT JOIN "
        f"(SELECT d.*, true AS gone FROM _lookalike_given d) g ON {same}"
    )
    marked = rows.query(sql, gone)
    columns = [
        f"CASE WHEN gone THEN '{TOP}' ELSE c{i} END AS c{i}" if star and i in at else f"c{i}"
        for i in range(len(rows.names))
    ]
    weight = ", n" if rows.weighted else ""
    stay = "" if star else " WHERE NOT gone"
    return marked.query(f"SELECT {', '.join(columns)}{weight} FROM t{stay}")


def _with_number(rows: Rows, column: str, of_text: Mapping[str | None, int], called: str) -> Rows:
    """With one more column: the number of each text, null if it has none."""
    given = pa.table(
        {
            "text": pa.array(list(of_text), pa.string()),
            "number": pa.array(list(of_text.values()), pa.int64()),
        }
    )
    sql = (
        f"SELECT t.*, m.number AS {called} FROM t LEFT JOIN _lookalike_given m "
        f"ON {_not_null(f't.{column}')} = {_not_null('m.text')}"
    )
    return rows.query(sql, given)


def _not_null(text: str) -> str:
    """Null equals nothing in a join, and engines are slow to join by what is not distinct."""
    return f"coalesce('+' || {text}, '-')"


def _few(rows: Rows, keys: Sequence[str]) -> bool:
    """Are few of the first rows distinct?"""
    sql = (
        f"SELECT count(*) AS n, count(DISTINCT {rows.engine.hashed(keys)}) AS d "
        f"FROM (SELECT * FROM t LIMIT {LOOK}) s"
    )
    found = rows.fetch(sql)
    seen, distinct = found["n"][0].as_py(), found["d"][0].as_py()
    return bool(seen < LOOK or distinct <= FEW * seen)
