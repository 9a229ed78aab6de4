"""Tables with Arrow's views are released as the same tables without them, and stay views."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest
from effort import effort
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import ipc

import lookalike as la
from lookalike.errors import TableError
from lookalike.tables import open_table
from lookalike.tables.frames.arrow_views import plain_type

TEXT, BYTES = pa.string_view(), pa.binary_view()
POLICY = la.Policy(
    quasi_identifiers={"who": la.flat()}, sensitive=["ill"], require=la.KAnonymity(2), suppress=0.9,
    accept={"ill": "invented texts"},
)  # fmt: skip
CELLS = {  # a type with views, and how a text becomes a cell of it
    TEXT: lambda text: text,
    BYTES: lambda text: text.encode(),
    pa.dictionary(pa.int8(), TEXT): lambda text: text,
    pa.list_(TEXT): lambda text: [text, None],
    pa.large_list(BYTES): lambda text: [text.encode()],
    pa.list_(TEXT, 2): lambda text: [text, "second"],
    pa.struct([("a", TEXT), ("b", pa.list_(BYTES))]): lambda text: {"a": text, "b": None},
    pa.map_(TEXT, TEXT): lambda text: [("key", text)],
}


def column(kind, texts):
    cells = [None if text is None else CELLS[kind](text) for text in texts]
    if pa.types.is_dictionary(kind):
        return pa.array(cells).dictionary_encode().cast(kind)
    return pa.array(cells, kind)


def plain(table):
    """The table without views, cast by this test itself."""
    kinds = [plain_type(field.type) for field in table.schema]
    return table.cast(pa.schema(list(zip(table.column_names, kinds, strict=True))))


@pytest.mark.parametrize("kind", CELLS, ids=str)
def test_views_are_released_as_views_and_hold_no_suppressed_text(kind):
    secret = "suppressed-text-that-is-longer-than-a-view-holds"
    texts = ["longer-than-twelve-bytes", "b", None, secret]
    table = pa.table({"who": ["x", "x", "x", "y"], "ill": column(kind, texts)})
    assert open_table(table).types["ill"] == str(kind)
    release = la.anonymize(table, POLICY)
    assert release.table.schema.field("ill").type == kind
    assert plain(release.table) == la.anonymize(plain(table), POLICY).table
    assert len(release.table) == 3
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, release.table.schema) as stream:
        stream.write_table(release.table)
    assert b"longer-than-twelve-bytes" in sink.getvalue().to_pybytes()
    assert secret.encode() not in sink.getvalue().to_pybytes()


@settings(max_examples=effort(80))
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.none() | st.text(max_size=20)), min_size=2))
def test_a_column_of_views_is_the_column_of_text(rows):
    names, texts = zip(*rows, strict=True)
    table = pa.table({"who": pa.array(names, TEXT), "ill": pa.array(texts, TEXT)})
    try:
        expected = la.anonymize(plain(table), POLICY).table
    except la.LookalikeError as error:
        with pytest.raises(type(error)):
            la.anonymize(table, POLICY)
        return
    released = la.anonymize(table, POLICY).table
    assert released.to_pylist() == expected.to_pylist()
    assert released.schema.field("ill").type == TEXT


def test_a_release_of_views_is_written_and_verified(tmp_path):
    table = pa.table({"who": pa.array(["x", "x"], TEXT), "ill": pa.array(["a", "b"], TEXT)})
    release = la.anonymize(table, POLICY)
    for name in ("out.csv", "out.parquet"):
        release.write(tmp_path / name)
        assert la.verify(
            tmp_path / name, original=table, policy=POLICY, solution=release.solution
        ).passed
    assert table.schema.types == [TEXT, TEXT]


def test_eligible_rows_of_views():
    table = pa.table({"who": pa.array(["x", "y", "x"], TEXT), "ill": pa.array("abc", TEXT)})
    eligible = open_table(table).eligible_rows({"who": ["x"]}).native()
    assert eligible.to_pylist() == [{"who": "x", "ill": "a"}, {"who": "x", "ill": "c"}]
    assert eligible.schema == table.schema


def test_views_that_pyarrow_cannot_copy_are_a_fault():
    inside = pa.table({"who": ["x"], "ill": pa.array([["a"]], pa.list_view(TEXT))})
    with pytest.raises(TableError, match="ill: it has views of a kind"):
        open_table(inside)


def test_views_in_pandas_are_a_fault():
    views = pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(["a"], TEXT)]))
    with pytest.raises(TableError, match="ill: pandas cannot take rows"):
        open_table(pd.DataFrame({"ill": views}))


def test_a_type_without_views_stays_as_it_is():
    field = pa.field("odd", pa.int8(), nullable=False)
    for kind in (pa.list_(field), pa.large_list(field), pa.list_(field, 3), pa.list_view(field),
                 pa.large_list_view(field), pa.struct([field]), pa.map_(pa.string(), field, True),
                 pa.dictionary(pa.int8(), pa.string(), True), pa.string(), pa.null(),
                 pa.run_end_encoded(pa.int16(), pa.string())):  # fmt: skip
        assert plain_type(kind) == kind
        assert str(plain_type(kind)) == str(kind)
