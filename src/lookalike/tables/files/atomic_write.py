"""Write a file atomically: it is written beside its target, then put in place in one step."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lookalike.errors import Fault, FileError


def same_file(a: str | Path, b: str | Path) -> bool:
    """Are both paths the same file, also through symbolic or hard links?"""
    try:
        return Path(a).samefile(b)
    except OSError:  # one of them does not exist: compare the paths
        return Path(a).resolve() == Path(b).resolve()


@contextmanager
def atomic_write(
    path: str | Path, force: bool = False, source: str | Path | None = None
) -> Iterator[Path]:
    """Yield a private temporary path beside ``path``; when the block succeeds, it becomes ``path``.

    Only its owner can read the file (mode 0600), also afterwards: the owner decides whom to share
    it with. When the block raises, the temporary file is removed and ``path`` is as it was. Without
    ``force`` an existing file is never overwritten, even if it appeared while the block ran.
    ``source`` is the input, which is never overwritten.
    """
    target = Path(path)
    if fault := _target_fault(target, force, source):
        raise FileError(fault)
    try:
        descriptor, name = tempfile.mkstemp(
            prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent
        )
    except OSError as error:
        raise FileError(write_fault(target, error)) from None
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o600)  # in case the writer has made a new file
        sync_to_disk(temporary)
        _put_in_place(temporary, target, force)
        sync_to_disk(target.parent)
    finally:
        with suppress(OSError):  # it has been renamed if all went well
            temporary.unlink()


def _target_fault(target: Path, force: bool, source: str | Path | None) -> Fault | None:
    """Why the file cannot be written there, if so."""
    if source is not None and (fault := input_fault(target, Path(source), "file")):
        return fault
    if target.is_dir():
        return Fault(target.name or str(target), "this is a folder", "name a file in it")
    if fault := parent_fault(target):
        return fault
    return _exists(target) if not force and os.path.lexists(target) else None


def input_fault(target: Path, source: Path, what: str) -> Fault | None:
    """Why writing the file or folder would change the input, if so."""
    if same_file(target, source):
        return Fault(target.name, f"this is the input {what} itself", f"write to another {what}")
    if source.is_dir() and source.resolve() in target.resolve().parents:
        fix = "write to another folder, or it would be read as part of the input"
        return Fault(target.name, f"this {what} is in the input folder", fix)
    return None


def parent_fault(target: Path) -> Fault | None:
    """Why nothing can be written beside the target, if so."""
    where = target.name or str(target)
    if not target.parent.is_dir():
        return Fault(where, "its folder does not exist", "create the folder, or choose another")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        return Fault(where, "its folder cannot be written to", "choose a folder of your own")
    return None


def _exists(target: Path) -> Fault:
    return Fault(target.name, "the file exists", "choose another name, or force it to be replaced")


def write_fault(target: Path, error: OSError) -> Fault:
    """What an error of the operating system means for the user."""
    reason = error.strerror or type(error).__name__
    return Fault(target.name, f"it cannot be written ({reason})", "choose another folder or disk")


def _put_in_place(temporary: Path, target: Path, force: bool) -> None:
    try:
        if force:
            temporary.replace(target)
            return
        try:
            target.hardlink_to(temporary)  # fails if the target exists, so there is no race
        except FileExistsError:
            raise
        except OSError:  # no hard links on this disk: claim the name first, then replace it
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            temporary.replace(target)
    except FileExistsError:
        raise FileError(_exists(target)) from None
    except OSError as error:
        raise FileError(write_fault(target, error)) from None


def sync_to_disk(path: Path) -> None:
    """Ask the system to put the file, or the names in the folder, on disk now."""
    if path.is_dir() and not hasattr(os, "O_DIRECTORY"):
        return  # Windows cannot open folders
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
