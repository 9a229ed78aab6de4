"""Open a table or view of a DuckDB database file, or a relation of the caller's.

A database file is attached read-only and never changed. Other programs may read it meanwhile, but
not write to it: DuckDB locks the file.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.errors import Fault, TableError
from lookalike.tables import column_names as names
from lookalike.tables.duckdb.address import DuckDBAddress
from lookalike.tables.duckdb.engine import duckdb_rows
from lookalike.tables.duckdb.error_messages import translate_errors, translate_open_errors
from lookalike.tables.duckdb.session import Connection, Relation, connection
from lookalike.tables.duckdb.table import DuckDBTable
from lookalike.tables.files.scratch_folder import ScratchFolder
from lookalike.tables.sql.relation import quote_name
from lookalike.tables.table import Table

DEFAULT_SCHEMA = "main"
_DATABASE = "_lookalike_database"
_CATALOG = f"""
SELECT schema_name, table_name, false FROM duckdb_tables()
WHERE database_name = '{_DATABASE}' AND NOT internal
UNION ALL SELECT schema_name, view_name, true FROM duckdb_views()
WHERE database_name = '{_DATABASE}' AND NOT internal ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A table of the database, or a view, which may give other rows each time it is read."""

    schema: str
    name: str
    is_view: bool

    @property
    def full_name(self) -> str:
        """As it is written after ``?table=``."""
        return names.join_name([self.schema, self.name])


def open_table(address: DuckDBAddress) -> Table:
    """Open the table on a connection of its own; a view is read once."""
    scratch = ScratchFolder()
    own = _attach(address, str(scratch.folder))
    entry = _choose(address, _catalog(own, address))
    sql = f"SELECT * FROM {_DATABASE}.{quote_name(entry.schema)}.{quote_name(entry.name)}"
    with translate_errors(entry.full_name):
        relation = own.sql(sql)
        columns = names.check_names(entry.full_name, relation.columns)
    rows = duckdb_rows(relation, columns, entry.full_name, own)
    if entry.is_view:
        rows = rows.materialize(firm=True)
    return DuckDBTable("duckdb-file", rows, scratch, path=address.path)


def open_relation(relation: Relation) -> Table:
    """Open the caller's relation on the caller's connection, which is left as it was."""
    where = "duckdb"
    with translate_errors(where):
        columns = names.check_names(where, list(relation.columns))
    return DuckDBTable("duckdb", duckdb_rows(relation, columns, where), original=relation)


def list_tables(address: DuckDBAddress, *, views: bool = True) -> list[str]:
    """List the tables, and unless ``views`` is false the views, as written after ``?table=``."""
    entries = _catalog(_attach(address), address)
    return [entry.full_name for entry in entries if views or not entry.is_view]


def _attach(address: DuckDBAddress, spill: str = "") -> Connection:
    """A new connection to which the database file is attached."""
    own = connection(spill)
    literal = str(address.path.absolute()).replace("'", "''")  # ATTACH takes no parameters
    with translate_open_errors(address.path.name):
        own.execute(f"ATTACH '{literal}' AS {_DATABASE} (TYPE duckdb, READ_ONLY)")
        own.execute(f"USE {_DATABASE}")  # a view in one schema may read a table of ``main``
    return own


def _catalog(own: Connection, address: DuckDBAddress) -> list[CatalogEntry]:
    with translate_errors(address.path.name):
        return [CatalogEntry(*row) for row in own.execute(_CATALOG).fetchall()]


def _choose(address: DuckDBAddress, catalog: list[CatalogEntry]) -> CatalogEntry:
    """By schema and name; a name alone is one of ``main``, or the only one of all schemas."""
    file = address.path.name
    listed = ", ".join(entry.full_name for entry in catalog)
    fix = f"use one of: {listed}" if catalog else "the database has no tables: name another"
    if not address.table:
        example = f"duckdb:{file}?table={catalog[0].full_name if catalog else 'schema.name'}"
        problem = "this is a DuckDB database; the table in it is not named"
        raise TableError(Fault(file, problem, f"write {example}; {fix}"))
    *schema, name = address.table
    matches = [entry for entry in catalog if entry.name == name and schema in ([], [entry.schema])]
    if not matches:
        raise TableError(Fault(address.name, f"{file} has no such table", fix))
    default = [entry for entry in matches if entry.schema == DEFAULT_SCHEMA]
    if len(matches) == 1 or default:
        return (default or matches)[0]
    problem = f"{len(matches)} schemas of {file} have a table of this name"
    listed = ", ".join(entry.full_name for entry in matches)
    raise TableError(Fault(address.name, problem, f"use one of: {listed}"))
