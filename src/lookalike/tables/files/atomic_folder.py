"""Write a folder atomically: it is written beside its target, then renamed."""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lookalike.errors import Fault, FileError
from lookalike.tables.files.atomic_write import (
    input_fault,
    parent_fault,
    sync_to_disk,
    write_fault,
)

_PART_FILE = re.compile(r"part-\d{5}\.parquet")
_FORCE = "choose another name, or force it to be replaced"


@contextmanager
def atomic_folder(
    target: Path, force: bool = False, source: str | Path | None = None
) -> Iterator[Path]:
    """Yield a private folder beside ``target``; when the block succeeds, it becomes ``target``.

    Only its owner can read it, also afterwards. With ``force`` a folder that contains nothing but a
    release is replaced: it is renamed, the new one gets its name, then the old one is removed. If
    the program is killed between the two renames, both are left complete beside the target under
    the hidden names ``.name-…`` and ``.name-…-old``; at any other time the old or the new one is in
    its place.
    """
    if fault := folder_fault(target, force, source):
        raise FileError(fault)
    try:
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise FileError(write_fault(target, error)) from None
    try:
        yield temporary
        if fault := folder_fault(target, force, source):  # it may have appeared or changed
            raise FileError(fault)
        _put_in_place(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)  # it has been renamed if all went well


def folder_fault(target: Path, force: bool, source: str | Path | None) -> Fault | None:
    """Why a folder cannot be written there, if so."""
    if source is not None:
        source = Path(source)
        if fault := input_fault(target, source, "folder"):
            return fault
        if target.resolve() in source.resolve().parents:
            return Fault(target.name, "the input is in this folder", "write to another folder")
    if fault := parent_fault(target):
        return fault
    return _replace_fault(target, force) if os.path.lexists(target) else None


def _replace_fault(target: Path, force: bool) -> Fault | None:
    """Why what is there cannot be replaced, if so."""
    where = target.name
    if target.is_symlink() or not target.is_dir():
        return Fault(where, "a file with this name exists", "choose another name for the folder")
    if not force:
        return Fault(where, "the folder exists", _FORCE)
    if not _has_only_parts(target):
        problem = "it contains files that do not belong to a release, so it is not replaced"
        return Fault(where, problem, "choose another name, or remove the folder yourself")
    return None


def _has_only_parts(folder: Path) -> bool:
    """Is there nothing in it that a release in a folder would not have?"""
    for place, folders, files in os.walk(folder):
        if any("=" not in name or (Path(place) / name).is_symlink() for name in folders):
            return False
        if not all(_PART_FILE.fullmatch(name) for name in files):
            return False
    return True


def _put_in_place(temporary: Path, target: Path) -> None:
    old = temporary.with_name(f"{temporary.name}-old") if target.is_dir() else None
    try:
        if old is not None:
            target.rename(old)
        try:
            temporary.rename(target)  # fails if something is there, so there is no race
        except BaseException:
            if old is not None:
                old.rename(target)
            raise
        sync_to_disk(target.parent)
    except OSError as error:
        if error.errno in {errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR}:
            raise FileError(Fault(target.name, "the folder exists", _FORCE)) from None
        raise FileError(write_fault(target, error)) from None
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)
