"""ibis tables and Dask frames: the same release as from Arrow, and the same kind comes out."""

import datetime
import random
import subprocess
import sys
from decimal import Decimal
from importlib.util import find_spec

import pandas as pd
import pyarrow as pa
import pytest
from effort import without

import lookalike as la
from lookalike.tables import open_table
from lookalike.tables.frames.lazy import LazyTable

NO_IBIS = 'ibis is not installed: uv pip install "ibis-framework[duckdb,sqlite]"'
NO_DASK = 'Dask is not installed: uv pip install "dask[dataframe]"'
IBIS = without(NO_IBIS, find_spec("ibis") is None)
DASK = without(NO_DASK, find_spec("dask") is None)
KINDS = [
    pytest.param("ibis-duckdb", marks=IBIS),
    pytest.param("ibis-sqlite", marks=IBIS),
    pytest.param("ibis-memtable", marks=IBIS),
    pytest.param("dask", marks=DASK),
]
TYPED = [one for one in KINDS if one.values[0] != "ibis-sqlite"]  # SQLite has few types
pytestmark = pytest.mark.filterwarnings("ignore")  # warnings of other packages


def people(rows=120):
    rng = random.Random(3)
    made = [
        {
            "name": f"person {n}",
            "age at entry": None if n % 15 == 7 else rng.choice([31, 32, 33, 34, 52, 58]),
            'the "Größe"': None if n % 11 == 3 else rng.choice(["Århus", "東京", "", "O'Hara"]),
            "select": rng.choice(["flu", "cold", None]),
            "ward": None if n % 4 == 1 else rng.randrange(3),
            "rate": rng.choice([0.0, -0.0, 0.1, 1e16, None]),
        }
        for n in range(rows)
    ]
    return pa.Table.from_pylist([*made, made[0] | {"name": "alone", "age at entry": 99}])


POLICY = la.Policy(
    quasi_identifiers={"age at entry": la.bands(5, 10, 20), 'the "Größe"': la.flat()},
    identifiers="name",
    sensitive="select",
    insensitive=("ward", "rate"),
    require=la.KAnonymity(3),
    suppress=0.2,
)


def typed(rows=90):
    rng = random.Random(4)
    noon = datetime.datetime(2024, 2, 29, 12, 30)
    made = [
        {
            "fee": None if n % 13 == 5 else Decimal(rng.choice([150, 1999, 2000, 35050])) / 100,
            "born": None if n % 17 == 3 else datetime.date(1980, 1, 1 + rng.randrange(20)),
            "member": None if n % 19 == 4 else n % 3 > 0,
            "seen": None if n % 7 == 2 else noon + datetime.timedelta(microseconds=n % 3),
            "rest": None if n < 50 else Decimal("-1.50"),
            "zone": noon.replace(tzinfo=datetime.UTC),
            "small": n % 5,
        }
        for n in range(rows)
    ]
    kinds = {
        "fee": pa.decimal128(8, 2),
        "born": pa.date32(),
        "member": pa.bool_(),
        "seen": pa.timestamp("us"),
        "rest": pa.decimal128(6, 2),
        "zone": pa.timestamp("us", "UTC"),
        "small": pa.int8(),
    }
    return pa.table(
        {name: pa.array([row[name] for row in made], kind) for name, kind in kinds.items()}
    )


TYPED_POLICY = la.Policy(
    quasi_identifiers={"fee": la.bands(10, 100), "born": la.dates(), "member": la.flat()},
    insensitive=("seen", "rest", "zone", "small"),
    require=la.KAnonymity(3),
    levels={"fee": (0, 0), "born": (2, 5)},
    suppress=0.5,
    accept={"seen": "invented"},
)


def make(table, kind):
    """By the other package's own means, so that nothing of ours is on both sides."""
    if kind == "dask":
        import dask.dataframe as dd

        return dd.from_pandas(table.to_pandas(types_mapper=pd.ArrowDtype), npartitions=4)
    import ibis

    if kind == "ibis-memtable":
        return ibis.memtable(table)
    backend = ibis.duckdb.connect() if kind == "ibis-duckdb" else ibis.sqlite.connect()
    return backend.create_table("people", table)


