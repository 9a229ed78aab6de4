"""A release as a folder of Parquet files: whole or not at all, and the same to every reader."""

import datetime
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from effort import THOROUGH
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli.app import app
from lookalike.tables import open_table
from lookalike.tables.files import folder_writing as folders
from lookalike.tables.files.atomic_pair import Pair, atomic_pair

POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(5), "sex": la.flat()},
    insensitive="n",
    require=la.KAnonymity(5),
    accept={"n": "an invented number"},
)
TOWNS = [
    "a/b", "Århus", "東京", "x=y", "..", ".", "", "%", "a%2Fb", None, " ", "*", "[1]", "a\\b", "_u",
    ".h", "'q'", '"d"', "a\nb", "a\0b", "+", "&", "#?", "null", "01", "é", "e\u0301", "Z", "tail.",
]  # fmt: skip


def people(rows=240):
    return pa.table(
        {
            "age": [20 + n % 3 for n in range(rows)],
            "sex": ["mf"[n % 2] for n in range(rows)],
            "n": list(range(rows)),
        }
    )


def towns():
    count = 3 * len(TOWNS)
    return pa.table(
        {
            "age": [30] * count,
            "town": [TOWNS[n % len(TOWNS)] for n in range(count)],
            "n": [n % 5 for n in range(count)],
        }
    )


TOWN_POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(5)}, insensitive=("town", "n"), require=la.KAnonymity(5),
    accept={"town": "invented towns"},
)  # fmt: skip


def left(place):
    return sorted(one.name for one in place.iterdir())


def parts(folder):
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file())


def rows_of(table):
    """Each row as text, by the names of the columns."""
    names = sorted(table.column_names)
    cells = [[None if c is None else str(c) for c in table.column(n).to_pylist()] for n in names]
    return sorted(zip(*cells, strict=True), key=repr)


def source_of(table, kind, place):
    if kind == "csv":
        pa.csv.write_csv(table, place / "in.csv")
        return place / "in.csv"
    if kind == "parquet":
        pq.write_table(table, place / "in.parquet")
        return place / "in.parquet"
    if kind == "duckdb":
        return duckdb.connect().from_arrow(table)
    return {"pandas": table.to_pandas, "polars": lambda: pl.from_arrow(table)}[kind]()


@pytest.mark.parametrize("kind", ["pandas", "polars", "csv", "parquet", "duckdb"])
def test_a_folder_verifies_for_any_source(kind, tmp_path):
    source = source_of(people(), kind, tmp_path)
    release = la.anonymize(source, POLICY)
    for name, asked, files in [
        ("plain/", {}, ["part-00000.parquet"]),
        ("few", {"files_of": 100}, [f"part-0000{n}.parquet" for n in range(3)]),
        ("by", {"partition_by": "sex"}, ["sex=f/part-00000.parquet", "sex=m/part-00000.parquet"]),
        (
            "both",
            {"partition_by": ["sex"], "files_of": 60},
            [f"sex={sex}/part-0000{n}.parquet" for sex in "fm" for n in range(2)],
        ),
    ]:
        place = release.write(f"{tmp_path}/{name}", **asked)
        assert place == tmp_path / name.strip("/")
        assert parts(place) == files
        assert all(len(pq.read_table(place / one)) <= asked.get("files_of", 240) for one in files)
        certificate = tmp_path / f"{place.name}.certificate.json"
        assert certificate.read_text() == release.certificate.to_json()
        assert la.verify(f"{place}/").passed
        assert la.verify(place, original=source, policy=POLICY, solution=release.solution).passed
        found = open_table(place)
        assert found.columns == release.released.columns
        assert found.fingerprint("key") == release.released.fingerprint("key")
    assert not [name for name in left(tmp_path) if name.startswith(".")]


