"""Small private files: written as a whole, readable only by their owner."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lookalike import api


def write_text(path: Path, text: str) -> None:
    with api.atomic_write(path, force=True) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, content: Any) -> None:
    write_text(path, json.dumps(content, ensure_ascii=False, allow_nan=False))


def read_json(path: Path) -> Any:
    """The content of the file, or None if it does not exist (yet)."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None


def make_folder(path: Path) -> Path:
    path.mkdir(mode=0o700, exist_ok=True)
    return path
