"""Read, open and look up addresses of tables that are not files, by their scheme."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any

from lookalike.errors import Fault, TableError
from lookalike.registry import ADDRESSES
from lookalike.tables.table import Table
from lookalike.tables.table_address import TableAddress

_URL = re.compile(r"[a-z][\w+.:-]+://", re.IGNORECASE)


def is_address(source: Any) -> bool:
    """Is it the address of a table, not a path?"""
    return isinstance(source, str) and ":" in source and _scheme(source) in ADDRESSES


def check_scheme(source: Any) -> None:
    """TableError if it is an address (``scheme://…``) of an unknown scheme: it is not a path."""
    if isinstance(source, str) and _URL.match(source) and _scheme(source) not in ADDRESSES:
        examples = ", ".join(dict.fromkeys(one.example for one in ADDRESSES.usable().values()))
        problem = "this is not the address of a table: its scheme is unknown"
        raise TableError(Fault(_scheme(source), problem, f"name a file, or use: {examples}"))


def parse_address(text: str, *, in_studio: bool = False) -> TableAddress:
    """The table that an address names; it need not exist.

    With ``in_studio``, a user of the studio entered it, who has no rights on this computer.
    """
    kind = address_kind(text)
    check_package(kind)
    return kind.parse_in_studio(text) if in_studio else kind.parse(text)


def address_kind(text: str) -> type[TableAddress]:
    """The class of an address."""
    kind: type[TableAddress] = ADDRESSES.load(_scheme(text))
    return kind


def check_package(kind: type[TableAddress]) -> None:
    """TableError if the package that such addresses need is not installed."""
    if kind.package and find_spec(kind.package) is None:
        fix = f'install it: pip install "lookalike[{kind.extra}]"' if kind.extra else "install it"
        raise TableError(Fault(kind.scheme, f"the package {kind.package} is not installed", fix))


def note_of(table: Table, source: Any = None) -> str | None:
    """The certificate that was written with a table; ``source`` is what it was opened from."""
    address = parse_address(source) if is_address(source) else getattr(table, "address", None)
    return address.note(table) if isinstance(address, TableAddress) else None


def _scheme(text: str) -> str:
    return text.partition(":")[0].lower()