def test_partition_cells_may_be_any_text_and_every_reader_reads_them_alike(tmp_path):
    release = la.anonymize(towns(), TOWN_POLICY)
    place = release.write(tmp_path / "out", partition_by=["town"])
    assert len(left(place)) == len(TOWNS)
    assert {"town=a%2Fb", "town=東京", "town="} <= set(left(place))
    assert "town=__HIVE_DEFAULT_PARTITION__" in left(place)
    assert la.verify(place).passed
    expected = rows_of(release.table)
    hive = ds.partitioning(pa.schema([("town", pa.string())]), flavor="hive")
    assert rows_of(ds.dataset(place, partitioning=hive).to_table()) == expected
    schema = {"town": pl.String}
    scanned = pl.scan_parquet(place, hive_partitioning=True, hive_schema=schema).collect()
    assert rows_of(scanned.to_arrow()) == expected
    sql = "FROM read_parquet(?, hive_partitioning=true, hive_types_autocast=false)"
    relation = duckdb.connect().sql(sql, params=[f"{place}/**/*.parquet"])
    assert rows_of(relation.to_arrow_table()) == expected


def test_a_plain_folder_reads_the_same_everywhere(tmp_path):
    release = la.anonymize(people(), POLICY)
    place = release.write(f"{tmp_path}/out/", files_of=50)
    expected = release.table
    assert ds.dataset(place).to_table().equals(expected)
    assert pl.read_parquet(place).to_arrow().cast(expected.schema).equals(expected)
    relation = duckdb.connect().sql(f"FROM '{place}/*.parquet'")
    assert rows_of(relation.to_arrow_table()) == rows_of(expected)


@pytest.mark.parametrize(
    "cells",
    [
        [datetime.date(2020, 1, 1), datetime.date(1999, 12, 31), None],
        [True, False, None],
        [Decimal("-1.50"), Decimal("10.00"), None, Decimal("9.25")],
        [0.1, -0.0, 1e16, None, float("inf"), float("nan"), -2.5],
        [10, 9, -1, None],
        [datetime.datetime(2024, 2, 29, 12, 30, 0, 1), datetime.datetime(2024, 2, 29)],
        [datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC), None],
        [datetime.time(12, 30), datetime.time(1, 2, 3, 4)],
        [b"\x00/x", b"y"],
        [[1, 2], [3]],
    ],
    ids=lambda cells: type(cells[0]).__name__,
)
@pytest.mark.parametrize("kind", ["frame", "parquet"])
def test_columns_of_other_types_become_folders_by_their_text(cells, kind, tmp_path):
    count = 6 * len(cells)
    table = pa.table({"age": [30] * count, "cell": cells * 6, "n": [n % 3 for n in range(count)]})
    source = table if kind == "frame" else source_of(table, "parquet", tmp_path)
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(5)}, insensitive=("cell", "n"), require=la.KAnonymity(5)
    )
    release = la.anonymize(source, policy)
    for by in (["cell"], ["n", "cell"]):
        assert la.verify(release.write(tmp_path / "-".join(by), partition_by=by)).passed
    assert la.verify(
        tmp_path / "cell", original=source, policy=policy, solution=release.solution
    ).passed


def test_what_is_written_is_private_and_holds_released_cells_alone(tmp_path):
    frame = people().to_pandas()
    frame["n"] = pd.Categorical(
        [f"kind {n % 2}" for n in range(240)], categories=["kind 1", "secret", "kind 0"]
    )
    frame.attrs["secret"] = "secret"
    relation = duckdb.connect()
    relation.execute("CREATE TYPE kinds AS ENUM ('secret', 'kind 0', 'kind 1')")
    relation.from_arrow(people()).create("people")
    enum = relation.sql("SELECT age, sex, ('kind ' || n % 2)::kinds AS n FROM people")
    for number, source in enumerate([frame, enum]):
        release = la.anonymize(source, POLICY)
        for asked in ({"files_of": 50}, {"partition_by": "sex"}, {"partition_by": "n"}):
            by = "-".join(asked)
            place = release.write(tmp_path / f"{number}{by}{asked[by]}", **asked)
            for one in [place, *place.rglob("*")]:
                assert one.stat().st_mode & 0o777 == (0o700 if one.is_dir() else 0o600)
                if one.is_file():
                    assert b"secret" not in one.read_bytes()
                    noted = pq.read_metadata(one).metadata or {}
                    assert set(noted) <= {b"lookalike.columns"}
                    assert pq.ParquetFile(one).schema_arrow.pandas_metadata is None


