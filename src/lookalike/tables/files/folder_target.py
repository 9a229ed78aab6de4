"""Whether a release can be written as this folder: only a folder of a release is replaced."""

from __future__ import annotations

import os
import re
from pathlib import Path

from lookalike.errors import Fault
from lookalike.tables.files.atomic_write import input_fault, parent_fault

_PART_FILE = re.compile(r"part-\d{5}\.parquet")
_FORCE = "choose another name, or force it to be replaced"


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
