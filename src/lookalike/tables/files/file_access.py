"""Can a file be read? If not, a fault that says why."""

from __future__ import annotations

from pathlib import Path

from lookalike.errors import Fault, TableError


def check_readable(path: Path) -> None:
    """Raise a TableError if the file cannot be opened, or is empty."""
    try:
        with path.open("rb") as file:
            if file.read(1):
                return
        problem, fix = "the file is empty", "pass a file with a line of names"
    except FileNotFoundError:
        problem, fix = "there is no such file", "check the path"
    except PermissionError:
        problem, fix = "no permission to read this file", "ask for read permission"
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        problem, fix = f"it cannot be opened ({reason})", "check the path and the disk"
    raise TableError(Fault(path.name or str(path), problem, fix))
