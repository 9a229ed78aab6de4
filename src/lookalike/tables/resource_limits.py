"""Limits of the embedded engine: memory, the folder for what does not fit, and the cache folder.

They are set once and hold for tables opened later.
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
    memory: str | None = None  # None: DuckDB uses four fifths of the machine's
    spill: Path | None = None  # None: a private folder for each table
    cache: Path | None = None  # None: counts of files are not cached


LIMITS = _Limits()
_UNITS = {"k": 10, "m": 20, "g": 30, "t": 40}


def memory_limit() -> int:
    """Bytes that tables may take in memory: the limit that was set, or half of the machine's."""
    if LIMITS.memory is None:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return parse_size(LIMITS.memory)


def parse_size(text: str) -> int:
    """The bytes of ``4GB`` or ``512 MiB``; the text must match ``SIZE``."""
    match = SIZE.fullmatch(text.strip())
    assert match is not None
    unit = match[2].lower()
    scale = 1 << _UNITS[unit[0]] if "i" in unit else 1000 ** (_UNITS[unit[0]] // 10)
    return int(float(match[1]) * scale)


def limit_engine(
    *,
    memory: str | None = None,
    spill: str | PathLike[str] | None = None,
    cache: str | PathLike[str] | None = None,
) -> None:
    """Limit the memory of the engine, and name folders for spilled rows and cached counts.

    The limits hold for tables opened afterwards. They do not limit the search (``la.Limits``).

    Parameters
    ----------
    memory : str, optional
        The memory that DuckDB may use, for example ``"4GB"``. Rows that do not fit are written to
        ``spill``.
    spill : path, optional
        An existing folder. By default each table has a private temporary folder. What is written
        there is removed again.
    cache : path, optional
        A folder of your own in which counts of files are kept, so that another policy on the same
        file needs no scan. It contains original values: protect it like the table. It is created
        if it does not exist.

    Raises
    ------
    PolicyError
        If a size or folder cannot be used, with every fault.

    Examples
    --------
    >>> import lookalike as la
    >>> la.limit_engine(memory="4GB")
    >>> la.limit_engine()  # no limits again
    """
    faults: list[Fault] = []
    if memory is not None and not (isinstance(memory, str) and SIZE.fullmatch(memory.strip())):
        fix = "give a number and a unit, for example 4GB or 512MB"
        faults.append(Fault("memory", "this is not a size", fix))
    spill_folder = _check_folder("spill", spill, faults)
    cache_folder = _check_folder("cache", cache, faults, create=True)
    if faults:
        raise PolicyError(faults)
    LIMITS.cache = cache_folder
    LIMITS.memory = memory.strip() if memory is not None else None
    LIMITS.spill = spill_folder


def _check_folder(
    name: str, path: str | PathLike[str] | None, faults: list[Fault], create: bool = False
) -> Path | None:
    if path is None:
        return None
    folder, fix = Path(path), "name a folder of your own"
    try:
        if create:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        faults.append(Fault(name, "the folder cannot be created", fix))
        return None
    if not folder.is_dir():
        faults.append(Fault(name, "there is no such folder", "create it, or name another"))
    elif not os.access(folder, os.W_OK | os.X_OK):
        faults.append(Fault(name, "the folder cannot be written to", fix))
    return folder
