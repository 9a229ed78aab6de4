"""Tables of a database, as typed into a page: only those of databases, and shown without password.

A path would let a user of the page read any file of whoever runs the server.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from lookalike.errors import Fault, TableError

POSTGRES = re.compile("postgres(ql)?://", re.IGNORECASE)


def check_address(address: str) -> None:
    if not POSTGRES.match(address):
        fix = "use postgresql://HOST/DATABASE?table=SCHEMA.NAME, or send a file"
        raise TableError(Fault("the address", "this is no address of a database", fix))


def shown_address(address: str) -> str:
    """Without what might be a password."""
    parts = urlsplit(address)
    asked = [one for one in parts.query.split("&") if one.partition("=")[0].lower() == "table"]
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}?{'&'.join(asked)}"
