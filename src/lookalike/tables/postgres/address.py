"""The address of a table in PostgreSQL: ``postgresql://host/database?table=schema.name``.

A query is ``?query=SELECT …``. Passwords come from the environment (PGPASSWORD), ``~/.pgpass`` or
the address, and are never shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from lookalike.errors import Fault, TableError
from lookalike.tables.column_names import undotted
from lookalike.tables.sql.relation import quoted

SCHEMES = ("postgresql://", "postgres://")
OPTIONS = ("table", "query")
_FIX = "write it as postgresql://host/database?table=schema.name"


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """A table or a query on a server; printing it shows no password, host or query."""

    database: str = field(repr=False)  # without table and query: what the driver connects to
    table: tuple[str, ...] = ()  # schema and name, or the name alone
    query: str | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """For messages."""
        return ".".join(self.table) or ("the database" if self.query is None else "the query")

    @property
    def sql(self) -> str:
        """The table's name in SQL."""
        return ".".join(map(quoted, self.table))


def is_address(text: str) -> bool:
    return text.lower().startswith(SCHEMES)


def parse(address: str) -> PostgresAddress:
    """Read an address, or raise a TableError, which never quotes the address.

    As in the driver's own addresses, ``%20`` is a space and ``+`` is a plus. Other options go
    to the driver as they are.
    """
    database, options = _parts(address)
    options = [(name, text) for name, text in options if text.strip()]
    if len(options) != 1:
        problem = "it names no table" if not options else "it names more than one table or query"
        raise TableError(Fault("postgresql", problem, f"{_FIX}, or ?query=SELECT%20…"))
    [(name, text)] = options
    if name == "query":
        return PostgresAddress(database, query=text.strip().rstrip(";"))
    table = undotted(text)
    if table is None:
        raise TableError(Fault("postgresql", "this is not a valid table name", _FIX))
    return PostgresAddress(database, table)


def parse_database(address: str) -> PostgresAddress:
    """Read the database of an address, which may name a table or not."""
    return PostgresAddress(_parts(address)[0])


def _parts(address: str) -> tuple[str, list[tuple[str, str]]]:
    """The database that the driver connects to, and our options."""
    try:
        parts = urlsplit(address)
        pairs = [pair.partition("=") for pair in parts.query.split("&") if pair]
        options = [
            (name, unquote(text, errors="strict")) for name, _, text in pairs if name in OPTIONS
        ]
    except ValueError:
        raise TableError(Fault("postgresql", "this is not a valid address", _FIX)) from None
    rest = "&".join("".join(pair) for pair in pairs if pair[0] not in OPTIONS)
    database = f"postgresql://{parts.netloc}{parts.path}" + (f"?{rest}" if rest else "")
    if "\0" in unquote(address):
        raise TableError(Fault("postgresql", "it contains a NUL character", _FIX))
    return database, options
