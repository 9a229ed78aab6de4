"""Cells that a spreadsheet would run as a formula.

The release is not altered, because it is the table that was verified. The page warns about such
cells and offers a copy for spreadsheets, in which they begin with an apostrophe.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

STARTS = ("=", "+", "-", "@", "\t", "\r")


def is_formula(cell: str) -> bool:
    """Would a spreadsheet run it? A plain number is not a formula."""
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


def lines_without_formulas(path: Path) -> Iterator[str]:
    """The lines of a CSV file, with formulas made text."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            yield ",".join(_quoted(f"'{cell}" if is_formula(cell) else cell) for cell in row) + "\n"


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set(',"\r\n') else cell
