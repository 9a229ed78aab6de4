"""Count groups of rows: GROUP BY on the engine, then codes in Arrow and numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet, Histogram
from lookalike.counts.level_table import Value
from lookalike.counts.tuple_keys import tuple_keys
from lookalike.errors import Fault, TableError, ValueRangeError
from lookalike.tables.sql.relation import Rows, group_by, numbered

CHANGED = "it changed while it was being counted"
CHANGED_FIX = "wait until nobody writes to it, and run again"


class Groups(NamedTuple):
    """Distinct tuples of some columns and how many rows each has."""

    values: tuple[tuple[Value, ...], ...]  # by column, sorted, null last
    codes: NDArray[np.int32]  # (groups, columns) places in ``values``, sorted
    counts: NDArray[np.int64]  # (groups,)


def count_groups(rows: Rows, names: Sequence[str], sensitive: Sequence[str] = ()) -> FrequencySet:
    """As ``Table.count_groups``; sorted, so that the order of the rows leaves no trace."""
    rows.positions([*names, *sensitive])  # reports every unknown name in one error
    return frequency_set(partial(_grouped, rows), names, sensitive, rows.where)


def sample_groups(rows: Rows, names: Sequence[str], parts: int) -> FrequencySet:
    """As ``Table.sample_groups``."""
    hashed = rows.engine.cells.hash_of(rows.keys(names))
    return count_groups(rows.query(f"SELECT * FROM t WHERE mod({hashed}, {parts}) = 0"), names)


def frequency_set(
    grouped: Callable[[Sequence[str]], Groups],
    names: Sequence[str],
    sensitive: Sequence[str],
    where: str,
) -> FrequencySet:
    """The groups over ``names``, and the finer ones with each sensitive column as histograms."""
    values, codes, counts = grouped(names)
    histograms = {}
    for name in sensitive:
        fine_values, fine_codes, fine_counts = grouped([*names, name])
        # the finer groups are sorted by ``names`` first: a new group starts where those change
        coarse = fine_codes[:, : len(names)]
        group = np.cumsum(np.append(True, (coarse[1:] != coarse[:-1]).any(axis=1))) - 1
        group = group[: len(coarse)]
        totals = np.bincount(group, weights=fine_counts, minlength=len(counts))
        if not np.array_equal(totals, counts):
            raise TableError(Fault(where, CHANGED, CHANGED_FIX))
        histograms[name] = Histogram(
            values=fine_values[-1], group=group, code=fine_codes[:, -1].copy(), count=fine_counts
        )
    return FrequencySet(tuple(names), values, codes, counts, histograms)


def distinct_text(rows: Rows, names: Sequence[str]) -> Any:
    """As ``Table.distinct_text``."""
    shown = "".join(f"{text} AS c{i}, " for i, text in enumerate(rows.texts(names)))
    table = rows.fetch(f"SELECT {shown}{rows.row_count} AS count FROM t{group_by(len(names))}")
    schema = [(f"c{i}", pa.string()) for i in range(len(names))]
    return table.cast(pa.schema([*schema, ("count", pa.int64())]))


def text_rows(rows: Rows, names: Sequence[str], start: int, count: int | None) -> Any:
    """As ``Table.text_rows``."""
    texts = rows.texts(names)
    if count is None:
        table = rows.fetch(f"SELECT {numbered(texts)} FROM t")
    else:
        table = rows.engine.fetch_slice(rows.relation, texts, start, count, rows.where)
    return table.cast(pa.schema([(f"c{i}", pa.string()) for i in range(len(names))]))


def text_codes(rows: Rows, name: str) -> dict[str | None, int]:
    """As ``Table.text_codes``."""
    [key], [shown] = rows.keys([name]), rows.texts([name])
    table = rows.fetch(f"SELECT {key} AS k, {shown} AS shown FROM t{group_by(2)}")
    _, codes = _coded(table.column("k"))
    return dict(zip(table.column("shown").to_pylist(), codes.tolist(), strict=True))


def _grouped(rows: Rows, names: Sequence[str]) -> Groups:
    kinds = rows.types()
    places = rows.positions(names)
    keys = "".join(f"{key} AS k{i}, " for i, key in enumerate(rows.keys(names)))
    table = rows.fetch(f"SELECT {keys}{rows.row_count} AS n FROM t{group_by(len(names))}")
    counts = table.column("n").to_numpy().astype(np.int64)
    codes = np.empty((len(counts), len(names)), dtype=np.int32)
    values = []
    for i, at in enumerate(places):
        distinct, codes[:, i] = _coded(table.column(i))
        values.append(python_values(distinct, kinds[at] == rows.engine.cells.ZONED, names[i]))
    sizes = [len(of_column) for of_column in values]
    order = np.argsort(tuple_keys(zip(codes.T, sizes, strict=True), len(codes)))
    return Groups(tuple(values), codes[order], counts[order])


def _coded(column: Any) -> tuple[Any, NDArray[np.int32]]:
    """The sorted distinct values, null last, and the index of each cell among them."""
    whole = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    encoded = pc.dictionary_encode(whole, null_encoding="encode")
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    codes: NDArray[np.int32] = rank[encoded.indices.to_numpy()]
    return encoded.dictionary.take(pa.array(order)), codes


def python_values(distinct: Any, zoned: bool, name: str) -> tuple[Value, ...]:
    """Arrow values as Python values; ``zoned`` ones are wall clock times of UTC."""
    if zoned:
        distinct = distinct.cast(pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    try:
        return tuple(distinct.to_pylist())
    except (ValueError, OverflowError):
        problem = "it has dates or times that Python cannot represent, such as infinity"
        raise ValueRangeError(Fault(name, problem, "replace them with null")) from None
