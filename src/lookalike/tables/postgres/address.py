"""The address of a table in PostgreSQL: ``postgresql://host/database?table=schema.name``.

A query is ``?query=SELECT …``. Passwords come from the environment (PGPASSWORD), ``~/.pgpass`` or
the address, and are never shown. Users of the studio may write less (``studio_address``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from lookalike.errors import Fault, TableError
from lookalike.tables.column_names import split_name
from lookalike.tables.postgres import studio_address
from lookalike.tables.sql.relation import quote_name
from lookalike.tables.table import Table
from lookalike.tables.table_address import Check, TableAddress

OPTIONS = ("table", "query")
_FIX = "write it as postgresql://host/database?table=schema.name"


@dataclass(frozen=True, slots=True)
class PostgresAddress(TableAddress):
    """A table or a query on a server; printing it shows no password, host or query."""

    database: str = field(repr=False)  # without table and query: what the driver connects to
    table: tuple[str, ...] = ()  # schema and name, or the name alone
    query: str | None = field(default=None, repr=False)
    own_login: bool = False  # log in only with what the address says (``own_login``)

    scheme = "postgresql"
    example = "postgresql://host/database?table=schema.name"
    package = "psycopg"
    extra = "postgres"
    in_studio = True
    studio_example = studio_address.FORM

    @property
    def name(self) -> str:
        return ".".join(self.table) or ("the database" if self.query is None else "the query")

    @property
    def sql(self) -> str:
        """The table's name in SQL."""
        return ".".join(map(quote_name, self.table))

    @classmethod
    def parse(cls, text: str) -> PostgresAddress:
        """Read an address, or raise a TableError, which never quotes the address.

        As in the driver's own addresses, ``%20`` is a space and ``+`` is a plus. Other options go
        to the driver as they are.
        """
        if "://" not in text:
            raise TableError(Fault("postgresql", "this is not the address of a table", _FIX))
        database, options = _parts(text)
        options = [(name, value) for name, value in options if value.strip()]
        if len(options) != 1:
            problem = "it names more than one table or query" if options else "it names no table"
            raise TableError(Fault("postgresql", problem, f"{_FIX}, or ?query=SELECT%20…"))
        [(name, value)] = options
        if name == "query":
            return PostgresAddress(database, query=value.strip().rstrip(";"))
        table = split_name(value)
        if table is None:
            raise TableError(Fault("postgresql", "this is not a valid table name", _FIX))
        return PostgresAddress(database, table)

    @classmethod
    def parse_in_studio(cls, text: str) -> PostgresAddress:
        database, table = studio_address.parse(text)
        return PostgresAddress(database, table, own_login=True)

    def open(self) -> Table:
        from lookalike.tables.postgres.source import open_table  # late: loads psycopg

        return open_table(self)

    def write(self, released: Table, note: str, check: Check, *, force: bool) -> None:
        from lookalike.tables.postgres import writing

        writing.write_table(released, self, note, check, force=force)

    def find_existing(self, source: TableAddress | None) -> tuple[bool, bool]:
        from lookalike.tables.postgres import existing_table

        return existing_table.find_existing(self, source)

    def mark(self) -> object:
        from lookalike.tables.postgres.existing_table import look_up

        return look_up(self).table

    def note(self, table: Table) -> str | None:
        from lookalike.tables.postgres import writing

        return writing.note_of(table)

    @classmethod
    def list_tables(cls, text: str, *, views: bool) -> list[str]:
        from lookalike.tables.postgres import source

        return source.list_tables(PostgresAddress(_parts(text)[0]))


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
