"""Can a file be read? If not, a fault that says why."""

from __future__ import annotations

from pathlib import Path

from lookalike.errors import Fault, TableError


def check_readable(path: Path) -> None:
    """Raise a TableError if the file cannot be opened."""
    if fault := _unreadable(path):
        raise TableError(fault)


def _unreadable(path: Path) -> Fault | None:
    """Why the file cannot be opened, if so."""
    where = path.name or str(path)
    try:
        with path.open("rb") as file:
            if not file.read(1):
                return Fault(where, "the file is empty", "pass a file with a line of names")
    except FileNotFoundError:
        return Fault(where, "there is no such file", "check the path")
    except PermissionError:
        return Fault(where, "no permission to read this file", "ask for read permission")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return Fault(where, f"it cannot be opened ({reason})", "check the path and the disk")
    return None
