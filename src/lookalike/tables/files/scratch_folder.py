"""A private folder for what must lie on disk for a while; gone with the last thing using it."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path

from lookalike.tables.resource_limits import LIMITS


class ScratchFolder:
    """Its folder is for its owner alone (mode 0700)."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lookalike-", dir=LIMITS.spill))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
