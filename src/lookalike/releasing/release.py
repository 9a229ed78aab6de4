"""A release: the table, the solution behind it and its certificate, together or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lookalike.errors import Fault, FileError
from lookalike.policy.policy import Policy
from lookalike.solution.solution import Solution
from lookalike.tables.atomic import written_whole
from lookalike.tables.elsewhere import is_elsewhere, target
from lookalike.tables.open import open_table
from lookalike.tables.table import Table
from lookalike.verifier.certificate import Certificate, digest, refuse
from lookalike.verifier.finding import Finding
from lookalike.verifier.order import sorted_rows


@dataclass(frozen=True, slots=True)
class Release:
    """What ``release`` hands back: only ever built with a certificate that passed."""

    original: Table = field(repr=False)
    released: Table = field(repr=False)
    policy: Policy = field(repr=False)
    solution: Solution
    certificate: Certificate = field(repr=False)

    @property
    def table(self) -> Any:
        """The released table, of the kind that came in (files: a pyarrow table)."""
        return self.released.native()

    def write(self, path: str | Path, *, force: bool = False) -> str | Path:
        """Write the release and, beside it, its certificate; the answer is where.

        The file is written under another name, read back, held against the rows that were verified,
        and only then put in its place. An existing file is replaced only with ``force``.

        ``postgresql://host/database?table=schema.name`` and ``spark:catalog.table`` are tables.
        They are seen by others only once they were read back, with the certificate: in PostgreSQL
        as the table's comment, in Spark as its property ``lookalike.certificate``.
        """
        if isinstance(path, str) and is_elsewhere(path):
            return self._write_elsewhere(path, force)
        file = Path(path)
        if not file.name or file.is_dir():
            raise FileError(Fault(str(file), "this is a folder", "name a file in it"))
        beside = certificate_path(file)
        if not force and beside.exists():
            raise FileError(Fault(beside.name, "the file exists", "choose another name, or force"))
        source = self.original.path
        certified = False
        try:
            with written_whole(file, force, source) as temporary:
                self._write(temporary, file.name)
                self._refuse_unless_the_same(open_table(temporary))
                with written_whole(beside, force, source) as certificate:
                    certificate.write_text(self.certificate.to_json(), encoding="utf-8")
                certified = True
        except BaseException:
            if certified:  # the certificate is there, its release is not
                beside.unlink(missing_ok=True)
            raise
        return file

    def _write_elsewhere(self, address: str, force: bool) -> str:
        found = target(address)
        if found.place == getattr(self.original, "place", None):
            fix = "write to another table"
            raise FileError(Fault(found.name, "this is the input table itself", fix))
        note = self.certificate.to_json()
        found.write(self.released, note, self._refuse_unless_the_same, force=force)
        return found.name

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
