"""Where in PostgreSQL: ``postgresql://host/database?table=schema.name`` or ``?query=SELECT …``.

Passwords come from the environment (PGPASSWORD), ``~/.pgpass`` or the address, and are never told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from lookalike.errors import Fault, TableError
from lookalike.tables.rows import quoted

SCHEMES = ("postgresql://", "postgres://")
OURS = ("table", "query")
_PART = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')
_FIX = "write it as postgresql://host/database?table=schema.name"


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """A table or a query on a server; printing it shows no password, no host and no query."""

    address: str = field(repr=False)  # without table and query: what the driver connects to
    table: tuple[str, ...] = ()  # schema and name, or the name alone
    query: str | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """For messages."""
        return ".".join(self.table) or "the query"

    @property
    def sql(self) -> str:
        """The table's name in SQL."""
        return ".".join(map(quoted, self.table))


def is_postgres(text: str) -> bool:
    return text.lower().startswith(SCHEMES)


def parse(address: str) -> PostgresPlace:
    """The place that an address names, or a TableError; it never quotes the address.

    As in the driver's own addresses ``%20`` is a blank and ``+`` is a plus. What is not ours goes
    to the driver as it is written.
    """
    try:
        parts = urlsplit(address)
        pairs = [pair.partition("=") for pair in parts.query.split("&") if pair]
        ours = [(name, unquote(text, errors="strict")) for name, _, text in pairs if name in OURS]
    except ValueError:
        problem = "this does not read as an address"
        raise TableError(Fault("postgresql", problem, _FIX)) from None
    rest = "&".join("".join(pair) for pair in pairs if pair[0] not in OURS)
    plain = f"postgresql://{parts.netloc}{parts.path}" + (f"?{rest}" if rest else "")
    asked = [(name, text) for name, text in ours if text.strip()]
    if len(asked) != 1:
        problem = "it names no table" if not asked else "it names more than one table or query"
        raise TableError(Fault("postgresql", problem, f"{_FIX}, or ?query=SELECT%20…"))
    [(name, text)] = asked
    if "\0" in unquote(address):
        raise TableError(Fault("postgresql", "it holds a NUL character", _FIX))
    if name == "query":
        return PostgresPlace(plain, query=text.strip().rstrip(";"))
    return PostgresPlace(plain, _names(text))


def _names(text: str) -> tuple[str, ...]:
    """``schema.name``, each as it is spelt in the database; in double quotes it may have dots."""
    found: list[str] = []
    at = 0
    while True:
        part = _PART.match(text, at)
        if part is None or len(found) == 2:
            raise TableError(Fault("postgresql", "this does not read as a table's name", _FIX))
        found.append(part[2] if part[1] is None else part[1].replace('""', '"'))
        at = part.end()
        if at == len(text):
            return tuple(found)
        if text[at] != ".":
            raise TableError(Fault("postgresql", "this does not read as a table's name", _FIX))
        at += 1
