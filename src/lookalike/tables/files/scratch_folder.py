"""A private temporary folder, removed when the last object that uses it is gone."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path

from lookalike.tables.resource_limits import LIMITS


class ScratchFolder:
    """Only its owner can read the folder (mode 0700)."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lookalike-", dir=LIMITS.spill))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
