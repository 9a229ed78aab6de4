"""A marker in suppressed rows, dropped columns, categories or metadata is nowhere in a release."""

from __future__ import annotations

import io
import pickle

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from marked_people import COLUMNS, KEPT, MARKER, POLICY, TEXTS, arrow_bytes, plain

import lookalike as la

# --- frames: how the input is made, and what can be made of the released frame --------------------


def arrow_with(kind):
    columns = {name: pa.array(values) for name, values in COLUMNS.items()}
    columns |= {name: columns[name].cast(kind) for name in TEXTS}
    return pa.table(columns)


def arrow_with_metadata():
    fields = [pa.field(f.name, f.type, metadata={"m": MARKER}) for f in plain().schema]
    return plain().cast(pa.schema(fields, metadata={"m": MARKER}))


def pandas_with(kind):
    frame = pd.DataFrame(COLUMNS)
    return frame.astype(dict.fromkeys(TEXTS, kind)) if kind else frame


def pandas_categories():
    frame = pd.DataFrame(COLUMNS)
    for name in TEXTS:
        frame[name] = pd.Categorical(frame[name], categories=[*frame[name].unique(), MARKER * 2])
    return frame


def pandas_labelled():
    index = pd.Index([f"{MARKER} {n}" for n in range(KEPT + 1)], name=MARKER)
    frame = pd.DataFrame(COLUMNS, index=index)
    frame.columns.name = MARKER
    frame.attrs["m"] = MARKER
    return frame


def polars_with(*kinds):
    return pl.DataFrame(COLUMNS).with_columns(
        pl.col(name).cast(kind) for name, kind in zip(TEXTS, kinds, strict=False)
    )


def polars_enum():
    return pl.DataFrame(COLUMNS).with_columns(
        pl.col(name).cast(pl.Enum(pl.DataFrame(COLUMNS)[name].unique())) for name in TEXTS
    )


def polars_nested():
    frame = pl.DataFrame(COLUMNS)
    return frame.with_columns(pl.col("note").map_elements(lambda text: [text], pl.List(pl.String)))


def dask_frame():
    dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    return dd.from_pandas(pd.DataFrame(COLUMNS), npartitions=2)


def ibis_table():
    return pytest.importorskip("ibis", reason="ibis is not installed").memtable(plain())


FRAMES = {
    "pyarrow": plain,
    "pyarrow large": lambda: arrow_with(pa.large_string()),
    "pyarrow dictionaries": lambda: arrow_with(pa.dictionary(pa.int32(), pa.string())),
    "pyarrow metadata": arrow_with_metadata,
    "pandas": lambda: pandas_with(None),
    "pandas objects": lambda: pandas_with(object),
    "pandas arrow": lambda: pandas_with("string[pyarrow]"),
    "pandas categories": pandas_categories,
    "pandas names": pandas_labelled,
    "polars": polars_with,
    "polars lazy": lambda: pl.DataFrame(COLUMNS).lazy(),
    "polars categories": lambda: polars_with(*[pl.Categorical()] * 3),
    "polars enum": polars_enum,
    "polars lists": polars_nested,
    "dask": dask_frame,
    "ibis": ibis_table,
    "duckdb": lambda: duckdb.connect().from_arrow(plain()),
    "polars bytes": lambda: polars_with(pl.String, pl.String, pl.Binary),
}


def written(write):
    out = io.BytesIO()
    write(out)
    return out.getvalue()


def pyarrow_forms(table):
    yield "buffers", arrow_bytes(table)
    yield "pickle", pickle.dumps(table)
    yield "parquet", written(lambda out: pq.write_table(table, out))
    yield "pandas", pickle.dumps(table.to_pandas())


def pandas_forms(frame):
    yield "pickle", pickle.dumps(frame)
    yield "csv", frame.to_csv().encode()
    yield "arrow", arrow_bytes(pa.Table.from_pandas(frame))
    yield "parquet", written(frame.to_parquet)
    yield "json", frame.to_json().encode()
    yield "text", repr(frame.columns).encode() + repr(frame.index).encode()


def polars_forms(frame):
    frame = frame.collect() if isinstance(frame, pl.LazyFrame) else frame
    yield "ipc", written(frame.write_ipc)
    yield "stream", written(frame.write_ipc_stream)
    yield "pickle", pickle.dumps(frame)
    yield "serialized", written(frame.serialize)
    yield "lazy", written(lambda out: out.write(frame.lazy().serialize()))
    yield "parquet", written(frame.write_parquet)
    yield "arrow", arrow_bytes(frame.to_arrow())
    yield "newest arrow", arrow_bytes(frame.to_arrow(compat_level=pl.CompatLevel.newest()))
    yield "pandas", pickle.dumps(frame.to_pandas())


def dask_forms(frame):
    yield "graph", pickle.dumps(frame)
    yield from pandas_forms(frame.compute())


def ibis_forms(table):
    yield "arrow", arrow_bytes(table.to_pyarrow())
    yield "pandas", pickle.dumps(table.to_pandas())
    yield "polars", pickle.dumps(table.to_polars())


def duckdb_forms(relation):
    yield "arrow", arrow_bytes(relation.to_arrow_table())
    yield "pandas", pickle.dumps(relation.df())
    yield "polars", pickle.dumps(relation.pl())


FORMS = {
    "pyarrow": pyarrow_forms,
    "pandas": pandas_forms,
    "polars": polars_forms,
    "dask": dask_forms,
    "ibis": ibis_forms,
    "duckdb": duckdb_forms,
}


def forms(kind, table):
    return dict(FORMS[kind.split()[0]](table))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # what ibis and Dask call
@pytest.mark.parametrize("kind", FRAMES)
def test_no_form_of_a_released_frame_has_the_marker(kind):
    frame = FRAMES[kind]()
    # the marker would be found: it is in some form of the frame that is given
    assert any(MARKER.encode() in content for content in forms(kind, frame).values())
    release = la.anonymize(frame, POLICY)
    assert release.solution.suppressed == 1
    leaks = [
        form for form, content in forms(kind, release.table).items() if MARKER.encode() in content
    ]
    assert not leaks
    note = release.certificate.to_json() + repr(release) + str(release)
    assert MARKER not in note


# --- files and databases --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "folder/"])
@pytest.mark.parametrize("source", ["table.csv", "table.parquet"])
def test_no_written_file_has_the_marker(tmp_path, source, name):
    path = tmp_path / "in" / source
    path.parent.mkdir()
    if path.suffix == ".csv":
        plain().to_pandas().to_csv(path, index=False)
    else:
        pq.write_table(arrow_with_metadata(), path)
    (tmp_path / "out").mkdir()
    la.anonymize(path, POLICY).write(f"{tmp_path}/out/{name}")
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert len(files) == 2
    for file in files:
        content = file.read_bytes()
        assert MARKER.encode() not in content
        if file.suffix == ".parquet":  # its pages are compressed
            assert MARKER.encode() not in arrow_bytes(pq.read_table(file))
            assert MARKER not in str(pq.ParquetFile(file).metadata.to_dict())


def test_a_duckdb_file_made_of_the_release_has_no_marker(tmp_path):
    table = plain()
    with duckdb.connect() as there:
        relation = there.from_arrow(table)
        released = la.anonymize(relation, POLICY).table.to_arrow_table()
    with duckdb.connect(str(tmp_path / "out.duckdb")) as database:
        database.from_arrow(released).create("released")
        database.execute("checkpoint")
    assert MARKER.encode() not in (tmp_path / "out.duckdb").read_bytes()
