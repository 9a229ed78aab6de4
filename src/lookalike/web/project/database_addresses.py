"""Addresses of database tables that a user types into a page.

Paths are refused, because a user could then read any file that the server can read.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from lookalike.errors import Fault, TableError

POSTGRES = re.compile("postgres(ql)?://", re.IGNORECASE)


def check_address(address: str) -> None:
    """Raise TableError unless it is the address of a database."""
    if not POSTGRES.match(address):
        fix = "use postgresql://HOST/DATABASE?table=SCHEMA.NAME, or upload a file"
        raise TableError(Fault("the address", "not the address of a database", fix))


def without_password(address: str) -> str:
    """The address without anything that could be a password."""
    parts = urlsplit(address)
    query = [pair for pair in parts.query.split("&") if pair.partition("=")[0].lower() == "table"]
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}?{'&'.join(query)}"
