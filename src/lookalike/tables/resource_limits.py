"""How much the embedded engine may take: memory, and where it puts what does not fit.

Set once, before tables are opened; frames and files opened later keep to it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from lookalike.errors import Fault, PolicyError

SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([KMGT]i?B)", re.IGNORECASE)


@dataclass(slots=True)
class _Limits:
    memory: str | None = None  # DuckDB's own choice is four fifths of the machine's
    spill: Path | None = None  # a private folder of each table's own, if not said
    cache: Path | None = None  # counts of files are kept here, if said


LIMITS = _Limits()
_UNITS = {"k": 10, "m": 20, "g": 30, "t": 40}


def memory_limit() -> int:
    """Bytes that tables may take in memory: what was said, or half of the machine's."""
    if LIMITS.memory is None:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return size_of(LIMITS.memory)


def size_of(text: str) -> int:
    """Bytes of ``4GB`` or ``512 MiB``; ``SIZE`` tells what can be read."""
    said = SIZE.fullmatch(text.strip())
    assert said is not None
    unit = said[2].lower()
    scale = 1 << _UNITS[unit[0]] if "i" in unit else 1000 ** (_UNITS[unit[0]] // 10)
    return int(float(said[1]) * scale)


def limit_engine(
    *,
    memory: str | None = None,
    spill: str | PathLike[str] | None = None,
    cache: str | PathLike[str] | None = None,
) -> None:
    """``memory``, as ``"4GB"``, is what DuckDB may hold; beyond it, it writes to ``spill``.

    ``spill`` is a folder; without one, a private folder among the system's temporary ones. What is
    written there is removed again. Neither counts what the search itself holds (``la.Limits``).

    ``cache`` is a folder of your own where counts of files are kept, so that another policy on the
    same file costs no scan. It holds original values: guard it as the table. It is made if need be.
    """
    found = []
    if memory is not None and not (isinstance(memory, str) and SIZE.fullmatch(memory.strip())):
        found.append(Fault("memory", "not a size", "give a number and a unit, as 4GB or 512MB"))
    folder = Path(spill) if spill is not None else None
    if folder is not None and not folder.is_dir():
        found.append(Fault("spill", "there is no such folder", "make the folder, or name another"))
    elif folder is not None and not os.access(folder, os.W_OK | os.X_OK):
        found.append(Fault("spill", "its folder cannot be written to", "name one of your own"))
    kept = Path(cache) if cache is not None else None
    if kept is not None:
        try:
            kept.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            found.append(Fault("cache", "its folder cannot be made", "name a folder of your own"))
        else:
            if not os.access(kept, os.W_OK | os.X_OK):
                found.append(Fault("cache", "it cannot be written to", "name one of your own"))
    if found:
        raise PolicyError(found)
    LIMITS.cache = kept
    LIMITS.memory = memory.strip() if memory is not None else None
    LIMITS.spill = folder