def test_the_order_of_the_columns_is_noted_and_a_note_that_does_not_fit_is_ignored(tmp_path):
    release = la.anonymize(people(), POLICY)
    place = release.write(tmp_path / "out", partition_by="age")
    assert open_table(place).columns == ("age", "sex", "n")
    file = place / "age=20" / "part-00000.parquet"  # the first, which is asked
    assert pq.read_metadata(file).metadata[b"lookalike.columns"] == b'["age", "sex", "n"]'
    for wrong in ('["sex", "n"]', "[1, 2, 3]", "no json", "3", '["n", "sex", "age"]'):
        rows = pq.ParquetFile(file).read()
        with pq.ParquetWriter(file, rows.schema, store_schema=False) as writer:
            writer.write_table(rows)
            writer.add_key_value_metadata({"lookalike.columns": wrong})
        fits = wrong.startswith('["n"')
        expected = tuple(json.loads(wrong)) if fits else ("sex", "n", "age")
        assert open_table(place).columns == expected
        assert not la.verify(place).passed


def test_rows_out_of_their_order_or_changed_are_found(tmp_path):
    release = la.anonymize(people(), POLICY)
    for name, change in (
        ("turned", lambda rows: rows.take(pa.array(np.arange(len(rows))[::-1]))),
        ("fewer", lambda rows: rows.slice(1)),
    ):
        place = release.write(tmp_path / name, partition_by="sex")
        file = place / "sex=m" / "part-00000.parquet"
        pq.write_table(change(pq.ParquetFile(file).read()), file)
        assert not la.verify(place).passed


def test_an_empty_release_is_a_folder_too(tmp_path):
    release = la.anonymize(people().slice(0, 0), POLICY)
    assert la.verify(release.write(f"{tmp_path}/out/")).passed
    place = release.write(tmp_path / "by", partition_by=["n", "sex"])
    assert la.verify(place).passed
    assert open_table(place).rows() == 0


def test_many_folders_need_not_all_be_open(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "MAX_OPEN_FILES", 2)
    monkeypatch.setattr(folders, "MAX_WAITING_BYTES", 0)
    table = people(2000).set_column(2, "n", pa.array([n % 7 for n in range(2000)]))
    release = la.anonymize(source_of(table, "parquet", tmp_path), POLICY)
    place = release.write(tmp_path / "out", partition_by="n", files_of=100)
    assert la.verify(place).passed
    assert len(left(place)) == 7


def test_too_many_folders_or_files_are_refused_and_leave_nothing(tmp_path, monkeypatch):
    release = la.anonymize(people(1200), POLICY)
    with pytest.raises(la.FileError, match="more than 1,000 folders") as raised:
        release.write(tmp_path / "out", partition_by="n")
    assert raised.value.faults[0].where == "n"
    monkeypatch.setattr(folders, "MAX_FILES", 3)
    with pytest.raises(la.FileError, match="more than 3 files"):
        release.write(tmp_path / "out", files_of=1)
    assert left(tmp_path) == []


def test_what_cannot_be_asked_for_is_said_at_once(tmp_path):
    release = la.anonymize(people(), POLICY)
    for asked, said in [
        ({"partition_by": ["zip"]}, "no such column to partition by"),
        ({"partition_by": ["sex", "sex"]}, "names it twice"),
        ({"partition_by": ["sex", "age", "n"]}, "no column is left"),
        ({"files_of": 0}, "too small"),
        ({"files_of": 1.5}, "not a whole number"),
        ({"files_of": True}, "not a whole number"),
    ]:
        with pytest.raises(la.FileError, match=said):
            release.write(tmp_path / "out", **asked)
    with pytest.raises(la.FileError, match="only Parquet files"):
        release.write(tmp_path / "out.csv", files_of=3)
    with pytest.raises(la.FileError, match="has no files"):
        release.write("postgresql://host/db?table=x", files_of=3)
    for name in ("/", f"{tmp_path}/x/../..", "./"):
        with pytest.raises(la.FileError, match="this is a folder"):
            release.write(f"{name}/")
    with pytest.raises(la.FileError, match="does not exist"):
        release.write(f"{tmp_path}/no/out/")
    with pytest.raises(la.FileError, match="end the path in a slash"):
        release.write(tmp_path)
    assert left(tmp_path) == []


