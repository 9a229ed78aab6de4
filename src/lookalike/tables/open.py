"""Open a table of any kind: the path of a file, an address, a frame, or a relation."""

from __future__ import annotations

import glob
import os
from importlib import import_module
from pathlib import Path
from typing import Any

from lookalike.errors import Fault, TableError
from lookalike.registry import supplier
from lookalike.tables.addresses import check_scheme, is_address, parse_address
from lookalike.tables.duckdb.address import DuckDBAddress, is_database
from lookalike.tables.files.file_access import check_readable
from lookalike.tables.table import Table

TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
ACCEPTED = (
    "pass a path to a .csv, .tsv, .txt (or the same with .gz) or .parquet file, a folder of "
    "Parquet files or a pattern of their names, duckdb:file.duckdb?table=schema.name, "
    "postgresql://host/database?table=schema.name, spark:catalog.table, a pandas, polars, Dask or "
    "Spark DataFrame, a polars LazyFrame, a pyarrow Table, a DuckDB relation or an ibis table"
)
_FRAMES = {  # by what narwhals calls it: the module and the function that opens it
    "duckdb_relation": ("lookalike.tables.duckdb.source", "open_relation"),
    "pandas_dataframe": ("lookalike.tables.frames.eager", "open_frame"),
    "polars_dataframe": ("lookalike.tables.frames.eager", "open_frame"),
    "polars_lazyframe": ("lookalike.tables.frames.eager", "open_frame"),
    "pyarrow_table": ("lookalike.tables.frames.eager", "open_frame"),
    "ibis_table": ("lookalike.tables.frames.lazy", "open_ibis"),
    "dask_dataframe": ("lookalike.tables.frames.lazy", "open_dask"),
    "pyspark_dataframe": ("lookalike.tables.spark.source", "open_frame"),
    "pyspark_connect_dataframe": ("lookalike.tables.spark.source", "open_frame"),
}


def open_table(source: Any) -> Table:
    """The source as a table. Engines are imported here, and only the one that is needed."""
    if is_address(source):
        return open_table(parse_address(source).open())
    check_scheme(source)
    if isinstance(source, str | os.PathLike):
        return _open_file(Path(source))
    if supplier(source) is None and isinstance(source, Table):  # opened before
        return source
    # frames before isinstance(…, Table): asking a LazyFrame for its attributes runs its query
    if (frame := _open_frame(source)) is not None:
        return frame
    if isinstance(source, Table):
        return source
    kind = type(source)
    problem = f"a {kind.__module__}.{kind.__qualname__} is not a supported table"
    raise TableError(Fault("the table", problem, ACCEPTED))


def open_written(path: Path, released: Table) -> Table:
    """Open what was just written, to read it back.

    It is read faster because the cells that it should have are known. Other cells are still found.
    """
    written = open_table(path)
    if written.kind == "parquet":
        from lookalike.tables.packed.packed_file import expect_cells

        expect_cells(written, released)
    return written


def _open_frame(source: Any) -> Table | None:
    from narwhals import dependencies

    for kind, (module, function) in _FRAMES.items():
        if getattr(dependencies, f"is_{kind}")(source):
            opened: Table = getattr(import_module(module), function)(source)
            return opened
    return None


def _open_file(path: Path) -> Table:
    if path.is_dir() or (not path.exists() and glob.has_magic(str(path))):
        return _open_folder(path)
    suffix = path.suffix.lower()
    bare = Path(path.stem).suffix.lower() if suffix == ".gz" else suffix
    check_readable(path)
    if is_database(path):
        return DuckDBAddress(path).open()
    from lookalike.tables.files import file_reading

    if suffix == ".parquet":
        return file_reading.open_parquet(path)
    if bare in TEXT_SUFFIXES:
        return file_reading.open_csv(path)
    raise TableError(Fault(path.name, "unrecognized file extension", ACCEPTED))


def _open_folder(path: Path) -> Table:
    """Open every Parquet file in a folder and the folders in it, or those of a pattern."""
    folder, pattern = path, "**/*.parquet"
    if not path.is_dir():
        fixed = [part for part in path.parts if not glob.has_magic(part)]
        while tuple(fixed) != path.parts[: len(fixed)]:  # a plain part after one with a pattern
            fixed.pop()
        folder = Path(*fixed)
        pattern = str(Path(*path.parts[len(fixed) :]))
    where = path.name or str(path)
    paths = (path for path in folder.glob(pattern) if path.is_file())
    files = [file for file in paths if not _is_hidden(file.relative_to(folder))]
    if not files:
        fix = "name a folder with Parquet files, or a pattern such as data/*.parquet"
        raise TableError(Fault(where, "there is no Parquet file in it", fix))
    if wrong := [file for file in files if file.suffix.lower() != ".parquet"]:
        problem = f"{len(wrong)} of its files do not end in .parquet"
        fix = "name only Parquet files, for example data/*.parquet"
        raise TableError(Fault(where, problem, fix))
    from lookalike.tables.files.file_reading import open_parquet_files
    from lookalike.tables.files.folder_reading import restore_column_order, sort_files

    files = sort_files(folder, files)
    return restore_column_order(open_parquet_files(where, folder, files), folder, files)


def _is_hidden(path: Path) -> bool:
    """Is it a file that other programs leave with the data: ``_metadata``, ``_temporary/…``?"""
    return any(part.startswith(("_", ".")) for part in path.parts)
