"""A released frame carries its cells and nothing else: no unused categories, no metadata."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lookalike as la

ROWS = {"who": ["x", "x", "y", "z"], "ill": ["ok", "ok", "SECRET", "q"]}
POLICY = la.Policy(
    quasi_identifiers={"who": la.flat()},
    sensitive=["ill"],
    require=la.KAnonymity(2),
    suppress=2,
)


def released(frame):
    return la.anonymize(frame, POLICY).table


def test_pandas_categories_and_attrs():
    frame = pd.DataFrame({name: pd.Categorical(values) for name, values in ROWS.items()})
    frame.attrs["steward"] = "Bob Smith"
    found = released(frame)
    assert list(found["ill"].cat.categories) == ["ok"]
    assert list(found["who"].cat.categories) == ["x"]
    assert found.attrs == {}
    assert frame.attrs
    assert len(frame["ill"].cat.categories) == 3  # the input is as it was


def test_the_order_of_unordered_categories_tells_nothing():
    frame = pd.DataFrame(
        {"who": ["x"] * 3, "ill": pd.Categorical(["b", "a", "c"], categories=["c", "b", "a"])}
    )
    assert list(released(frame)["ill"].cat.categories) == ["a", "b", "c"]


def test_ordered_categories_keep_their_order():
    kind = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"who": ["x"] * 2, "ill": pd.Series(["high", "low"], dtype=kind)})
    assert list(released(frame)["ill"].cat.categories) == ["low", "high"]
    assert released(frame)["ill"].cat.ordered


@pytest.mark.parametrize("kind", [pl.Enum(["SECRET", "ok", "q", "x", "y", "z"]), pl.Categorical()])
def test_polars_categories(kind):
    frame = pl.DataFrame(ROWS).with_columns(pl.all().cast(kind))
    found = released(frame)
    assert found["ill"].to_list() == ["ok", "ok"]
    if isinstance(kind, pl.Enum):
        assert found["ill"].dtype.categories.to_list() == ["ok"]
    assert type(found["ill"].dtype) is type(kind)


def test_arrow_dictionaries_and_metadata():
    table = pa.table({name: pa.array(values).dictionary_encode() for name, values in ROWS.items()})
    table = table.replace_schema_metadata({"steward": "Bob Smith"})
    found = released(table)
    assert found.schema.metadata is None
    assert found.column("ill").chunk(0).dictionary.to_pylist() == ["ok"]
    assert found.schema.field("ill").type == table.schema.field("ill").type


def test_a_relation_of_enums_comes_back_as_text():
    connection = duckdb.connect()
    connection.execute("CREATE TYPE ill AS ENUM ('ok', 'SECRET', 'q')")
    connection.execute("CREATE TABLE t (who VARCHAR, ill ill)")
    rows = list(zip(*ROWS.values(), strict=True))
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    found = released(connection.table("t"))
    assert [str(kind) for kind in found.types] == ["VARCHAR", "VARCHAR"]
