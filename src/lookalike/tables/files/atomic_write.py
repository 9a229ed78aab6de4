"""Write a file atomically: it is written beside its target, then put in place in one step."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lookalike.errors import Fault, FileError
from lookalike.tables.files.owned_folder import OwnedFolder
from lookalike.tables.files.pair_replacement import repair_beside
from lookalike.tables.files.placement import put_new_file, sync_to_disk


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

    The temporary file is in a hidden private folder. Only its owner can read the file (mode 0600),
    also afterwards: the owner decides whom to share it with. When the block raises, the temporary
    file is removed and ``path`` is as it was. Without ``force`` an existing file is never
    overwritten, even if it appeared while the block ran. ``source`` is the input, which is never
    overwritten.
    """
    target = Path(path)
    repair_beside(target)
    if fault := file_fault(target, force, source):
        raise FileError(fault)
    own = owned_folder_beside(target)
    try:
        temporary = own.folder / f"new{target.suffix}"
        with translate_os_errors(target):
            temporary.touch(mode=0o600)
        yield temporary
        with translate_os_errors(target):
            temporary.chmod(0o600)  # in case the writer has made a new file
            sync_to_disk(temporary)
        _put_in_place(temporary, target, force)
        with translate_os_errors(target):
            sync_to_disk(target.parent)
    finally:
        own.remove()


def owned_folder_beside(target: Path) -> OwnedFolder:
    """A hidden private folder on the same disk; FileError if it cannot be made."""
    with translate_os_errors(target):
        return OwnedFolder(target.parent, hidden=True)


@contextmanager
def translate_os_errors(target: Path) -> Iterator[None]:
    """Turn errors of the operating system into a FileError about the target."""
    try:
        yield
    except OSError as error:
        raise FileError(write_fault(target, error)) from None


def file_fault(target: Path, force: bool, source: str | Path | None) -> Fault | None:
    """Why the file cannot be written there, if so."""
    if source is not None and (fault := input_fault(target, Path(source), "file")):
        return fault
    if target.is_dir():
        return Fault(target.name or str(target), "this is a folder", "name a file in it")
    if fault := parent_fault(target):
        return fault
    return exists_fault(target) if not force and os.path.lexists(target) else None


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


def exists_fault(target: Path) -> Fault:
    """A file with this name is not replaced without force."""
    return Fault(target.name, "the file exists", "choose another name, or force it to be replaced")


def write_fault(target: Path, error: OSError) -> Fault:
    """What an error of the operating system means for the user."""
    reason = error.strerror or type(error).__name__
    return Fault(target.name, f"it cannot be written ({reason})", "choose another folder or disk")


def _put_in_place(temporary: Path, target: Path, force: bool) -> None:
    try:
        temporary.replace(target) if force else put_new_file(temporary, target)
    except FileExistsError:
        raise FileError(exists_fault(target)) from None
    except OSError as error:
        raise FileError(write_fault(target, error)) from None
