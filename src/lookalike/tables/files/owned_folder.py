"""A private folder of one process, and the removal of folders whose process is certainly dead.

A living owner holds a lock (``flock``) on the file ``lock`` in its folder. The system releases it
when the process ends, however it ends. So a process that gets the lock knows that the owner is
dead. The process number in the name is for people: numbers are used again, and mean nothing in
another container. Where locks do not work, nothing is swept.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

fcntl: Any = import_module("fcntl") if os.name == "posix" else None  # Windows has no flock

LOCK = "lock"
MAX_TRIES = 100
WAIT_SECONDS = 60.0  # for another process that puts a file in place in the same folder
RETRY_SECONDS = 0.01
_NAME = re.compile(r"(\.?)lookalike-\d+-[0-9a-f]{16}")


class OwnedFolder:
    """A new folder ``lookalike-PROCESS-RANDOM`` that only its owner can read (mode 0700).

    It is removed by ``remove``, or when the object is gone. A forked process leaves it alone.
    """

    def __init__(self, parent: Path, *, hidden: bool = False) -> None:
        self.folder, lock = _create(parent, "." if hidden else "")
        self._remove = weakref.finalize(self, _end, self.folder, lock, os.getpid())
        self._lock = lock

    def remove(self) -> None:
        """Remove the folder; what cannot be removed now is removed by the next sweep."""
        self._remove()

    def leave(self) -> None:
        """Release the lock but leave the folder: the next sweep finds and repairs it."""
        if self._remove.detach():
            os.close(self._lock)


def _create(parent: Path, dot: str) -> tuple[Path, int]:
    for _ in range(MAX_TRIES):
        folder = parent / f"{dot}lookalike-{os.getpid()}-{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        try:
            lock = _open_lock(folder)
        except FileNotFoundError:  # swept before it was locked
            continue
        except OSError:
            with suppress(OSError):
                folder.rmdir()
            raise
        if _lock_at_once(lock) is not False and _is_at(folder / LOCK, lock):
            return folder, lock
        os.close(lock)  # somebody is sweeping it
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))


def _end(folder: Path, lock: int, owner: int) -> None:
    try:
        if os.getpid() == owner:  # not a fork of it
            _remove_locked(folder)
    finally:
        with suppress(OSError):
            os.close(lock)


def _remove_locked(folder: Path) -> None:
    """Remove the folder, its lock last: so nobody else takes it while it is being removed."""
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - names are enough
            if name != LOCK:
                path = folder / name
                is_folder = path.is_dir() and not path.is_symlink()
                shutil.rmtree(path) if is_folder else path.unlink(missing_ok=True)
        (folder / LOCK).unlink(missing_ok=True)
        folder.rmdir()


def sweep(
    parent: Path, *, hidden: bool = False, repair: Callable[[Path], None] = lambda folder: None
) -> None:
    """Remove the folders in ``parent`` whose owner is dead, each after ``repair(folder)``.

    A folder that cannot be repaired or removed now is left for the next sweep.
    """
    for folder in leftovers(parent, hidden=hidden):
        with suppress(OSError), _claimed(folder) as is_dead:
            if is_dead:
                repair(folder)
                _remove_locked(folder)


def leftovers(parent: Path, *, hidden: bool = False) -> list[Path]:
    """The folders of this user that some process owns, or owned."""
    folders: list[Path] = []
    if fcntl is None:
        return folders
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            match = _NAME.fullmatch(entry.name)
            if match is not None and bool(match[1]) == hidden and _is_own_folder(entry):
                folders.append(Path(entry.path))
    return sorted(folders)


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):
        status = entry.stat(follow_symlinks=False)
        return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return False


@contextmanager
def _claimed(folder: Path) -> Iterator[bool]:
    """Is the owner dead? In the block, nobody else can find that out or use the folder."""
    lock = _open_lock(folder)  # new if the owner was killed before it had one
    try:
        yield _lock_at_once(lock) is True and _is_at(folder / LOCK, lock)
    finally:
        os.close(lock)


def _open_lock(folder: Path) -> int:
    flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
    return os.open(folder / LOCK, flags, 0o600)


def _lock_at_once(descriptor: int) -> bool | None:
    """True if this process has the lock now, False if another has it, None without locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a disk without locks
        return None
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    """Is the open file still the one with this name?"""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))  # noqa: PTH116
    except OSError:
        return False


@contextmanager
def sole_access(folder: Path) -> Iterator[bool]:
    """In the block, no other process of lookalike puts files in place in ``folder``.

    Yields False if another did so for the whole of a minute. Where folders cannot be locked (some
    network disks), this has no effect.
    """
    if fcntl is None:
        yield True
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        until = time.monotonic() + WAIT_SECONDS
        while (locked := _lock_at_once(descriptor)) is False and time.monotonic() < until:
            time.sleep(RETRY_SECONDS)
        yield locked is not False
    finally:
        os.close(descriptor)
