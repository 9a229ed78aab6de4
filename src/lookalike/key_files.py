"""Files of keys: create one that replaces nothing, and read one with the rights that it has.

No message shows the path or the content of a file that is read. If somebody gave the key in place
of the path, the message would reveal it.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from lookalike.errors import Fault, FileError


@dataclass(frozen=True, slots=True)
class KeyFile:
    """What was read from a file."""

    content: bytes = field(repr=False)
    rights: int  # of its group and of others, as bits

    @classmethod
    def read(cls, path: str | os.PathLike[str], max_bytes: int) -> KeyFile:
        """Read a file up to this size; a ValueError says why that is not possible."""
        try:
            with Path(path).open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                content = file.read(max_bytes)
        except OSError as error:
            raise ValueError(error.strerror) from None
        except ValueError:  # a null byte
            raise ValueError("not a path") from None
        return cls(content, stat.S_IMODE(mode) & 0o077 if os.name == "posix" else 0)


def create_key_file(path: Path, content: bytes, if_it_exists: str) -> None:
    """Write a new file that only its owner can read (mode 0600), and never replace one."""
    try:
        created = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise FileError(Fault(path.name, if_it_exists, "choose another name")) from None
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise FileError(Fault(path.name or str(path), problem, "choose another folder")) from None
    with os.fdopen(created, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
