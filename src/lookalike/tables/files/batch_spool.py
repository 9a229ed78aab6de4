"""Rows that come by in batches, to a file: laid down in a private folder, then written as any."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from lookalike.tables.duckdb.engine import duckdb_rows
from lookalike.tables.duckdb.session import connection
from lookalike.tables.files import file_writing as writing
from lookalike.tables.files.scratch_folder import ScratchFolder


def write_spooled(batches: Iterable[Any], where: str, path: Path) -> None:
    """Write Arrow tables of the same columns to ``path`` as its suffix says."""
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
    writing.write(duckdb_rows(relation, relation.columns, where), path)
