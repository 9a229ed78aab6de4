"""A file appears whole or not at all: written beside its place, then put there in one step."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lookalike.errors import Fault, FileError


def same_file(a: str | Path, b: str | Path) -> bool:
    """Are both paths the same file, through symbolic or hard links as well?"""
    try:
        return Path(a).samefile(b)
    except OSError:  # one of them does not exist: then only the spelling can tell
        return Path(a).resolve() == Path(b).resolve()


@contextmanager
def written_whole(
    path: str | Path, force: bool = False, source: str | Path | None = None
) -> Iterator[Path]:
    """Yield a private temporary path beside ``path``; when the block succeeds it becomes ``path``.

    The temporary file is readable by its owner alone (mode 0600), and so is the result: whom to
    share it with is the holder's decision. When the block raises, the temporary file is removed
    and ``path`` is as it was. Without ``force`` an existing file is never overwritten, not even
    one that appeared while the block ran. ``source`` is the input, which is never overwritten.
    """
    target = Path(path)
    if fault := _unfit(target, force, source):
        raise FileError(fault)
    try:
        descriptor, name = tempfile.mkstemp(
            prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent
        )
    except OSError as error:
        raise FileError(unwritable(target, error)) from None
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o600)  # should the writer have made the file anew
        to_disk(temporary)
        _place(temporary, target, force)
        to_disk(target.parent)
    finally:
        with suppress(OSError):  # it is gone when all went well
            temporary.unlink()


def _unfit(target: Path, force: bool, source: str | Path | None) -> Fault | None:
    """Why nothing should be written there, if so."""
    where = target.name or str(target)
    if source is not None and (fault := _is_input(target, Path(source))):
        return fault
    if target.is_dir():
        return Fault(where, "this is a folder", "name a file in it")
    if not target.parent.is_dir():
        return Fault(where, "its folder does not exist", "make the folder, or choose another")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        return Fault(where, "its folder cannot be written to", "choose a folder of your own")
    if not force and os.path.lexists(target):
        return _exists(target)
    return None


def _is_input(target: Path, source: Path) -> Fault | None:
    if same_file(target, source):
        return Fault(target.name, "this is the input file itself", "write to another file")
    if source.is_dir() and source.resolve() in target.resolve().parents:
        fix = "write to another folder, or it would be taken for part of the input"
        return Fault(target.name, "this folder is the input", fix)
    return None


def _exists(target: Path) -> Fault:
    return Fault(target.name, "the file exists", "choose another name, or force it to be replaced")


def unwritable(target: Path, error: OSError) -> Fault:
    reason = error.strerror or type(error).__name__
    return Fault(target.name, f"it cannot be written ({reason})", "choose another folder or disk")


def _place(temporary: Path, target: Path, force: bool) -> None:
    try:
        if force:
            temporary.replace(target)
            return
        try:
            target.hardlink_to(temporary)  # fails if the target exists: no race to lose
        except FileExistsError:
            raise
        except OSError:  # a disk without hard links: claim the name first, then replace the claim
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            temporary.replace(target)
    except FileExistsError:
        raise FileError(_exists(target)) from None
    except OSError as error:
        raise FileError(unwritable(target, error)) from None


def to_disk(path: Path) -> None:
    """Ask the system to put the file, or the folder's list of names, on disk now."""
    if path.is_dir() and not hasattr(os, "O_DIRECTORY"):
        return  # Windows opens no folders
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