def test_names_and_cells_that_no_folder_can_have(tmp_path):
    table = towns()
    for name in ("_hidden", ".hidden", "a=b", "a/b", "50%"):
        policy = la.Policy(
            quasi_identifiers={"age": la.bands(5)}, insensitive=(name, "n"),
            require=la.KAnonymity(5), accept={name: "invented towns"},
        )  # fmt: skip
        release = la.anonymize(table.rename_columns(["age", name, "n"]), policy)
        with pytest.raises(la.FileError, match="would not find a column with this name"):
            release.write(tmp_path / "out", partition_by=name)
    for cell, said in (("x" * 260, "too long"), (folders.NULL, "marks folders of nulls")):
        cells = pa.array([cell] * len(table))
        release = la.anonymize(table.set_column(1, "town", cells), TOWN_POLICY)
        with pytest.raises(la.FileError, match=said) as raised:
            release.write(tmp_path / "out", partition_by="town")
        assert cell not in str(raised.value)
    assert left(tmp_path) == []


def test_an_existing_folder_is_replaced_only_if_forced_and_only_if_it_is_a_release(tmp_path):
    old = la.anonymize(people(), POLICY)
    new = la.anonymize(people(100), POLICY)
    place = old.write(tmp_path / "out", partition_by="sex")
    before = parts(place)
    with pytest.raises(la.FileError, match="exists"):
        new.write(f"{tmp_path}/out/")
    (tmp_path / "out.certificate.json").unlink()
    with pytest.raises(la.FileError, match="the folder exists"):
        new.write(f"{tmp_path}/out/")
    assert parts(place) == before
    new.write(f"{tmp_path}/out/", force=True)
    assert parts(place) == ["part-00000.parquet"]
    assert la.verify(place).passed
    assert open_table(place).rows() == 100
    assert left(tmp_path) == ["out", "out.certificate.json"]
    (place / "notes.txt").write_text("mine")
    with pytest.raises(la.FileError, match="files that do not belong to a release"):
        old.write(f"{tmp_path}/out/", force=True)
    assert parts(place) == ["notes.txt", "part-00000.parquet"]
    (tmp_path / "link").symlink_to(place)
    (tmp_path / "file").write_text("mine")
    for name in ("link", "file"):
        with pytest.raises(la.FileError, match="a file with this name"):
            old.write(tmp_path / name, files_of=10, force=True)


def test_the_input_is_never_in_the_way(tmp_path):
    place = tmp_path / "data"
    (place / "x=1").mkdir(parents=True)
    pq.write_table(people(), place / "x=1" / "part-00000.parquet")
    (tmp_path / "soft").symlink_to(place)
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(5), "sex": la.flat()}, insensitive=("n", "x"),
        require=la.KAnonymity(5), accept={"n": "an invented number"},
    )  # fmt: skip
    for source, asked in ((place, policy), (place / "x=1" / "part-00000.parquet", POLICY)):
        release = la.anonymize(source, asked)
        for name in ("data", "soft", "data/x=1", "soft/x=1"):
            with pytest.raises(la.FileError, match=r"input|a file with this name"):
                release.write(tmp_path / name, files_of=10, force=True)
    release = la.anonymize(place, policy)
    with pytest.raises(la.FileError, match="in the input"):
        release.write(f"{place}/out/")
    assert parts(place) == ["x=1/part-00000.parquet"]


def test_a_folder_that_appears_meanwhile_is_left_alone(tmp_path):
    release = la.anonymize(people(), POLICY)
    target = tmp_path / "out"

    def too_late():
        pair = Pair(target, tmp_path / "out.certificate.json", is_folder=True)
        with atomic_pair(pair) as new:
            (new.release / "part-00000.parquet").write_text("new")
            target.mkdir()
            (target / "x").write_text("somebody else's")

    with pytest.raises(la.FileError, match="the folder exists"):
        too_late()
    assert parts(target) == ["x"]
    assert left(tmp_path) == ["out"]
    assert la.verify(release.write(tmp_path / "other", files_of=9)).passed


def test_when_the_new_one_cannot_be_put_in_place_the_old_one_is_back(tmp_path, monkeypatch):
    release = la.anonymize(people(), POLICY)
    place = release.write(tmp_path / "out", partition_by="sex")
    before, rename = parts(place), Path.rename

    def fail(self, target):
        if self.name == "new":
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(la.FileError, match="cannot be written"):
        release.write(f"{tmp_path}/out/", force=True)
    assert parts(place) == before
    assert left(tmp_path) == ["out", "out.certificate.json"]
    assert la.verify(place).passed


