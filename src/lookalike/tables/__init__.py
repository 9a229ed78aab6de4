"""Where rows live: the only folder that knows a dataframe or SQL engine, and loads one late."""

from lookalike.tables.files.atomic_write import same_file, written_whole
from lookalike.tables.open import open_table
from lookalike.tables.table import ColumnRecoding, Edit, Table

__all__ = ["ColumnRecoding", "Edit", "Table", "open_table", "same_file", "written_whole"]
