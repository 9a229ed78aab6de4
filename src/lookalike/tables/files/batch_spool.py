"""Write batches of rows to a file: first to a private Parquet file, then as any other table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from lookalike.tables.duckdb.engine import duckdb_rows
from lookalike.tables.duckdb.session import connection
from lookalike.tables.files.file_writing import write_rows
from lookalike.tables.files.scratch_folder import ScratchFolder


def write_spooled(batches: Iterable[Any], where: str, path: Path) -> None:
    """Write Arrow tables with the same columns to ``path`` in the format of its extension."""
    scratch = ScratchFolder()
    spool = scratch.folder / "rows.parquet"
    file = None
    try:
        for batch in batches:
            if file is None:
                file = pq.ParquetWriter(spool, batch.schema)
            file.write_table(batch)
    finally:
        if file is not None:
            file.close()
    relation = connection(str(scratch.folder)).from_parquet(str(spool))
    write_rows(duckdb_rows(relation, relation.columns, where), path)