def test_a_folder_that_reads_back_as_something_else_is_not_put_in_place(tmp_path, monkeypatch):
    release = la.anonymize(people(), POLICY)
    plain = folders.without_dictionaries
    monkeypatch.setattr(folders, "without_dictionaries", lambda batch: plain(batch.slice(1)))
    with pytest.raises(la.ReleaseRefused, match="does not hold the verified rows"):
        release.write(tmp_path / "out", partition_by="sex")
    assert left(tmp_path) == []


def notes(rows):
    """A table that does not compress well."""
    return pa.table(
        {
            "age": [n * 7 % 90 for n in range(rows)],
            "sex": ["mf"[n % 2] for n in range(rows)],
            "n": [hashlib.md5(str(n).encode()).hexdigest() for n in range(rows)],
        }
    )


@pytest.mark.parametrize("asked", [{"files_of": 5000}, {"partition_by": "sex"}], ids=str)
def test_a_full_disk_is_said_and_leaves_nothing(small_disk, tmp_path, asked):
    release = la.anonymize(notes(40_000), POLICY)
    with pytest.raises(la.FileError, match="cannot be written") as raised:
        release.write(small_disk / "out", **asked)
    assert raised.value.faults[0].where == "out"
    assert "disk space" in raised.value.faults[0].fix
    assert left(small_disk) == []
    assert la.verify(release.write(tmp_path / "out", **asked)).passed


PROGRAM = """
import sys, time
import lookalike as la
from lookalike.tables.files import folder_writing as folder
policy = la.Policy(quasi_identifiers={"age": la.bands(5), "sex": la.flat()}, insensitive="n",
                   require=la.KAnonymity(5), accept={"n": "an invented number"})
begin = folder._PartFiles._open
def slow(self, schema):
    begin(self, schema)
    if (self.folder / "part-00002.parquet").exists():
        time.sleep(float(sys.argv[1]))
folder._PartFiles._open = slow
la.anonymize("t.parquet", policy).write("out/", files_of=1000, force=True)
"""


@pytest.mark.skipif(not THOROUGH, reason="test_disasters kills daily: LOOKALIKE_THOROUGH=1")
def test_killed_while_writing_nothing_is_there_and_another_run_works(tmp_path):
    pq.write_table(notes(20_000), tmp_path / "t.parquet")
    for old in (False, True):
        before = parts(tmp_path / "out") if old else []
        program = subprocess.Popen([sys.executable, "-c", PROGRAM, "3600"], cwd=tmp_path)
        begun = lambda: [*tmp_path.glob(".out-*/part-00002.parquet")]  # noqa: E731
        while program.poll() is None and not begun():
            time.sleep(0.01)
        assert program.poll() is None, "it was done before it could be killed"
        os.kill(program.pid, signal.SIGKILL)
        program.wait()
        assert (tmp_path / "out").exists() is old
        [remains] = tmp_path.glob(".out-*")
        assert remains.stat().st_mode & 0o777 == 0o700
        assert not old or parts(tmp_path / "out") == before
        for one in remains.iterdir():
            one.unlink()
        remains.rmdir()
        again = [sys.executable, "-c", PROGRAM, "0"]
        assert subprocess.run(again, cwd=tmp_path, check=False).returncode == 0
        assert la.verify(tmp_path / "out").passed


def test_the_command_line_writes_folders(tmp_path):
    (tmp_path / "people.csv").write_text("sex,age\n" + "f,31\nm,31\n" * 12)
    asked = ["run", str(tmp_path / "people.csv"), "--qi", "age,sex", "--k", "3", "--quiet"]
    runner = CliRunner()
    for number, more in enumerate((["--partition-by", "sex"], ["--files-of", "10"])):
        out = tmp_path / f"out{number}"
        command = [*asked, "-o", str(out), *more]
        assert runner.invoke(app, command).exit_code == 0
        assert la.verify(f"{out}/").passed
        assert runner.invoke(app, command).exit_code == 1  # the folder exists
        assert runner.invoke(app, [*command, "--force"]).exit_code == 0
    assert sorted(one.name for one in (tmp_path / "out0").iterdir()) == ["sex=f", "sex=m"]
    assert len(list((tmp_path / "out1").iterdir())) == 3
