"""``TableAddress``: the base class of addresses of tables that are not files.

An address begins with a scheme: ``postgresql://host/database?table=name``, ``spark:catalog.table``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from lookalike.errors import Fault, FileError, TableError
from lookalike.tables.table import Table

Check = Callable[[Table], None]  # raises if the table is not as it should be


class TableAddress(ABC):
    """A table in a database, or anywhere else that a package can read. It need not exist."""

    __slots__ = ()

    scheme: ClassVar[str]  # what comes before the first colon
    example: ClassVar[str]  # an address, for messages
    package: ClassVar[str] = ""  # a package that must be installed,
    extra: ClassVar[str] = ""  # and the extra of lookalike that installs it
    has_password: ClassVar[bool] = True  # could an address contain one? Then it is not shown whole
    in_studio: ClassVar[bool] = False  # may users of the studio enter one? Not if it names a path
    studio_example: ClassVar[str] = ""  # an address as they enter it, if not like ``example``

    @classmethod
    @abstractmethod
    def parse(cls, text: str) -> TableAddress:
        """Read an address, or raise a TableError, which never quotes a password."""

    @classmethod
    def parse_in_studio(cls, text: str) -> TableAddress:
        """Read an address that a user of the studio entered, if ``in_studio``.

        What it opens must need no rights of the person who runs the studio: no files, stored
        passwords or accounts of theirs.
        """
        return cls.parse(text)

    @property
    @abstractmethod
    def name(self) -> str:
        """The table's name, for messages; without a password."""

    @abstractmethod
    def open(self) -> Any:
        """The table, or a frame or relation that ``open_table`` takes; TableError if it cannot."""

    def write(self, released: Table, note: str, check: Check, *, force: bool) -> None:
        """Write a release with its certificate, the ``note``; an existing table only by ``force``.

        All or nothing: the written table is passed to ``check`` before anybody else can see it.
        """
        raise self._cannot_write()

    def find_existing(self, source: TableAddress | None) -> tuple[bool, bool]:
        """Is there a table, and is it the ``source``, or part of it?

        FileError if a table could not be written there.
        """
        raise self._cannot_write()

    def mark(self) -> object:
        """A value that changes when the table is created or replaced."""
        return self.find_existing(None)[0]

    def note(self, table: Table) -> str | None:
        """The certificate that was written with the table, if any; ``table`` is what it opens."""
        return None

    @classmethod
    def list_tables(cls, text: str, *, views: bool) -> list[str]:
        """The tables of the database of an address, as they are written after ``?table=``."""
        fix = "name the table itself"
        raise TableError(Fault(cls.scheme, "its tables cannot be listed", fix))

    @classmethod  # noqa: B027 - most need nothing
    def check_computer(cls) -> None:
        """TableError if this computer lacks something besides the package."""

    def _cannot_write(self) -> FileError:
        fix = "write a .parquet or .csv file"
        problem = f"a release cannot be written to {self.scheme}: addresses"
        return FileError(Fault(self.name, problem, fix))
