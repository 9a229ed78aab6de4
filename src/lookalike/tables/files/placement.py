"""Give a finished file or folder its name, so that it is on disk and replaces nothing."""

from __future__ import annotations

import os
from pathlib import Path


def put_new_file(temporary: Path, target: Path) -> None:
    """Give the file its name; FileExistsError if something has this name, without a race."""
    try:
        target.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:  # no hard links on this disk: claim the name first, then replace it
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        temporary.replace(target)


def sync_to_disk(path: Path) -> None:
    """Ask the system to put the file, or the names in the folder, on disk now."""
    if path.is_dir() and not hasattr(os, "O_DIRECTORY"):
        return  # Windows cannot open folders
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
