"""Addresses of database tables that a user types into a page.

Paths are refused, because a user could then read any file that the server can read.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from lookalike import api
from lookalike.errors import Fault, TableError
from lookalike.registry import ADDRESSES


def allowed_addresses() -> list[str]:
    """An example of each kind of address that may be typed."""
    kinds = ADDRESSES.usable().values()
    return list(dict.fromkeys(kind.example for kind in kinds if kind.in_studio))


def check_address(address: str) -> None:
    """Raise TableError unless it is the address of a database."""
    if not (api.is_address(address) and api.address_kind(address).in_studio):
        fix = f"use {' or '.join(allowed_addresses())}, or upload a file"
        raise TableError(Fault("the address", "not the address of a database", fix))


def without_password(address: str) -> str:
    """The address without anything that could be a password."""
    if not api.address_kind(address).has_password:
        return address
    parts = urlsplit(address)
    query = [pair for pair in parts.query.split("&") if pair.partition("=")[0].lower() == "table"]
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}?{'&'.join(query)}"
