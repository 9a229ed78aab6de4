"""Check column names, find columns by name, and read and write names of tables with a schema."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lookalike.errors import Fault, TableError


def check_names(where: str, names: Sequence[object]) -> tuple[str, ...]:
    """Return the names, or raise a TableError with every fault.

    Names must be text, not empty and distinct. Faults give positions, since the first line of a
    file without names has somebody's data. Names that differ only in case are refused, since
    DuckDB, which writes every file, would rename one.
    """
    faults = []
    if not names:
        faults.append(Fault(where, "it has no columns", "pass a table with columns"))
    seen: dict[str, int] = {}
    for position, name in enumerate(names, 1):
        if not isinstance(name, str):
            problem = f"the name of column {position} is not text but {type(name).__name__}"
            faults.append(Fault(where, problem, "rename it: df.columns = df.columns.map(str)"))
        elif not name:
            faults.append(Fault(where, f"column {position} has no name", "give it a name"))
        elif (first := seen.setdefault(name.casefold(), position)) != position:
            same = names[first - 1] == name
            alike = "the same name" if same else "names that differ in case only"
            problem = f"columns {first} and {position} have {alike}"
            faults.append(Fault(where, problem, "rename one of them"))
    if faults:
        raise TableError(faults)
    return tuple(str(name) for name in names)


def positions(columns: Sequence[str], asked: Sequence[str], where: str) -> tuple[int, ...]:
    """The positions of the columns, or a TableError with each that the table does not have."""
    place = {name: index for index, name in enumerate(columns)}
    missing = [name for name in dict.fromkeys(asked) if name not in place]
    if missing:
        fix = f"use one of: {', '.join(columns)}"
        raise TableError(Fault(name, f"{where} has no such column", fix) for name in missing)
    return tuple(place[name] for name in asked)


def split_name(text: str, quote: str = '"', max_parts: int = 2) -> tuple[str, ...] | None:
    """Split ``schema.name``, or a name alone; a part in quotes may have dots.

    None if it is not a valid name.
    """
    part = f"(?:{quote}(?:[^{quote}]|{quote}{quote})+{quote}|[^{quote}.]+)"
    if not re.fullmatch(rf"{part}(?:\.{part}){{,{max_parts - 1}}}", text, re.DOTALL):
        return None
    return tuple(
        name[1:-1].replace(quote * 2, quote) if name[0] == quote else name
        for name in re.findall(part, text, re.DOTALL)
    )


def join_name(parts: Sequence[str]) -> str:
    """The text that ``split_name`` splits into these parts."""
    return ".".join(
        part if part and not set(part) & set('".') else '"' + part.replace('"', '""') + '"'
        for part in parts
    )
