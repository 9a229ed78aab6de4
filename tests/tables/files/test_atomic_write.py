"""A file appears whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pyarrow as pa
import pytest

from lookalike.errors import FileError, TableError
from lookalike.tables import atomic_write, open_table, same_file


def left(folder):
    return sorted(file.name for file in folder.iterdir())


def test_the_file_appears_when_the_block_ends(tmp_path):
    with atomic_write(tmp_path / "out.csv") as temporary:
        assert temporary.parent.parent == tmp_path
        assert temporary.parent.name.startswith(f".lookalike-{os.getpid()}-")
        assert temporary.parent.stat().st_mode & 0o777 == 0o700
        assert temporary.suffix == ".csv"
        assert temporary.stat().st_mode & 0o777 == 0o600
        temporary.write_text("x")
        assert not (tmp_path / "out.csv").exists()
    assert left(tmp_path) == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "x"


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_an_engine_writes_into_the_private_file(tmp_path, suffix):
    table = open_table(pa.table({"a": [1]}))
    with atomic_write(tmp_path / f"out.{suffix}") as temporary:
        node = temporary.stat().st_ino
        table.write(temporary)
        assert (temporary.stat().st_ino, temporary.stat().st_mode & 0o777) == (node, 0o600)
    assert left(tmp_path) == [f"out.{suffix}"]
    assert (tmp_path / f"out.{suffix}").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("force", [False, True])
def test_a_crash_leaves_nothing(tmp_path, error, force):
    if force:
        (tmp_path / "out.csv").write_text("old")

    def crash():
        with atomic_write(tmp_path / "out.csv", force) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        crash()
    assert left(tmp_path) == (["out.csv"] if force else [])
    assert not force or (tmp_path / "out.csv").read_text() == "old"


def test_an_existing_file_is_refused_unless_forced(tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("old")
    with pytest.raises(TableError, match="exists"), atomic_write(target):
        pytest.fail("the block must not run")
    with atomic_write(target, force=True) as temporary:
        temporary.write_text("new")
    assert target.read_text() == "new"
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "nowhere")
    with pytest.raises(TableError, match="exists"), atomic_write(tmp_path / "dangling.csv"):
        pytest.fail("the block must not run")


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", no_links)

    def too_late():
        with atomic_write(tmp_path / "out.csv") as temporary:
            temporary.write_text("new")
            (tmp_path / "out.csv").write_text("somebody else's")

    with pytest.raises(TableError, match="exists"):
        too_late()
    assert left(tmp_path) == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "somebody else's"


def no_links(_self, _target):
    raise OSError(errno.EPERM, "no hard links here")


def test_a_disk_without_hard_links_will_do(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "hardlink_to", no_links)
    with atomic_write(tmp_path / "out.csv") as temporary:
        temporary.write_text("x")
    assert left(tmp_path) == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "x"


@pytest.mark.parametrize("force", [False, True])
def test_the_input_is_never_overwritten(tmp_path, force):
    source = tmp_path / "in.csv"
    source.write_text("a")
    (tmp_path / "soft.csv").symlink_to(source)
    (tmp_path / "hard.csv").hardlink_to(source)
    for name in ("in.csv", "soft.csv", "hard.csv", "../" + tmp_path.name + "/in.csv"):
        with (
            pytest.raises(TableError, match="input"),
            atomic_write(tmp_path / name, force, source=source),
        ):
            pytest.fail("the block must not run")
    assert source.read_text() == "a"
    with atomic_write(tmp_path / "out.csv", force, source=source) as temporary:
        temporary.write_text("b")


def test_same_file(tmp_path):
    (tmp_path / "a").write_text("")
    (tmp_path / "b").write_text("")
    assert not same_file(tmp_path / "a", tmp_path / "b")
    assert not same_file(tmp_path / "a", tmp_path / "none")
    assert same_file(tmp_path / "none", tmp_path / "x" / ".." / "none")


def test_folders_that_will_not_do(tmp_path):
    with (
        pytest.raises(TableError, match="does not exist"),
        atomic_write(tmp_path / "no" / "x.csv"),
    ):
        pytest.fail("the block must not run")
    with pytest.raises(TableError, match="folder"), atomic_write(tmp_path):
        pytest.fail("the block must not run")


def test_a_folder_that_cannot_be_written_to(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(TableError, match="cannot be written to"), atomic_write(tmp_path / "x.csv"):
        pytest.fail("the block must not run")


@pytest.mark.parametrize("name", ["x.xlsx", "x", "x.csv.gz"])
def test_only_csv_and_parquet_are_written(opened, tmp_path, name):
    with pytest.raises(TableError, match=r"\.csv or \.parquet"):
        opened(pa.table({"a": [1]})).write(tmp_path / name)


def test_a_full_or_missing_disk_is_a_fault(opened, tmp_path):
    for name in ("x.csv", "x.parquet"):
        with pytest.raises(TableError, match="cannot be written"):
            opened(pa.table({"a": ["secret"]})).write(tmp_path / "no" / name)


def test_a_place_that_cannot_be_written_is_no_fault_of_the_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place, problem in (
        (".", "1. .: this is a folder"),
        ("no/out.csv", "1. out.csv: its folder does not exist"),
    ):
        with pytest.raises(FileError) as raised, atomic_write(place):
            pass
        assert problem in str(raised.value)
        assert "in the files" in str(raised.value)
    with pytest.raises(FileError, match=r"let the file's name end in \.csv"):
        open_table(pa.table({"a": [1]})).write(tmp_path / "out.xlsx")
