"""Tables on a shelf: ``shelf:NAME`` is the Arrow file NAME.arrow in the folder $LOOKALIKE_SHELF."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyarrow import ipc

from lookalike.errors import Fault, FileError, TableError
from lookalike.tables.open import open_table
from lookalike.tables.table import Table
from lookalike.tables.table_address import TableAddress

NOTE = b"lookalike certificate"


@dataclass(frozen=True, slots=True)
class ShelfAddress(TableAddress):
    """A name alone, so that no address leads out of the folder."""

    name: str = ""

    scheme = "shelf"
    example = "shelf:people"
    has_password = False
    in_studio = True

    @classmethod
    def parse(cls, text: str) -> ShelfAddress:
        name = text.partition(":")[2]
        if not name.isidentifier():
            fix = "use letters, digits and _ only: shelf:people"
            raise TableError(Fault("shelf", "this is not a valid table name", fix))
        return cls(name)

    @property
    def path(self) -> Path:
        return Path(os.environ.get("LOOKALIKE_SHELF", ".")) / f"{self.name}.arrow"

    def open(self) -> pa.Table:
        try:
            with pa.memory_map(str(self.path)) as file:
                return ipc.open_file(file).read_all()
        except (OSError, pa.ArrowInvalid):
            fix = "check the name and $LOOKALIKE_SHELF"
            raise TableError(Fault(self.name, "there is no such table", fix)) from None

    def write(
        self, released: Table, note: str, check: Callable[[Table], None], *, force: bool
    ) -> None:
        if self.path.exists() and not force:
            fix = "choose another name, or replace it with force"
            raise FileError(Fault(self.name, "the table exists", fix))
        table = pa.concat_tables(released.batches())
        table = table.replace_schema_metadata({NOTE: note})
        check(open_table(table))
        temporary = self.path.with_suffix(".new")
        with ipc.new_file(temporary, table.schema) as file:
            file.write_table(table)
        temporary.replace(self.path)

    def find_existing(self, source: TableAddress | None) -> tuple[bool, bool]:
        return self.path.exists(), self == source

    def note(self, table: Table) -> str | None:
        metadata = self.open().schema.metadata or {}
        return metadata[NOTE].decode() if NOTE in metadata else None
