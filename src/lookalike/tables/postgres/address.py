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
OURS = ("table", "query")
_FIX = "write it as postgresql://host/database?table=schema.name"


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """A table or a query on a server; printing it shows no password, no host and no query."""

    address: str = field(repr=False)  # without table and query: what the driver connects to
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
    """The place that an address names, or a TableError; it never quotes the address.

    As in the driver's own addresses ``%20`` is a blank and ``+`` is a plus. What is not ours goes
    to the driver as it is written.
    """
    plain, ours = _parts(address)
    asked = [(name, text) for name, text in ours if text.strip()]
    if len(asked) != 1:
        problem = "it names no table" if not asked else "it names more than one table or query"
        raise TableError(Fault("postgresql", problem, f"{_FIX}, or ?query=SELECT%20…"))
    [(name, text)] = asked
    if name == "query":
        return PostgresAddress(plain, query=text.strip().rstrip(";"))
    return PostgresAddress(plain, _names(text))


def parse_database(address: str) -> PostgresAddress:
    """The database of an address, whether or not it names a table there."""
    return PostgresAddress(_parts(address)[0])


def _parts(address: str) -> tuple[str, list[tuple[str, str]]]:
    """What the driver connects to, and what is asked for there."""
    try:
        parts = urlsplit(address)
        pairs = [pair.partition("=") for pair in parts.query.split("&") if pair]
        ours = [(name, unquote(text, errors="strict")) for name, _, text in pairs if name in OURS]
    except ValueError:
        problem = "this does not read as an address"
        raise TableError(Fault("postgresql", problem, _FIX)) from None
    rest = "&".join("".join(pair) for pair in pairs if pair[0] not in OURS)
    plain = f"postgresql://{parts.netloc}{parts.path}" + (f"?{rest}" if rest else "")
    if "\0" in unquote(address):
        raise TableError(Fault("postgresql", "it holds a NUL character", _FIX))
    return plain, ours


def _names(text: str) -> tuple[str, ...]:
    """``schema.name``, each as it is spelt in the database."""
    found = undotted(text)
    if found is None:
        raise TableError(Fault("postgresql", "this does not read as a table's name", _FIX))
    return found
