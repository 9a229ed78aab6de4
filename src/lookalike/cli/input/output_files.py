"""Check output files before the work begins, and write private files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from lookalike import api
from lookalike.cli.input.table_address import Address
from lookalike.errors import Fault, FileError

RELEASES = (".csv", ".parquet")


def display_name(path: Path) -> str:
    """The name of a file, for messages; ``.`` has none and is shown as typed."""
    return path.name or str(path)


def check_paths(
    outputs: Iterable[Path | Address | None],
    inputs: Iterable[Path | Address | None],
    *,
    force: bool,
) -> None:
    """Report all outputs that cannot or must not be written. Only files are checked."""

    faults: list[Fault] = []
    checked: list[Path] = []
    read = [path for path in inputs if isinstance(path, Path)]
    for path in outputs:
        if not isinstance(path, Path):
            continue
        name = display_name(path)
        if any(api.same_file(path, other) for other in read):
            problem = "this is an input file, which is never replaced"
            faults.append(Fault(name, problem, "write to another file"))
        elif any(api.same_file(path, other) for other in checked):
            faults.append(Fault(name, "two outputs have this path", "give them different names"))
        elif path.is_dir():
            faults.append(Fault(name, "this is a folder", "name a file in it"))
        elif not path.parent.is_dir():
            faults.append(Fault(name, "its folder does not exist", "create the folder first"))
        elif os.path.lexists(path) and not force:
            faults.append(Fault(name, "the file exists", "choose another name, or add --force"))
        checked.append(path)
    if faults:
        raise FileError(faults)


def check_release_name(path: Path) -> None:
    """The extension of the name says how a release is written."""
    endings = " or ".join(RELEASES)
    name = display_name(path)
    if path.is_dir():
        raise FileError(Fault(name, "this is a folder", f"name a {endings} file in it"))
    if path.suffix.lower() not in RELEASES:
        raise FileError(Fault(name, "unrecognized file extension", f"use {endings}"))


def check_folder(out: Path | Address, table: Path | Address, *, force: bool) -> None:
    """Check that the release can be written as a folder."""

    if not isinstance(out, Path):
        fix = "leave out --partition-by and --files-of, or name a folder"
        raise FileError(Fault("output", "a database table cannot be written as a folder", fix))
    if fault := api.folder_fault(out, force, table if isinstance(table, Path) else None):
        raise FileError(fault)


def check_output(out: Address, table: Path | Address, *, force: bool) -> None:
    """Find out now what would prevent writing the release at the end."""
    given = table.check() if isinstance(table, Address) else None
    exists, is_input = out.check().find_existing(given)
    if is_input:
        problem = "this is the input table or part of it, and is never replaced"
        raise FileError(Fault(out.name, problem, "write to another table"))
    if exists and not force:
        fix = "choose another name, or add --force"
        raise FileError(Fault(out.name, "the table exists", fix))


def sidecar_path(path: Path, ending: str) -> Path:
    """``out.csv`` and ``.solution.json``: ``out.csv.solution.json``."""
    return path.parent / (path.name + ending)


def unused_path(path: Path) -> Path:
    """The path, or the next free one: ``x.json``, ``x-2.json`` …"""
    number, candidate = 1, path
    while os.path.lexists(candidate):
        number += 1
        candidate = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return candidate


def write_private(path: Path, text: str, *, force: bool) -> None:
    """Write a file completely or not at all; only its owner can read it (mode 0600)."""

    with api.atomic_write(path, force) as temporary:
        temporary.write_text(text, encoding="utf-8")


def open_private(path: Path) -> IO[str]:
    """A file to write line by line; only its owner can read it."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        problem = f"it cannot be written ({error.strerror})"
        raise FileError(Fault(display_name(path), problem, "choose another folder")) from None
    return os.fdopen(descriptor, "w", encoding="utf-8")
