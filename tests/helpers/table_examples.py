"""Example tables, and edits made in plain Python, for the tests of tables."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.counts.frequency_set import FrequencySet
from lookalike.policy.cell_text import text
from lookalike.tables import ColumnRecoding, Edit, Table, open_table

KINDS = ("csv", "parquet", "pandas", "polars", "polars-lazy", "pyarrow", "duckdb")

AWKWARD = 'a "b" -é select'  # a name that needs quoting


def people() -> pa.Table:
    """Ten rows with every awkwardness a quasi-identifier may have."""
    day = datetime.date(2020, 2, 29)
    return pa.table(
        {
            "age": pa.array([30, 31, None, 30, 31, 45, None, 30, 45, 45], pa.int64()),
            AWKWARD: ["é", "", None, "é", "日本", 'q"q', "a,b", "é", "l1\nl2", "a;b"],
            "select": pa.array([True, False, None, True, False, True, None, True, True, True]),
            "born": pa.array([day, None, day, day, None, None, day, day, None, None], pa.date32()),
            "sick": ["flu", "flu", None, "cold", "", "flu", "cold", "flu", "*", "flu"],
            "cost": pa.array([1.5, -0.0, 0.0, None, float("nan"), 2, 1e20, 0.1, 3, 1.5]),
        }
    )


def typed() -> pa.Table:
    """A column of each type that a CSV file can carry as text."""
    moment = datetime.datetime(2021, 3, 4, 5, 6, 7, 120000)
    utc = datetime.UTC
    return pa.table(
        {
            "int": pa.array([1, -5, None], pa.int64()),
            "small": pa.array([1, 2, None], pa.int8()),
            "float": pa.array([1.0, 0.1, float("nan")]),
            "zero": pa.array([-0.0, 1e300, None]),
            "single": pa.array([0.1, 3.0, None], pa.float32()),
            "date": pa.array([datetime.date(2020, 1, 1), None, datetime.date(1, 1, 1)]),
            "time": pa.array([datetime.time(1, 2, 3), None, datetime.time(0)], pa.time64("us")),
            "us": pa.array([moment, None, datetime.datetime(2020, 1, 1)], pa.timestamp("us")),
            "ms": pa.array([moment, None, datetime.datetime(2020, 1, 1)], pa.timestamp("ms")),
            "ns": pa.array([moment, None, datetime.datetime(2020, 1, 1)], pa.timestamp("ns")),
            "zoned": pa.array([moment.replace(tzinfo=utc), None, None], pa.timestamp("us", "UTC")),
            "bool": pa.array([True, False, None]),
            "decimal": pa.array([Decimal("1.50"), Decimal("-2.00"), None], pa.decimal128(9, 2)),
            "text": ['ünï\n"q",;|\t\'', "", None],
            "nulls": pa.array([None, None, None], pa.string()),
        }
    )


def as_text(table: Table) -> list[tuple[str | None, ...]]:
    """The rows as text in their order, read from the native frame."""
    native = open_table(table.native())
    rows = native.text_rows(native.columns)
    return list(zip(*(column.to_pylist() for column in rows.columns), strict=True))


def relabel(freq: FrequencySet, name: str, to: Callable[[Any], Any] | None) -> ColumnRecoding:
    """ColumnRecoding by a function of the value's text, or keep the values (``to`` None)."""
    values = freq.values[freq.names.index(name)]
    if to is None:
        return ColumnRecoding(values, np.arange(len(values), dtype=np.int32), None)
    wanted = [to(None if value is None else text(value)) for value in values]
    labels = list(dict.fromkeys(wanted))
    codes = np.array([labels.index(label) for label in wanted], dtype=np.int32)
    return ColumnRecoding(values, codes, tuple(labels))


def plan(
    table: Table,
    columns: tuple[str, ...],
    to: dict[str, Callable[[Any], Any] | None],
    fewer_than: int = 1,
    star: bool = False,
) -> Edit:
    """The edit that relabels, and suppresses classes of fewer rows than that; in plain Python."""
    freq = table.count_groups(tuple(to))
    relabels = {name: relabel(freq, name, function) for name, function in to.items()}
    sizes: dict[tuple[int, ...], int] = {}
    for group, count in zip(freq.codes.tolist(), freq.counts.tolist(), strict=True):
        codes = tuple(int(relabels[n].codes[c]) for n, c in zip(freq.names, group, strict=True))
        sizes[codes] = sizes.get(codes, 0) + count
    gone = [codes for codes, size in sizes.items() if size < fewer_than]
    suppressed = np.array(gone, dtype=np.int32).reshape(len(gone), len(to))
    rows_gone = sum(sizes[codes] for codes in gone)
    return Edit(columns, relabels, suppressed, star, freq.rows - rows_gone, rows_gone)
