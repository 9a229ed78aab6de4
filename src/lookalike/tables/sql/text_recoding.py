"""The verifier's own recoding, on the engine: cells are text, and text is replaced by labels.

It shares nothing with ``row_recoding.py`` and ``distinct_rows.py``, which join by value and code.
Rows are counted if few of them are distinct; they stay as they are if a kept column is nearly
unique.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from lookalike.counts.level_table import TOP
from lookalike.tables.sql.relation import Rows, group_by, numbered
from lookalike.tables.table import Labels, Masks, Words

SAMPLE_ROWS = 200_000
MAX_DISTINCT_SHARE = 0.5


def with_labels(rows: Rows, columns: Sequence[str], labels: Labels) -> Rows:
    """As ``Table.with_labels``."""
    labeled = rows.query(f"SELECT {numbered(rows.texts(columns))} FROM t").rename(columns)
    keys = [f"l{i}" if name in labels else f"c{i}" for i, name in enumerate(columns)]
    label_numbers = {}  # by position of the column: the number of each label
    for i, name in enumerate(columns):
        if name in labels:
            number_of = {label: n for n, label in enumerate(dict.fromkeys(labels[name].values()))}
            numbers = {text: number_of[label] for text, label in labels[name].items()}
            labeled = _add_number(labeled, f"c{i}", numbers, f"l{i}")
            label_numbers[i] = number_of
    if _has_few_distinct(labeled, keys):
        by = f"SELECT {', '.join(keys)}, count(*) AS n FROM t{group_by(len(keys))}"
        labeled = labeled.query(by).rename(columns, weighted=True).materialize()
    for i, number_of in label_numbers.items():
        mapping = _mapping("label", number_of)
        labeled = labeled.left_join(mapping, f"m.label AS s{i}", f"t.l{i} = m.number")
    missing = "".join(f" OR l{i} IS NULL" for i in label_numbers)
    if labeled.fetch_number(f"SELECT count(*) FROM t WHERE false{missing}"):
        raise KeyError("a text of the table has no label")
    cells = [f"s{i} AS c{i}" if i in label_numbers else f"c{i}" for i in range(len(columns))]
    return labeled.query(f"SELECT {', '.join(cells)}{_weight(labeled)} FROM t")


def masked_counts(rows: Rows, words: Words, masks: Masks) -> list[Any]:
    """As ``Table.masked_counts``."""
    sums = _add_up(rows, words)
    return [sums.fetch(_count_masked(of_word)) for of_word in masks]


def rows_in_small_groups(rows: Rows, words: Words, masks: Masks, size: int) -> list[int]:
    """As ``Table.rows_in_small_groups``."""
    sums = _add_up(rows, words)
    queries = [f"SELECT sum(n) FROM ({_count_masked(m)}) g WHERE n < {size}" for m in masks]
    return [sums.fetch_number(sql) for sql in queries]


def _count_masked(masks: Sequence[int]) -> str:
    keys = ", ".join(f"w{i} & {mask} AS w{i}" for i, mask in enumerate(masks))
    return f"SELECT {keys}, count(*) AS n FROM t{group_by(len(masks))}"


def _add_up(rows: Rows, words: Words) -> Rows:
    """Each row as its sums w0, w1 …, computed once."""
    names = [name for word in words for name in word]
    places = {name: i for i, name in enumerate(names)}
    added = rows.query(f"SELECT {numbered(rows.texts(names))} FROM t").rename(())
    sums = []
    for i, word in enumerate(words):
        for name, number_of in word.items():
            added = _add_number(added, f"c{places[name]}", number_of, f"n{places[name]}")
        sums.append(f"{' + '.join(f'n{places[name]}' for name in word)} AS w{i}")
    added = added.query(f"SELECT {', '.join(sums)} FROM t").materialize()
    missing = " OR ".join(f"w{i} IS NULL" for i in range(len(words)))
    if added.fetch_number(f"SELECT count(*) FROM t WHERE {missing}"):
        raise KeyError("a text of the table has no number")
    return added


def suppress_rows(rows: Rows, names: Sequence[str], suppressed: Any, *, star: bool) -> Rows:
    """As ``LabeledRows.suppress_rows``."""
    at = rows.positions(names)
    same = " AND ".join(
        f"{_not_null(f't.c{place}')} = {_not_null(f'm.g{i}')}" for i, place in enumerate(at)
    )
    flagged = suppressed.append_column("gone", pa.array([True] * len(suppressed), pa.bool_()))
    marked = rows.left_join(flagged, "m.gone IS NOT NULL AS gone", same)
    columns = [
        f"CASE WHEN gone THEN '{TOP}' ELSE c{i} END AS c{i}" if star and i in at else f"c{i}"
        for i in range(len(rows.names))
    ]
    stay = "" if star else " WHERE NOT gone"
    return marked.query(f"SELECT {', '.join(columns)}{_weight(rows)} FROM t{stay}")


def _weight(rows: Rows) -> str:
    return ", n" if rows.weighted else ""


def _add_number(
    rows: Rows, column: str, number_of: Mapping[str | None, int], new_column: str
) -> Rows:
    """Add a column with the number of each text, null if it has none."""
    same = f"{_not_null(f't.{column}')} = {_not_null('m.text')}"
    mapping = _mapping("text", number_of)
    return rows.left_join(mapping, f"m.number AS {new_column}", same)


def _mapping(column: str, number_of: Mapping[str | None, int]) -> Any:
    texts, numbers = list(number_of), list(number_of.values())
    return pa.table({column: pa.array(texts, pa.string()), "number": pa.array(numbers, pa.int64())})


def _not_null(text: str) -> str:
    """Null equals nothing in a join, and engines are slow to join by IS NOT DISTINCT FROM."""
    return f"coalesce('+' || {text}, '-')"


def _has_few_distinct(rows: Rows, keys: Sequence[str]) -> bool:
    """Are few of the first rows distinct?"""
    counts = rows.fetch(
        f"SELECT count(*) AS n, count(DISTINCT {rows.engine.cells.hash_of(keys)}) AS d "
        f"FROM (SELECT * FROM t LIMIT {SAMPLE_ROWS}) s"
    )
    count, distinct = counts["n"][0].as_py(), counts["d"][0].as_py()
    return bool(count < SAMPLE_ROWS or distinct <= MAX_DISTINCT_SHARE * count)
