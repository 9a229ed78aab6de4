"""Cells that a spreadsheet would take for a formula, and run.

A release is the very table that was verified, so it is not altered; but it is said, and a copy for
spreadsheets can be had in which such cells begin with an apostrophe.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

STARTS = ("=", "+", "-", "@", "\t", "\r")


def is_formula(cell: str) -> bool:
    """Would a spreadsheet run it? A plain number is none."""
    if not cell.startswith(STARTS):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return cell[0] in "\t\r"


def count_formulas(path: Path) -> int:
    with path.open(encoding="utf-8", newline="") as file:
        return sum(is_formula(cell) for row in csv.reader(file) for cell in row)


def guarded(path: Path) -> Iterator[str]:
    """The file again, line by line, with formulas made text."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            yield _line(f"'{cell}" if is_formula(cell) else cell for cell in row)


def _line(cells: Iterator[str]) -> str:
    quoted = (
        '"' + cell.replace('"', '""') + '"' if set(cell) & set(',"\r\n') else cell for cell in cells
    )
    return ",".join(quoted) + "\n"
