"""What can be opened, and what is said when it cannot."""

from __future__ import annotations

import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.errors import TableError
from lookalike.tables import Table, open_table


@pytest.mark.parametrize("source", [None, 5, {"a": [1]}, [1], b"x.csv", object])
def test_anything_else_says_what_is_accepted(source):
    with pytest.raises(TableError, match="pandas, polars, Dask or Spark"):
        open_table(source)


@pytest.mark.parametrize(
    "address", ["foo://x", "https://example.org/x.csv", "jdbc:mysql://u:pw@h/d"]
)
def test_an_address_of_an_unknown_scheme_is_not_a_path(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pa.table({"age": [31, 34, 37]})
    policy = la.Policy(quasi_identifiers={"age": la.bands(10)}, require=la.KAnonymity(3))
    release = la.anonymize(table, policy)
    for given in (open_table, release.write, la.verify, lambda one: la.sign(one, "key")):
        with pytest.raises(TableError, match="not the address of a table") as caught:
            given(address)
        assert "postgresql://" in caught.value.faults[0].fix
        assert "pw" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(TableError, match="no such file"):
        open_table(tmp_path / "none.csv")
    with pytest.raises(TableError, match="folder"):
        open_table(tmp_path)
    (tmp_path / "x.xlsx").write_text("x")
    with pytest.raises(TableError, match=r"\.parquet"):
        open_table(tmp_path / "x.xlsx")
    for name in ("e.csv", "e.parquet"):
        (tmp_path / name).touch()
        with pytest.raises(TableError, match="empty"):
            open_table(tmp_path / name)
    with pytest.raises(TableError, match="cannot be opened"):
        open_table("a\0.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_one_may_not_read(tmp_path):
    (tmp_path / "x.csv").write_text("a\n")
    (tmp_path / "x.csv").chmod(0)
    with pytest.raises(TableError, match="no permission to read"):
        open_table(tmp_path / "x.csv")


def test_damaged_parquet(tmp_path):
    (tmp_path / "x.parquet").write_text("secret")
    with pytest.raises(TableError, match="Parquet") as raised:
        open_table(str(tmp_path / "x.parquet"))
    assert "secret" not in str(raised.value)


def test_parquet_with_a_name_twice(tmp_path):
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "x.parquet")
    with pytest.raises(TableError, match="same name"):
        open_table(tmp_path / "x.parquet")


def test_parquet_keeps_its_types_and_folders_add_no_columns(tmp_path):
    (tmp_path / "year=2020").mkdir()
    path = tmp_path / "year=2020" / "a[1].parquet"
    pq.write_table(pa.table({"a": pa.array([1], pa.int16())}), path)
    table = open_table(path)
    assert table.columns == ("a",)
    assert table.types == {"a": "SMALLINT"}
    assert table.native().schema.field("a").type == pa.int16()


def test_every_kind_is_a_table(opened):
    assert isinstance(opened(pa.table({"a": [1]})), Table)


def test_importing_loads_no_engine():
    engines = "{'duckdb', '_duckdb', 'polars', 'pandas', 'narwhals', 'pyarrow'}"
    code = f"import sys, lookalike.tables; print(sorted({engines} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_files_and_arrow_need_neither_pandas_nor_polars(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    code = (
        "import sys\n"
        "class Without:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name.split('.')[0] in {'pandas', 'polars'}: raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Without())\n"
        "import pyarrow as pa, numpy as np\n"
        "from lookalike.tables import open_table, Edit, ColumnRecoding\n"
        f"for source in ({str(tmp_path / 'x.csv')!r}, pa.table({{'a': ['1'], 'b': ['2']}})):\n"
        "    t = open_table(source); f = t.count_groups(['a'], ['b'])\n"
        "    m = ColumnRecoding(f.values[0], np.zeros(1, np.int32), ('x',))\n"
        "    e = Edit(('a', 'b'), {'a': m}, np.zeros((0, 1), np.int32), False, 1, 0)\n"
        "    print(t.edit(e).native().to_pylist())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["[{'a': 'x', 'b': '2'}]"] * 2