def rows(native):
    found = native.compute() if hasattr(native, "compute") else native.to_pyarrow()
    if isinstance(found, pd.DataFrame):
        found = pa.table({name: pa.array(found[name], from_pandas=True) for name in found.columns})
    return [tuple(row.values()) for row in found.to_pylist()]


@pytest.mark.parametrize("kind", KINDS)
def test_the_release_and_the_certificate_are_those_of_an_arrow_table(kind, tmp_path):
    source = make(people(), kind)
    release = la.anonymize(source, POLICY)
    expected = la.anonymize(people(), POLICY)
    assert release.certificate.to_json() == expected.certificate.to_json()
    assert release.solution.proof == expected.solution.proof
    assert type(release.table) is type(source)
    assert rows(release.table) == [tuple(row.values()) for row in expected.table.to_pylist()]
    assert release.solution.suppressed
    for name in ("out.csv", "out.parquet"):
        assert la.verify(release.write(tmp_path / name)).passed
    assert la.verify(release.write(tmp_path / "out", partition_by="select")).passed
    assert la.verify(release.table, release.certificate).passed
    assert la.verify(
        release.table, original=source, policy=POLICY, solution=release.solution
    ).passed


@pytest.mark.parametrize("kind", TYPED)
def test_columns_of_every_type_agree(kind):
    release = la.anonymize(make(typed(), kind), TYPED_POLICY)
    expected = la.anonymize(typed(), TYPED_POLICY)
    assert release.certificate.to_json() == expected.certificate.to_json()
    if kind == "dask":
        kept = release.table.compute()
        for name in ("fee", "member", "seen", "rest", "zone", "small"):
            assert kept[name].dtype == pd.ArrowDtype(typed().schema.field(name).type), name


@pytest.mark.parametrize("kind", TYPED)
def test_a_table_without_rows(kind):
    release = la.anonymize(make(typed().slice(0, 0), kind), TYPED_POLICY)
    expected = la.anonymize(typed().slice(0, 0), TYPED_POLICY)
    assert release.certificate.to_json() == expected.certificate.to_json()
    assert rows(release.table) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_is_opened_by_the_name_of_its_kind_and_handed_back_as_it_was(kind):
    source = make(people(), kind)
    table = open_table(source)
    assert (table.kind, table.name, table.path) == (kind.partition("-")[0],) * 2 + (None,)
    assert isinstance(table, LazyTable)
    assert table.native() is source
    assert table.rows() == 121
    assert open_table(table) is table
    some = table.eligible_rows({"select": ["flu"]})
    assert {row[3] for row in rows(some.native())} == {"flu"}


@DASK
def test_nothing_of_the_original_is_in_the_categories_the_index_or_the_divisions():
    import dask.dataframe as dd

    frame = people().to_pandas()
    frame["select"] = pd.Categorical(
        frame["select"], categories=["never", "flu", "cold"], ordered=True
    )
    frame["ward"] = frame["ward"].astype("Int64")
    frame["name"] = pd.Categorical(frame["name"])
    frame.index = pd.Index([f"secret {n:04d}" for n in range(len(frame))], name="who")
    source = dd.from_pandas(frame, npartitions=5)
    assert source.divisions[0] == "secret 0000"
    released = la.anonymize(source, POLICY).table
    assert released.npartitions == 5
    assert set(released.divisions) == {None}
    found = released.compute()
    assert found.index.name is None
    assert found["select"].cat.categories.tolist() == ["flu", "cold"]
    assert found["select"].cat.ordered
    assert found["ward"].dtype == "Int64"
    assert "secret" not in str(released.expr.tree_repr if hasattr(released, "expr") else "")


@DASK
def test_there_are_no_more_partitions_than_rows():
    import dask.dataframe as dd

    few = pd.DataFrame({"age": [30, 31, 32], "n": [1, 2, 3]})
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(5)}, insensitive="n", require=la.KAnonymity(3)
    )
    source = dd.concat([dd.from_pandas(few, npartitions=3), dd.from_pandas(few[:0], npartitions=1)])
    assert source.npartitions == 4
    assert la.anonymize(source, policy).table.npartitions == 3


