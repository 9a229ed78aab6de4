"""Lists of columns: ``age,zip`` is two columns, unless the table has a column of that name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def split_columns(texts: Iterable[str], columns: Sequence[str]) -> tuple[str, ...]:
    """Column names from options that may be repeated; names that the table lacks are kept."""
    names: list[str] = []
    for text in texts:
        if text in columns:
            names.append(text)
        else:
            names.extend(part.strip() for part in text.split(",") if part.strip())
    return tuple(names)


def split_assignment(text: str, columns: Sequence[str]) -> tuple[str, str] | None:
    """``age=bands:5`` in two halves; with several ``=``, at the one after the longest column."""
    signs = [index for index, character in enumerate(text) if character == "="]
    if not signs:
        return None
    known = [index for index in signs if text[:index].strip() in columns]
    at = known[-1] if known else signs[0]
    return text[:at].strip(), text[at + 1 :].strip()
