"""Uploads that grow when they are read: the limit holds for what they become."""

from __future__ import annotations

import gzip
import io
from contextlib import nullcontext
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting import until
from web_client import ask, decided, upload
from web_parts import serving

from lookalike.errors import TableError
from lookalike.web.project import upload_size


@given(st.lists(st.binary(max_size=300), max_size=4), st.integers(0, 400))
def test_a_gzip_file_is_refused_if_and_only_if_its_content_is_too_large(
    tmp_path_factory, members, limit
):
    file = tmp_path_factory.getbasetemp() / "members.csv.gz"
    file.write_bytes(b"".join(map(gzip.compress, members)))  # read one after the other
    large = pytest.raises(TableError, match="when decompressed")
    with large if len(b"".join(members)) > limit else nullcontext():
        upload_size.check_file(file, "t.csv.gz", limit)


def test_a_file_without_an_end_is_refused_after_the_limit(tmp_path, monkeypatch):
    class Endless(io.RawIOBase):
        read_bytes = 0

        def readinto(self, buffer):
            self.read_bytes += len(buffer)
            return len(buffer)

    endless = Endless()
    monkeypatch.setattr(upload_size.gzip, "open", lambda *_: endless)
    with pytest.raises(TableError, match="larger than 10,000,000 bytes when decompressed"):
        upload_size.check_file(tmp_path / "t.csv.gz", "t.csv.gz", 10_000_000)
    assert endless.read_bytes <= 10_000_000 + upload_size.CHUNK_BYTES


def test_a_damaged_gzip_file_is_a_fault(tmp_path):
    whole = gzip.compress(bytes(range(256)) * 100)
    for number, content in enumerate(
        (whole[:-9], whole[:30] + b"\xff" * 40, b"a,b\n", whole + b"x")
    ):
        file = tmp_path / f"{number}.csv.gz"
        file.write_bytes(content)
        with pytest.raises(TableError, match="damaged, or not a gzip file"):
            upload_size.check_file(file, "t.csv.gz", 10**9)


def test_a_parquet_file_is_measured_by_its_pages_and_its_cells(tmp_path):
    file = tmp_path / "t.parquet"
    wide = pa.table({"a": ["x" * 100_000 + str(n) for n in range(50)]})
    pq.write_table(wide, file, compression="zstd")
    assert file.stat().st_size < 1_000_000
    with pytest.raises(TableError, match="columns are larger than 1,000,000 bytes"):
        upload_size.check_file(file, "t.parquet", 1_000_000)
    upload_size.check_file(file, "t.parquet", 20_000_000)
    equal = pa.table({"a": pa.array(np.zeros(600_000, dtype=np.int8)), "b": pa.nulls(600_000)})
    pq.write_table(equal, file, compression="zstd")
    assert file.stat().st_size < 10_000
    with pytest.raises(TableError, match="more than 1,199,999 cells"):
        upload_size.check_file(file, "t.parquet", 1_199_999)
    upload_size.check_file(file, "t.parquet", 1_200_000)


def test_a_file_that_is_no_parquet_is_left_to_its_reader(tmp_path):
    file = tmp_path / "t.parquet"
    file.write_bytes(b"PAR1 but not")
    upload_size.check_file(file, "t.parquet", 1)


def _database(folder: Path) -> bytes:
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 0 AS a, 0 AS b FROM range(2000000)")
    return (folder / "t.duckdb").read_bytes()


def test_the_studio_refuses_small_files_that_grow_and_keeps_nothing_of_them(tmp_path):
    header = "age,straße\n".encode("cp1252")  # not UTF-8, so it would be copied to be read
    grows = gzip.compress(header + b"30,1\n" * 8_000_000)
    assert len(grows) < 1_000_000
    equal = pa.BufferOutputStream()
    pq.write_table(pa.table({"a": pa.array(np.zeros(4_000_000, dtype=np.int8))}), equal)
    files = {
        "t.csv.gz": grows,
        "T.CSV.GZ": grows,
        "t.parquet": equal.getvalue().to_pybytes(),
        "t.duckdb": _database(tmp_path),
    }
    with serving(tmp_path, "--upload", "3MB") as server, server.client() as client:
        for name, content in files.items():
            assert len(content) < 3_000_000, name
            answer = client.post("/projects", files={"file": (name, content)})
            assert answer.status_code == 400, name
            assert "--upload" in answer.text
            assert "larger than" in answer.text
            assert list((server.folder / "me").iterdir()) == []
            assert _temporary_files(server) == []
        fits = gzip.compress(header + b"30,1\n" * 400_000)
        project = upload(client, fits, "t.csv.gz")
        assert "straße" in client.get(f"/projects/{project}/table").text  # from a copy that is kept
        assert _temporary_files(server) != []
        client.post(f"/projects/{project}/remove")
        until(lambda: _temporary_files(server) == [])


def test_a_cancelled_job_leaves_no_copy_of_the_table(tmp_path):
    with serving(tmp_path) as server, server.client() as client:
        content = "name,age,zip,sex,ill\n" + "".join(
            f"É{n},{n % 70},2140{n % 9},{'fm'[n % 2]},flu\n" for n in range(3000)
        )
        project = decided(client, content.encode("cp1252"))
        ask(client, project, by="cell-optimal", seconds="")
        run = server.folder / "me" / project / "jobs" / "run-1"
        until((run / "events.jsonl").exists)
        assert any(file.name == "table.csv" for file in _temporary_files(server))
        client.post(f"/projects/{project}/runs/run-1/cancel")
        until(lambda: _temporary_files(server) == [])


def _temporary_files(server) -> list[Path]:
    return [path for path in (server.folder / ".temporary").rglob("*") if path.is_file()]
