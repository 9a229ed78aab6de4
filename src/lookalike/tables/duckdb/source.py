"""A table or view of a DuckDB database file: attached to read only, so the file is never touched.

Another program may read it meanwhile, but none may write to it: DuckDB keeps them apart by a lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb

from lookalike.errors import Fault, TableError
from lookalike.tables import column_names as names
from lookalike.tables.duckdb.address import DuckPlace
from lookalike.tables.duckdb.engine import connection, duck_rows, translate_errors
from lookalike.tables.duckdb.table import DuckTable
from lookalike.tables.files.scratch_folder import Workshop
from lookalike.tables.sql.relation import quoted
from lookalike.tables.table import Table

MAIN = "main"  # the schema of a name without one
_ATTACHED = "_lookalike_database"
_HELD = f"""
SELECT schema_name, table_name, false FROM duckdb_tables()
WHERE database_name = '{_ATTACHED}' AND NOT internal
UNION ALL SELECT schema_name, view_name, true FROM duckdb_views()
WHERE database_name = '{_ATTACHED}' AND NOT internal ORDER BY ALL
"""
_FAULTS = (  # what DuckDB says, what is wrong, what would fix it
    ("Could not set lock", "another program has this database open, and may write to it",
     "close it there, or wait until it is done, and run again"),
    ("Unique file handle conflict", "this program has the database open for writing",
     "close that connection, or pass a relation of it: connection.table(…)"),
    ("not a valid DuckDB", "this is no DuckDB database", "name a file that DuckDB made"),
    ("ncrypt", "the database is encrypted", "export the table as Parquet, and pass that file"),
    ("version number", "another version of DuckDB made the file, and this one cannot read it",
     "export the table as Parquet there, and pass that file, or install that DuckDB"),
    ("orrupt", "the database file is damaged", "take a good copy of it"),
    ("Could not read", "the database file is damaged, or not whole", "take a good copy of it"),
    ("Permission", "you may not read this file", "ask for the right to read it"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A table of the database, or a view, which may answer otherwise each time it is asked."""

    schema: str
    name: str
    view: bool

    @property
    def full_name(self) -> str:
        """As it is written after ``?table=``."""
        return names.dotted([self.schema, self.name])


def open_database(place: DuckPlace) -> Table:
    """The table on a connection of its own; a view is asked once."""
    workshop = Workshop()
    own = _attached(place, str(workshop.folder))
    found = _chosen(place, _held(own, place))
    sql = f"SELECT * FROM {_ATTACHED}.{quoted(found.schema)}.{quoted(found.name)}"
    with translate_errors(found.full_name):
        relation = own.sql(sql)
        columns = names.checked(found.full_name, relation.columns)
    rows = duck_rows(relation, columns, found.full_name, own)
    return DuckTable(
        "duckdb-file",
        rows.materialize(firm=True) if found.view else rows,
        workshop,
        path=place.path,
    )


def tables_of(place: DuckPlace, *, views: bool = True) -> list[str]:
    """Every table, and every view if wanted, as it is written after ``?table=``."""
    return [one.full_name for one in _held(_attached(place), place) if views or not one.view]


def _attached(place: DuckPlace, spill: str = "") -> duckdb.DuckDBPyConnection:
    """A database of our own in memory, which sees the file."""
    own = connection(spill)
    literal = str(place.path.absolute()).replace("'", "''")  # ATTACH takes no parameters
    with _said_of_the_file(place):
        own.execute(f"ATTACH '{literal}' AS {_ATTACHED} (TYPE duckdb, READ_ONLY)")
        own.execute(f"USE {_ATTACHED}")  # a view in one schema may read a table of ``main``
    return own


def _held(own: duckdb.DuckDBPyConnection, place: DuckPlace) -> list[Found]:
    with translate_errors(place.path.name):
        return [Found(*row) for row in own.execute(_HELD).fetchall()]


def _chosen(place: DuckPlace, held: list[Found]) -> Found:
    """By schema and name; a name alone is that of ``main``, or the only one of all schemas."""
    listed = ", ".join(one.full_name for one in held)
    fix = f"use one of: {listed}" if held else "the database has no tables: name another"
    if not place.table:
        example = f"duckdb:{place.path.name}?table={held[0].full_name if held else 'schema.name'}"
        problem = "this is a DuckDB database, and it is not said which table of it"
        raise TableError(Fault(place.path.name, problem, f"write {example}; {fix}"))
    *schema, name = place.table
    fitting = [one for one in held if one.name == name and [one.schema] == (schema or [one.schema])]
    chosen = fitting if len(fitting) < 2 else [one for one in fitting if one.schema == MAIN]
    if not fitting:
        raise TableError(Fault(place.name, f"{place.path.name} has no such table", fix))
    if not chosen:
        problem = f"{len(fitting)} schemas of {place.path.name} have a table of this name"
        both = ", ".join(one.full_name for one in fitting)
        raise TableError(Fault(place.name, problem, f"use one of: {both}"))
    return chosen[0]


@contextmanager
def _said_of_the_file(place: DuckPlace) -> Iterator[None]:
    """DuckDB's errors name folders, programs and numbers of processes; ours say what to do."""
    try:
        yield
    except duckdb.Error as error:
        said = str(error)
        for sign, problem, fix in _FAULTS:
            if sign in said:
                raise TableError(Fault(place.path.name, problem, fix)) from None
        problem = f"DuckDB cannot open it ({type(error).__name__})"
        fix = "open it with DuckDB's own program and see"
        raise TableError(Fault(place.path.name, problem, fix)) from None