@DASK
def test_partitions_need_not_tell_the_same_types_as_long_as_they_go_together():
    import dask
    import dask.dataframe as dd

    cells = [None, None, Decimal("1.5"), None, Decimal("22.25"), Decimal("3")]
    frame = pd.DataFrame({"a": [1, 1, 1, 2, 2, 2], "fee": cells})
    with dask.config.set({"dataframe.convert-string": False}):
        table = open_table(dd.from_pandas(frame, npartitions=3))
        assert sorted(table.text_rows(["fee"]).column(0).drop_null().to_pylist()) == [
            "1.50", "22.25", "3.00",
        ]  # fmt: skip
        frame["fee"] = ["x", "y", "z", 1, 2, 3]
        with pytest.raises(la.TableError, match="not the same in all partitions") as raised:
            open_table(dd.from_pandas(frame, npartitions=2))
        assert raised.value.faults[0].where == "fee"


@DASK
def test_a_dask_query_that_fails_says_so_and_quotes_nothing():
    import dask.dataframe as dd

    def fail(part):
        raise ValueError("secret of one person") if len(part) > 1 else KeyError("x")

    frame = pd.DataFrame({"a": [1, 2, 3, 4]})
    source = dd.from_pandas(frame, npartitions=2).map_partitions(fail, meta=frame.iloc[:0])
    with pytest.raises(la.TableError, match=r"query fails \(ValueError\)") as raised:
        open_table(source)
    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


@IBIS
def test_an_ibis_query_that_fails_says_so_and_quotes_nothing():
    import ibis

    backend = ibis.duckdb.connect()
    source = backend.create_table("t", pa.table({"a": ["1", "secret"]}))
    with pytest.raises(la.TableError, match="query fails") as raised:
        open_table(source.mutate(a=source.a.cast("int64")))
    assert "secret" not in str(raised.value)
    backend.drop_table("t")
    with pytest.raises(la.TableError, match="ibis: its query fails"):
        open_table(source)


@IBIS
def test_an_ibis_query_is_run_and_its_backend_left_as_it_was():
    import ibis

    backend = ibis.duckdb.connect()
    source = backend.create_table("people", people())
    asked = source.filter(source.ward == 1).select("age at entry", "ward")
    policy = la.Policy(
        quasi_identifiers={"age at entry": la.bands(5, 10)}, insensitive="ward",
        require=la.KAnonymity(2), suppress=0.5,
    )  # fmt: skip
    release = la.anonymize(asked, policy)
    assert set(release.table.to_pyarrow().column("ward").to_pylist()) == {1}
    assert backend.con.sql("SHOW TABLES").fetchall() == [("people",)]
    assert source.count().to_pyarrow().as_py() == 121  # its connection is still of use


@pytest.mark.parametrize("kind", TYPED)
def test_many_small_batches_are_few_files(kind, monkeypatch):
    from lookalike.tables.frames import lazy as lazy_frames

    monkeypatch.setattr(lazy_frames, "MIN_FILE_ROWS", 50)
    table = open_table(make(people(), kind))
    assert table.rows() == 121
    assert table.fingerprint("key") == open_table(people()).fingerprint("key")
    assert len(list((table.scratch.folder / "rows").iterdir())) <= 3
    assert (table.scratch.folder.stat().st_mode & 0o777) == 0o700


@pytest.mark.parametrize("kind", TYPED)
def test_the_private_folder_is_gone_with_the_table(kind):
    table = open_table(make(people(), kind))
    folder = table.scratch.folder
    assert folder.exists()
    del table
    assert not folder.exists()


def test_nothing_loads_ibis_or_dask_unless_such_a_frame_is_given():
    program = (
        "import sys, lookalike as la, pyarrow as pa; la.risk(pa.table({'a': [1]}), ['a']); "
        "assert not {'ibis', 'dask'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
