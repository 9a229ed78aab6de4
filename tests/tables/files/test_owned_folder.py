"""A folder is removed with its process, or by the next one; never while its process lives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lookalike.tables.files import owned_folder
from lookalike.tables.files.owned_folder import LOCK, OwnedFolder, leftovers, sole_access, sweep

SRC = Path(__file__).parents[3] / "src"
OWNER = """
import pathlib, sys, time
from lookalike.tables.files.owned_folder import OwnedFolder
own = OwnedFolder(pathlib.Path(sys.argv[1]))
(own.folder / "copy").write_text("x")
print(own.folder, flush=True)
time.sleep(3600)
"""


def owner_process(parent):
    """A process that owns a folder, and the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(parent)],
        env={**os.environ, "PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        text=True,
    )
    return process, Path(process.stdout.readline().strip())


def test_the_folder_is_private_and_names_its_process(tmp_path):
    own = OwnedFolder(tmp_path)
    assert own.folder.stat().st_mode & 0o777 == 0o700
    assert own.folder.name.startswith(f"lookalike-{os.getpid()}-")
    (own.folder / "x" / "y").mkdir(parents=True)
    own.remove()
    assert list(tmp_path.iterdir()) == []
    hidden = OwnedFolder(tmp_path, hidden=True)
    assert hidden.folder.name.startswith(".lookalike-")
    del hidden  # an object that is gone needs no folder
    assert list(tmp_path.iterdir()) == []


def test_a_living_process_keeps_its_folder_and_a_killed_one_does_not(tmp_path):
    process, folder = owner_process(tmp_path)
    try:
        sweep(tmp_path)
        assert (folder / "copy").exists()
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_number_of_a_living_process_does_not_protect_a_folder(tmp_path):
    """Numbers are used again: this one is of a process that lives and does not own the folder."""
    (tmp_path / f"lookalike-{os.getpid()}-{'0' * 16}").mkdir()
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_fork_neither_removes_nor_outlives_the_folder(tmp_path):
    own = OwnedFolder(tmp_path)
    process = os.fork()
    if not process:
        own.remove()
        os._exit(0)
    os.waitpid(process, 0)
    assert own.folder.exists()
    sweep(tmp_path)
    assert own.folder.exists()
    own.remove()


def test_only_folders_of_this_program_and_user_are_swept(tmp_path, monkeypatch):
    name = f"lookalike-1-{'0' * 16}"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine").write_text("mine")
    (tmp_path / name).symlink_to(tmp_path / "elsewhere")
    for other in ("lookalike-demo-x", f"lookalike-1-{'0' * 15}", f"my-{name}", f".{name}"):
        (tmp_path / other).mkdir()
    before = sorted(tmp_path.iterdir())
    sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "elsewhere" / "mine").exists()
    monkeypatch.setattr(os, "getuid", lambda: 12345)  # another user's
    assert leftovers(tmp_path, hidden=True) == []


def test_without_locks_nothing_is_swept(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError(95, "Operation not supported")

    (tmp_path / f"lookalike-1-{'0' * 16}").mkdir()
    monkeypatch.setattr(owned_folder.fcntl, "flock", no_locks)
    own = OwnedFolder(tmp_path)
    sweep(tmp_path)
    assert len(leftovers(tmp_path)) == 2
    own.remove()


def test_a_folder_that_is_swept_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    """The sweeper comes between mkdir and the lock."""
    opened, swept = owned_folder._open_lock, []

    def too_late(folder):
        if not swept:
            swept.append(folder)
            sweep(tmp_path)
        return opened(folder)

    monkeypatch.setattr(owned_folder, "_open_lock", too_late)
    own = OwnedFolder(tmp_path)
    assert swept
    assert own.folder != swept[0]
    assert [path.name for path in own.folder.iterdir()] == [LOCK]
    assert list(tmp_path.iterdir()) == [own.folder]


def test_many_that_sweep_and_make_folders_at_once_keep_theirs(tmp_path):
    lost = []

    def work():
        for _ in range(50):
            own = OwnedFolder(tmp_path)
            (own.folder / "copy").write_text("x")
            sweep(tmp_path)
            if not (own.folder / "copy").exists():
                lost.append(own.folder)
            own.remove()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sweep(tmp_path)
    assert (lost, list(tmp_path.iterdir())) == ([], [])


def test_one_at_a_time_puts_files_in_place(tmp_path, monkeypatch):
    monkeypatch.setattr(owned_folder, "WAIT_SECONDS", 0.0)
    with sole_access(tmp_path) as first:
        assert first
        with sole_access(tmp_path) as second:
            assert not second
    with sole_access(tmp_path) as third:
        assert third


def test_what_cannot_be_repaired_is_left(tmp_path):
    def fail(folder):
        raise OSError(5, "Input/output error")

    folder = tmp_path / f"lookalike-1-{'0' * 16}"
    folder.mkdir()
    sweep(tmp_path, repair=fail)
    assert folder.exists()
    sweep(tmp_path, repair=lambda folder: pytest.fail("hidden ones only"), hidden=True)
