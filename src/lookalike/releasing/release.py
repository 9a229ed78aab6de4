"""A release: table, solution and certificate together, and writing them together or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.errors import Fault, FileError
from lookalike.policy.policy import Policy
from lookalike.problem.problem import Problem
from lookalike.solution.solution import Solution
from lookalike.tables.addresses import check_scheme, is_address, parse_address
from lookalike.tables.files.atomic_pair import Pair, atomic_pair
from lookalike.tables.files.atomic_write import translate_os_errors
from lookalike.tables.fingerprint import new_key
from lookalike.tables.open import open_written
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate, refuse
from lookalike.verifier.finding import Finding
from lookalike.verifier.rows.row_order import sorted_rows

if TYPE_CHECKING:
    from lookalike.attacking.release_attacks import AttackResult
    from lookalike.releasing.ledger import Ledger, LedgerGiven
    from lookalike.report.subject import Edition, Subject
    from lookalike.risks.kept_columns.screening import Screening
    from lookalike.verifier.rows.joint_releases import ClassMembership


@dataclass(frozen=True, slots=True, repr=False)
class Release:
    """A verified release. ``la.anonymize`` and ``la.release`` make it; every check has passed.

    Attributes
    ----------
    table
        The released table, of the same type as the input.
    solution : Solution
        The recoding, its cost and the claim about it.
    certificate : Certificate
        The findings of the verifier. It may be published with the table.
    policy : Policy
        What was required.
    problem : Problem
        The counts of the original, met with the policy.
    original, released : Table
        Both tables on their engine.
    ledger : Ledger or None
        Where ``write`` enters the release.
    screening : Screening or None
        What the kept columns reveal, as found before the search.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 34, 58, 57]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10)}, require=la.KAnonymity(2))
    >>> release = la.anonymize(table, policy)
    >>> print(release)
    verified release: 4 rows, 1 column
    optimal full-domain recoding, found by flash
    precision cost 0.5, lower bound 0.5, gap 0.0%
    0 of 4 rows suppressed, 2 equivalence classes
    >>> release.table["age"].to_pylist()
    ['[30, 40)', '[30, 40)', '[50, 60)', '[50, 60)']
    """

    original: Table
    released: Table
    policy: Policy
    solution: Solution
    certificate: Certificate
    problem: Problem
    ledger: Ledger | None = None
    screening: Screening | None = None

    def __str__(self) -> str:
        columns = len(self.released.columns)
        size = f"{self.released.rows():,} rows, {columns} column{'' if columns == 1 else 's'}"
        return f"verified release: {size}\n{self.solution}"

    def __repr__(self) -> str:
        return f"<Release: {self.released.rows():,} rows, {self.solution!r}>"

    @property
    def table(self) -> Any:
        """The released table, of the same type as the input (a pyarrow table for files)."""
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
        """Write the release, and its certificate next to it.

        The file is written under another name, read back and compared with the verified rows. Only
        then it is moved into place.

        Parameters
        ----------
        path : str or Path
            A file; a folder of Parquet files if it ends in a slash, or if ``partition_by`` or
            ``files_of`` is given; or the address of a table:
            ``postgresql://host/database?table=schema.name`` or ``spark:catalog.table``. Others see
            such a table only after it was read back. Its certificate is the table's comment in
            PostgreSQL, and its property ``lookalike.certificate`` in Spark.
        force : bool
            Replace an existing file, folder or table.
        partition_by : str or sequence of str
            Columns that become folders, for example ``sex=f/part-00000.parquet``.
        files_of : int, optional
            The largest number of rows in a file of a folder; ten million by default.
        ledger : Ledger or path, optional
            A folder of earlier releases. The release is compared with them first, and entered.

        Returns
        -------
        str or Path
            Where the release was written.

        Raises
        ------
        FileError
            If the place exists, or cannot be written.
        ReleaseRefused
            If the written rows are not the verified ones, or if the release and those in the ledger
            together leave somebody with fewer than k candidates.
        """
        book = ledger if ledger is not None else self.ledger
        if book is not None:
            from lookalike.releasing.ledger import open_ledger

            return self._write_entered(open_ledger(book), path, force, partition_by, files_of)
        laid_out = bool(partition_by) or files_of is not None
        check_scheme(path)
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
        return self._put(file, force, lambda new: self._write(new, file.name), is_folder=False)

    def report(
        self,
        path: str | Path,
        *,
        edition: Edition = "internal",
        force: bool = False,
        command: str = "",
    ) -> Path:
        """Write a report to read, print and sign: one HTML file that needs no network.

        Parameters
        ----------
        path : str or Path
            The HTML file.
        edition : {"internal", "public"}
            ``internal`` has everything and is as private as the original. ``public`` is made from
            the release and its certificate alone: nothing about suppressed rows, and no value that
            fewer than k released rows hold.
        force : bool
            Replace an existing file.
        command : str
            The command that made the release, if there was one.

        Returns
        -------
        Path
            Where the report was written.
        """
        from lookalike.report.report_file import write_report  # late: loads the charts

        subject = self._subject(command, self.attacks() if edition == "internal" else ())
        return write_report(subject, Path(path), edition, force=force)

    def attacks(self, by: str | Sequence[str] = "all") -> tuple[AttackResult, ...]:
        """Attack this release as an outsider who has the policy and a list of all people.

        The list has the quasi-identifiers of all people of the original, and nothing else.

        Parameters
        ----------
        by : str or several
            The attacks: ``"all"``, or some of their names; see ``la.attack``.

        Returns
        -------
        tuple of AttackResult
            What each attack learns. Empty if the counts of the original stay on their engine.

        Raises
        ------
        PolicyError
            If there is no such attack.
        """
        from lookalike.attacking.release_attacks import attack_names, quick_attacks, run_attacks
        from lookalike.attacking.release_view import no_people, view_release

        names = attack_names(by)
        if not self.problem.holds_all_tuples or not self.released.rows():
            return ()
        algorithm = self.solution.algorithm
        if algorithm == "lattice-greedy" and self.solution.promise:
            algorithm += " with rows held back"  # the order of its classes then proves nothing
        people = self.problem.counts
        if set(names) <= set(quick_attacks()):  # these do not ask who could be in which class
            people = no_people(self.policy.names)
        view = view_release(
            self.released,
            self.policy,
            people,
            algorithm=algorithm,
            suppressed=self.solution.suppressed,
            known_people=people,
        )
        return run_attacks(self.released, view, names)

    def subject(self, command: str = "") -> Subject:
        """What a report, or a page that shows the same, is about.

        Parameters
        ----------
        command : str
            The command that made the release, if there was one.

        Returns
        -------
        Subject
            The release with all that was known when it was made.
        """
        return self._subject(command, self.attacks())

    def _subject(self, command: str, attacks: tuple[AttackResult, ...]) -> Subject:
        from lookalike.report.subject import Subject

        return Subject(self.original, self.released, self.policy, self.problem, self.solution,
                       self.certificate, command, self.screening, attacks)  # fmt: skip

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
        with book.enter(called, self.original, self.policy, new, digested):
            entered = replace(self, ledger=None)
            return entered.write(path, force=force, partition_by=partition_by, files_of=files_of)

    def classes_for(self, ledger: Ledger) -> ClassMembership:
        """The equivalence class of each person, for a ledger.

        Parameters
        ----------
        ledger : Ledger
            The earlier releases.

        Returns
        -------
        ClassMembership
            The classes, as the ledger enters them.

        Raises
        ------
        ReleaseRefused
            If this release and earlier ones together expose somebody.
        """
        new = ledger.person_classes(self.original, self.policy, self.solution)
        if ledger.exposed(new):
            from lookalike.releasing.ledger_repair import accepted_levels, suggested_levels

            levels = accepted_levels(ledger, self.original, self.policy)
            fix = suggested_levels(self.policy, levels) if levels is not None else ""
            ledger.refuse_exposed(new, fix)
        return new

    def _write_folder(
        self, folder: Path, force: bool, partition_by: str | Sequence[str], files_of: int | None
    ) -> Path:
        from lookalike.tables.files.folder_writing import FolderLayout, write_folder

        if folder.name in {"", ".."}:
            raise FileError(Fault(str(folder), "this is a folder", "name a new folder in it"))
        if folder.suffix.lower() in {".csv", ".tsv", ".txt", ".gz"}:
            fix = "name a folder without this ending, or leave partition_by and files_of out"
            raise FileError(Fault(folder.name, "a folder holds only Parquet files", fix))
        by = (partition_by,) if isinstance(partition_by, str) else tuple(partition_by)
        layout = FolderLayout(by) if files_of is None else FolderLayout(by, files_of)
        layout.check(self.released.columns)

        def write(new: Path) -> None:
            write_folder(self.released, new, layout, folder)

        return self._put(folder, force, write, is_folder=True)

    def _put(self, path: Path, force: bool, write: Callable[[Path], None], is_folder: bool) -> Path:
        """The release and its certificate, or neither."""
        target = Pair(path, certificate_path(path), is_folder)
        with atomic_pair(target, force, self.original.path) as new:
            write(new.release)
            self._refuse_unless_the_same(open_written(new.release, self.released))
            with translate_os_errors(target.certificate):
                new.certificate.write_text(self.certificate.to_json(), encoding="utf-8")
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
        """To a temporary file, whose name no message shows."""
        try:
            self.released.write(temporary)
        except FileError as error:
            faults = [replace(fault, where=name) for fault in error.faults]
            raise FileError(faults) from None

    def _refuse_unless_the_same(self, written: Table) -> None:
        """The file as read back must hold exactly the verified rows, in their order."""
        key = new_key()
        same = written.fingerprint(key) == self.released.fingerprint(key)
        finding = Finding("file", same, "The written file does not hold the verified rows.")
        refuse((finding, sorted_rows(written)))


def certificate_path(path: Path) -> Path:
    """Where the certificate of a release is."""
    return path.with_name(path.name + ".certificate.json")
