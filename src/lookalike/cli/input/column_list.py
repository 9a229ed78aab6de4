"""Columns as typed: ``age,zip`` is two of them, unless the table has a column of that very name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def split_columns(given: Iterable[str], columns: Sequence[str]) -> tuple[str, ...]:
    """Column names from options that may be repeated; those the table lacks stay as they are."""
    found: list[str] = []
    for one in given:
        if one in columns:
            found.append(one)
        else:
            found.extend(part.strip() for part in one.split(",") if part.strip())
    return tuple(found)


def split_assignment(given: str, columns: Sequence[str]) -> tuple[str, str] | None:
    """``age=bands:5`` in its two halves; of several ``=`` the one after the longest column name."""
    at = [place for place, sign in enumerate(given) if sign == "="]
    if not at:
        return None
    known = [place for place in at if given[:place].strip() in columns]
    place = known[-1] if known else at[0]
    return given[:place].strip(), given[place + 1 :].strip()
