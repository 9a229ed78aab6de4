"""Where rows live: the only folder that knows a dataframe or SQL engine, and loads one late."""

from lookalike.tables.files.atomic_write import atomic_write, same_file
from lookalike.tables.open import open_table
from lookalike.tables.table import ColumnRecoding, Edit, Table

__all__ = ["ColumnRecoding", "Edit", "Table", "atomic_write", "open_table", "same_file"]
