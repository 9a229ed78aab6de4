"""A release: the table, the solution behind it and its certificate, together or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.errors import Fault, FileError
from lookalike.policy.policy import Policy
from lookalike.problem.problem import Problem
from lookalike.releasing.ledger import Ledger, LedgerGiven, open_ledger
from lookalike.releasing.ledger_repair import in_words, repaired
from lookalike.solution.solution import Solution
from lookalike.tables.addresses import is_address, parse_address
from lookalike.tables.files.atomic_write import atomic_write
from lookalike.tables.open import open_written
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate, digest, refuse
from lookalike.verifier.finding import Finding
from lookalike.verifier.rows.joint_releases import Grouped
from lookalike.verifier.rows.row_order import sorted_rows

if TYPE_CHECKING:
    from lookalike.report.subject import Edition, Subject


@dataclass(frozen=True, slots=True)
class Release:
    """What ``release`` hands back: only ever built with a certificate that passed."""

    original: Table = field(repr=False)
    released: Table = field(repr=False)
    policy: Policy = field(repr=False)
    solution: Solution
    certificate: Certificate = field(repr=False)
    problem: Problem = field(repr=False)
    ledger: Ledger | None = field(default=None, repr=False)  # where ``write`` enters the release

    @property
    def table(self) -> Any:
        """The released table, of the kind that came in (files: a pyarrow table)."""
        return self.released.native()

    def write(
        self,
        path: str | Path,
        *,
        force: bool = False,
        partition_by: str | Sequence[str] = (),
        files_of: int | None = None,
        ledger: LedgerGiven = None,
    ) -> str | Path:
        """Write the release and, beside it, its certificate; the answer is where.

        The file is written under another name, read back, held against the rows that were verified,
        and only then put in its place. An existing file is replaced only with ``force``.

        A path that ends in a slash is a folder of Parquet files, and so is any if one of these is
        given: ``files_of``, the most rows of a file, ten million unless told; ``partition_by``,
        columns whose cells are folders, as ``sex=f/part-00000.parquet``.

        ``postgresql://host/database?table=schema.name`` and ``spark:catalog.table`` are tables.
        They are seen by others only once they were read back, with the certificate: in PostgreSQL
        as the table's comment, in Spark as its property ``lookalike.certificate``.

        With a ``ledger``, a folder, the release is first held against all that are entered there;
        ReleaseRefused if together they leave anybody with fewer than k candidates. Then it is
        entered, too.
        """
        if ledger is not None or self.ledger is not None:
            book = open_ledger(ledger) if ledger is not None else self.ledger
            assert book is not None
            return self._write_entered(book, path, force, partition_by, files_of)
        laid_out = bool(partition_by) or files_of is not None
        if isinstance(path, str) and is_address(path):
            if laid_out:
                fix = "name a folder, or leave partition_by and files_of out"
                raise FileError(Fault("the release", "a table of a database has no files", fix))
            return self._write_to_address(path, force)
        if laid_out or os.fspath(path).endswith(("/", os.sep)):
            return self._write_folder(Path(path), force, partition_by, files_of)
        file = Path(path)
        if not file.name or file.is_dir():
            fix = "name a file in it, or end the path in a slash to write a folder"
            raise FileError(Fault(str(file), "this is a folder", fix))
        placed = atomic_write(file, force, self.original.path)
        return self._put(file, force, placed, lambda new: self._write(new, file.name))

    def report(
        self,
        path: str | Path,
        *,
        edition: Edition = "internal",
        force: bool = False,
        command: str = "",
    ) -> Path:
        """Write a report to read, print and sign: one HTML file that needs no network.

        ``internal`` has everything, and belongs with the original. ``public`` is made from the
        release and its certificate alone: nothing about rows that were suppressed, and no value
        that fewer than k released rows hold. ``command`` is what made the release, if one did.
        """
        from lookalike.report.report_file import write_report  # late: charts are seldom asked for

        return write_report(self.subject(command), Path(path), edition, force=force)

    def subject(self, command: str = "") -> Subject:
        """What a report, or a page that shows the same, is about."""
        from lookalike.report.subject import Subject

        return Subject(self.original, self.released, self.policy, self.problem, self.solution,
                       self.certificate, command)  # fmt: skip

    def _write_entered(
        self,
        book: Ledger,
        path: str | Path,
        force: bool,
        partition_by: str | Sequence[str],
        files_of: int | None,
    ) -> str | Path:
        """Entered before it is written, and removed again if writing fails."""
        new = self.classes_for(book)
        called = os.fspath(path).rpartition("?")[2] if "://" in os.fspath(path) else Path(path).name
        digested = self.certificate.content["release_digest"]
        with book.entered(called, self.original, self.policy, new, digested):
            entered = replace(self, ledger=None)
            return entered.write(path, force=force, partition_by=partition_by, files_of=files_of)

    def classes_for(self, ledger: Ledger) -> Grouped:
        """Each person's class, for a ledger; ReleaseRefused if earlier releases then tell more."""
        new = ledger.grouped(self.original, self.policy, self.solution)
        if ledger.exposed(new):
            levels = repaired(ledger, self.original, self.policy)
            fix = in_words(self.policy, levels) if levels is not None else ""
            ledger.refuse_exposed(self.original, self.policy, self.solution, fix)
        return new

    def _write_folder(
        self, folder: Path, force: bool, partition_by: str | Sequence[str], files_of: int | None
    ) -> Path:
        from lookalike.tables.files.atomic_folder import atomic_folder
        from lookalike.tables.files.folder_writing import (
            MAX_FILE_ROWS,
            FolderLayout,
            write_folder,
        )

        if folder.name in {"", ".."}:
            raise FileError(Fault(str(folder), "this is a folder", "name a new folder in it"))
        if folder.suffix.lower() in {".csv", ".tsv", ".txt", ".gz"}:
            fix = "name a folder without this ending, or leave partition_by and files_of out"
            raise FileError(Fault(folder.name, "a folder is of Parquet files alone", fix))
        by = (partition_by,) if isinstance(partition_by, str) else tuple(partition_by)
        layout = FolderLayout(by, MAX_FILE_ROWS if files_of is None else files_of)
        layout.check(self.released.columns)
        placed = atomic_folder(folder, force, self.original.path)
        return self._put(
            folder, force, placed, lambda new: write_folder(self.released, new, layout, folder)
        )

    def _put(
        self,
        path: Path,
        force: bool,
        placed: AbstractContextManager[Path],
        write: Callable[[Path], None],
    ) -> Path:
        """The release and its certificate, or neither."""
        beside = certificate_path(path)
        if not force and beside.exists():
            raise FileError(Fault(beside.name, "the file exists", "choose another name, or force"))
        certified = False
        try:
            with placed as temporary:
                write(temporary)
                self._refuse_unless_the_same(open_written(temporary, self.released))
                with atomic_write(beside, force, self.original.path) as certificate:
                    certificate.write_text(self.certificate.to_json(), encoding="utf-8")
                certified = True
        except BaseException:
            if certified:  # the certificate is there, its release is not
                beside.unlink(missing_ok=True)
            raise
        return path

    def _write_to_address(self, text: str, force: bool) -> str:
        address = parse_address(text)
        if address == getattr(self.original, "address", None):
            fix = "write to another table"
            raise FileError(Fault(address.name, "this is the input table itself", fix))
        note = self.certificate.to_json()
        address.write(self.released, note, self._refuse_unless_the_same, force=force)
        return address.name

    def _write(self, temporary: Path, name: str) -> None:
        """To a file of another name, which no message should speak of."""
        try:
            self.released.write(temporary)
        except FileError as error:
            called = [replace(fault, where=name) for fault in error.faults]
            raise FileError(called) from None

    def _refuse_unless_the_same(self, written: Table) -> None:
        """The file as read back must hold the very rows that were verified, in their order."""
        same = digest(written) == self.certificate.content["release_digest"]
        refuse(
            (
                Finding("file", same, "The written file does not hold the rows verified."),
                sorted_rows(written),
            )
        )


def certificate_path(path: Path) -> Path:
    """Where the certificate of a release lies."""
    return path.with_name(path.name + ".certificate.json")
