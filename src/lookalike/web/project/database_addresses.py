"""Addresses of database tables that a user types into a page.

A user of a page must not act with the rights of the person who runs the studio. So paths are
refused, and an address is read and opened in the form for users of the studio
(``TableAddress.parse_in_studio``), each time that it is opened.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from lookalike import api
from lookalike.errors import Fault, TableError
from lookalike.registry import ADDRESSES


def allowed_addresses() -> list[str]:
    """An example of each kind of address that may be typed."""
    kinds = ADDRESSES.usable().values()
    examples = [kind.studio_example or kind.example for kind in kinds if kind.in_studio]
    return list(dict.fromkeys(examples))


def check_address(address: str) -> None:
    """Raise TableError unless it is the address of a database, and users may enter it."""
    if not _may_be_entered(address):
        fix = f"use {' or '.join(allowed_addresses())}, or upload a file"
        raise TableError(Fault("the address", "not the address of a database", fix))
    api.parse_address(address, in_studio=True)


def open_source(source: str) -> api.Table:
    """Open the table of a project: a file, or an address."""
    if _may_be_entered(source):
        return api.open_table(api.parse_address(source, in_studio=True).open())
    return api.open_table(source)


def _may_be_entered(source: str) -> bool:
    return api.is_address(source) and api.address_kind(source).in_studio


def without_password(address: str) -> str:
    """The address without anything that could be a password."""
    if not api.address_kind(address).has_password:
        return address
    parts = urlsplit(address)
    query = [pair for pair in parts.query.split("&") if pair.partition("=")[0].lower() == "table"]
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}?{'&'.join(query)}"
