"""A private temporary folder, removed when the last object that uses it is gone.

All of them are in one folder of the process, whose name has the number of the process. Folders that
killed processes left are removed when a process makes its own.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from pathlib import Path

from lookalike.errors import Fault, FileError
from lookalike.tables.files.owned_folder import OwnedFolder, sweep
from lookalike.tables.resource_limits import LIMITS

_of_process: weakref.WeakValueDictionary[tuple[int, Path], OwnedFolder] = (
    weakref.WeakValueDictionary()
)
_making = threading.Lock()


class ScratchFolder:
    """Only its owner can read the folder (mode 0700)."""

    def __init__(self) -> None:
        parent = LIMITS.spill or Path(tempfile.gettempdir())
        try:
            self._process = _process_folder(parent.absolute())
            self.folder = Path(tempfile.mkdtemp(dir=self._process.folder))
        except OSError as error:
            problem = f"it cannot be written ({os.strerror(error.errno or 0)})"
            fix = "free some disk space, or name another folder with TMPDIR or --spill"
            raise FileError(Fault("the temporary folder", problem, fix)) from None
        weakref.finalize(self, _remove, self.folder, os.getpid())


def private_file(path: Path) -> Path:
    """An empty file that only its owner can read (mode 0600), for an engine to write to."""
    path.touch(mode=0o600)
    return path


def _process_folder(parent: Path) -> OwnedFolder:
    """The folder of this process in ``parent``; a forked process makes its own."""
    with _making:
        owner = os.getpid(), parent
        if (folder := _of_process.get(owner)) is None:
            sweep(parent)
            folder = _of_process[owner] = OwnedFolder(parent)
        return folder


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
