"""The ledger: a private folder that records who was in which equivalence class of every release.

A new release is compared with all earlier ones before it is written. The folder holds no original
value: people are digests under a key in the folder (HMAC-SHA256, 16 bytes). With the key, values
can be tried out, so the folder must be kept as private as the original. Entries are sealed under
the same key, each together with the one before, and the number of the last is noted. So a ledger
with a lost or altered entry, or without its key, is a fault. A release is entered before it is
written, and removed if writing fails: an entry too many can only refuse a release, a missing entry
would be a leak.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import Fault, FileError, PolicyError, ReleaseRefused
from lookalike.policy.policy import Policy
from lookalike.solution.solution import Solution
from lookalike.tables.files.atomic_write import atomic_write
from lookalike.tables.files.pair_replacement import repair_beside
from lookalike.tables.files.placement import sync_to_disk
from lookalike.tables.table import Table
from lookalike.verifier.rows.joint_releases import ClassMembership, JointExposure, joint_exposures
from lookalike.verifier.rows.row_classes import RowClasses, row_classes

KEY = "ledger.key"
LAST = "last"
FORGOTTEN = "restore the files; without them earlier releases are not considered"
FORMAT = "lookalike ledger 1"
DIGEST_BYTES = 16
MIN_RETURNING = 0.1  # of the people; if fewer return, they may be spelled differently


@dataclass(frozen=True, slots=True)
class Entry:
    """An earlier release."""

    number: int
    release: str  # the name it was written under
    when: str
    k: int
    rows: int
    person: tuple[str, ...]  # the columns that identify a person
    release_digest: str
    known: int  # of its people, those who were in an earlier release
    people: int
    seal: str = ""

    def sentence(self) -> str:
        """``release 2 (q2.csv, 2024-06-30, k = 5)``"""
        return f"release {self.number} ({self.release}, {self.when[:10]}, k = {self.k})"

    def returning_people(self) -> str:
        """How many of its people were in earlier releases, in words."""
        if self.number == 1:
            return f"the first release of the ledger, {self.people:,} people"
        sentence = f"{self.known:,} of {self.people:,} people were in earlier releases"
        if self.known < MIN_RETURNING * self.people:
            sentence += "; if there were more, they are spelled differently: see --person"
        return sentence


class Ledger:
    """A private folder that records releases of one population.

    The folder is created when the first release is entered. What would prevent that is found at
    once: a parent folder that does not exist, a folder that other people can read, a lost key.

    Parameters
    ----------
    folder : str or path
        The folder. Only its owner may read it.
    person : sequence of str
        The columns that identify a person, the same for every release. By default the policy's
        identifiers and pseudonyms.

    Raises
    ------
    FileError
        If the folder cannot be used as a ledger.

    Examples
    --------
    >>> import tempfile, lookalike as la
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = la.Ledger(f"{folder}/ledger", person=["patient_id"])
    ...     len(ledger.entries)
    0
    """

    def __init__(self, folder: str | os.PathLike[str], person: Sequence[str] = ()) -> None:
        self.folder = Path(folder)
        self.person = (person,) if isinstance(person, str) else tuple(person)
        self.last: Entry | None = None  # the release that this object entered last
        with _ledger_faults(self.folder):
            self._secret = self._read_key()

    def _read_key(self) -> bytes | None:
        """The key in the folder; None if the folder is new."""
        key = self.folder / KEY
        if not self.folder.exists():
            if not self.folder.absolute().parent.is_dir():
                problem = "the folder that should contain this ledger does not exist"
                raise FileError(Fault(str(self.folder), problem, "check the path, or create it"))
            return None
        repair_beside(key)
        if not any(self.folder.iterdir()):
            return None
        if not key.exists():
            fix = "restore the key, or choose a new folder"
            raise FileError(Fault(str(self.folder), f"it is not empty and has no {KEY}", fix))
        if os.name == "posix" and self.folder.stat().st_mode & 0o077:
            fix = f"make it private: chmod 700 {self.folder}"
            raise FileError(Fault(str(self.folder), "other users can read this ledger", fix))
        secret = bytes.fromhex(key.read_text(encoding="ascii").strip())
        if len(secret) < 16:
            raise ValueError
        return secret

    @property
    def _key(self) -> bytes:
        """The key; the first use of a new ledger creates the folder and the key."""
        if self._secret is None:
            self._secret = secrets.token_bytes(32)
            with _ledger_faults(self.folder):
                self.folder.mkdir(mode=0o700, exist_ok=True)
                self.folder.chmod(0o700)
                with atomic_write(self.folder / KEY) as file:
                    file.write_text(self._secret.hex() + "\n", encoding="ascii")
        return self._secret

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The earlier releases, oldest first; FileError if one is missing or altered."""
        entries: list[Entry] = []
        for path in sorted(self.folder.glob("[0-9]*.json")):
            try:
                content = json.loads(path.read_text(encoding="utf-8"))
                if content.pop("format") != FORMAT:
                    raise KeyError
                entry = Entry(**{**content, "person": tuple(content["person"])})
                before = entries[-1].seal if entries else ""
                whole = (
                    entry.number == len(entries) + 1
                    and path.stem == f"{entry.number:04d}"
                    and hmac.compare_digest(entry.seal, self._sealed(entry, before))
                )
            except (OSError, ValueError, KeyError, TypeError):
                whole = False
            if not whole:
                problem = "this entry, an earlier one, its people or the key was altered"
                raise FileError(Fault(path.name, problem, FORGOTTEN))
            entries.append(entry)
        if len(entries) < self._noted():
            problem = f"{self._noted()} releases were entered, but there are {len(entries)}"
            raise FileError(Fault(str(self.folder), problem, FORGOTTEN))
        return tuple(entries)

    def _noted(self) -> int:
        """The number of the last release that was entered."""
        try:
            number, seal = (self.folder / LAST).read_text(encoding="ascii").split()
            if hmac.compare_digest(seal, self._mac(f"last {number}".encode())):
                return int(number)
        except FileNotFoundError:
            return 0
        except (OSError, ValueError):
            pass
        raise FileError(Fault(LAST, "this file or the key was altered", FORGOTTEN))

    def _note(self, number: int) -> None:
        with atomic_write(self.folder / LAST, force=True) as file:
            text = f"{number} {self._mac(f'last {number}'.encode())}\n"
            file.write_text(text, encoding="ascii")

    def _mac(self, content: bytes) -> str:
        return hmac.new(self._key, b"seal " + content, hashlib.sha256).hexdigest()

    def _sealed(self, entry: Entry, before: str) -> str:
        """The seal of an entry: over its content, its people and the seal before."""
        people = hashlib.sha256((self.folder / f"{entry.number:04d}.parquet").read_bytes())
        content = json.dumps({**_content(entry), "seal": ""}, sort_keys=True)
        return self._mac(f"{content} {people.hexdigest()} {before}".encode())

    def refuse_exposed(self, new: ClassMembership, fix: str = "") -> None:
        """Refuse a release that exposes people together with earlier ones.

        Parameters
        ----------
        new : ClassMembership
            The classes of the new release, from ``person_classes``.
        fix : str
            A recoding that would be accepted, in words.

        Raises
        ------
        ReleaseRefused
            If somebody would be left with fewer than k candidates.
        """
        if exposed := self.exposed(new):
            raise ReleaseRefused([self._fault(group, fix) for group in exposed])

    def exposed(self, new: ClassMembership) -> list[JointExposure]:
        """Find the people whom a new release would leave with too few candidates.

        Parameters
        ----------
        new : ClassMembership
            The classes of the new release, from ``person_classes``.

        Returns
        -------
        list
            One element for each combination with earlier releases; empty if nobody is exposed.
        """
        return joint_exposures(new, [self._earlier(entry) for entry in self.entries])

    def person_classes(
        self, original: Table, policy: Policy, solution: Solution
    ) -> ClassMembership:
        """The people of a release and their classes, as digests.

        Parameters
        ----------
        original : Table
            The table that was released.
        policy : Policy
            Its policy.
        solution : Solution
            Its solution.

        Returns
        -------
        ClassMembership
            Each person with a class.
        """
        person = self.person_columns(original.columns, policy)
        return self.digest_people(row_classes(original, policy, solution, person), policy, person)

    def digest_people(
        self, rows: RowClasses, policy: Policy, person: Sequence[str]
    ) -> ClassMembership:
        """The same from rows and their classes.

        Parameters
        ----------
        rows : RowClasses
            Distinct rows over the columns that identify a person, with their classes. Without such
            columns a person is a whole row, and equal rows are different people.
        policy : Policy
            The policy of the release.
        person : sequence of str
            The columns that identify a person.

        Returns
        -------
        ClassMembership
            Each person with a class.
        """
        whole = not (self.person or naming_columns(policy))
        people: list[bytes] = []
        classes: list[int] = []
        for cells, of, copies in zip(
            rows.people, rows.of.tolist(), rows.rows.tolist(), strict=True
        ):
            if of < 0:
                continue
            for copy in range(copies if whole else 1):
                people.append(self._digest([list(person), list(map(normalized, cells)), copy]))
                classes.append(of)
        who = np.array(people, dtype=f"S{2 * DIGEST_BYTES}")
        return ClassMembership(who, np.array(classes, dtype=np.int64), promised_k(policy))

    def person_columns(self, columns: Sequence[str], policy: Policy) -> tuple[str, ...]:
        """The columns that identify a person, the same for every release of the ledger.

        Parameters
        ----------
        columns : sequence of str
            The columns of the table.
        policy : Policy
            The policy of the release.

        Returns
        -------
        tuple of str
            The names.

        Raises
        ------
        PolicyError
            If the table does not have them, or earlier releases used others.
        """
        person = self.person or naming_columns(policy) or tuple(sorted(columns))
        lacking = [name for name in person if name not in columns]
        if lacking:
            fix = f"use one of: {', '.join(columns)}"
            raise PolicyError(Fault("person", f"the table has no column {', '.join(lacking)}", fix))
        others = [entry for entry in self.entries if entry.person != person]
        if others:
            problem = (
                f"{others[0].sentence()} identified people by {', '.join(others[0].person)}, and "
                f"this one by {', '.join(person)}: nobody could be recognized"
            )
            fix = f"name the same columns: person = {', '.join(others[0].person)}"
            raise PolicyError(Fault("person", problem, fix))
        return person

    @contextmanager
    def enter(
        self, name: str, original: Table, policy: Policy, new: ClassMembership, release_digest: str
    ) -> Iterator[Entry]:
        """Enter a release. Write it in this block; if that fails, the entry is removed.

        Parameters
        ----------
        name : str
            Where the release is written.
        original : Table
            The table that is released.
        policy : Policy
            Its policy.
        new : ClassMembership
            Its classes, from ``person_classes``.
        release_digest : str
            The digest in its certificate.

        Returns
        -------
        context manager
            Gives the new entry.
        """
        earlier = self.entries
        people = np.unique(new.person)
        seen = [np.isin(people, self._earlier(entry).person) for entry in earlier]
        entry = Entry(
            len(earlier) + 1,
            name,
            datetime.now(UTC).isoformat(timespec="seconds"),
            new.k,
            len(new),
            self.person_columns(original.columns, policy),
            release_digest,
            int(np.logical_or.reduce(seen).sum()) if seen else 0,
            len(people),
        )
        stem = self.folder / f"{entry.number:04d}"
        files = (stem.with_suffix(".parquet"), stem.with_suffix(".json"))
        try:
            with atomic_write(files[0]) as file:
                who = pa.array(new.person.tolist(), pa.binary())
                pq.write_table(pa.table({"person": who, "of": new.of}), file)
            before = earlier[-1].seal if earlier else ""
            entry = replace(entry, seal=self._sealed(entry, before))
            with atomic_write(files[1]) as file:
                file.write_text(json.dumps(_content(entry), indent=2) + "\n", encoding="utf-8")
            self._note(entry.number)
            yield entry
            self.last = entry
        except BaseException:
            self._note(len(earlier))
            for path in reversed(files):
                with suppress(OSError):
                    path.unlink()
            sync_to_disk(self.folder)
            raise

    def _earlier(self, entry: Entry) -> ClassMembership:
        path = self.folder / f"{entry.number:04d}.parquet"
        try:
            table = pq.read_table(path)
            people = np.array(table.column("person").to_pylist(), dtype=f"S{2 * DIGEST_BYTES}")
            return ClassMembership(people, table.column("of").to_numpy().astype(np.int64), entry.k)
        except (OSError, pa.ArrowException, KeyError):
            fix = "restore the file; without it this release is not considered"
            raise FileError(Fault(path.name, "cannot be read", fix)) from None

    def _digest(self, content: Any) -> bytes:
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
        return hmac.new(self._key, text, hashlib.sha256).hexdigest()[: 2 * DIGEST_BYTES].encode()

    def _fault(self, group: JointExposure, fix: str) -> Fault:
        entries = self.entries
        earlier = " and ".join(entries[place].sentence() for place in group.releases)
        people = f"{group.people:,} {'person' if group.people == 1 else 'people'}"
        problem = (
            f"together with {earlier} it would leave {people} with fewer than {group.k} candidates "
            f"({group.fewest} at worst)"
        )
        build_on = "use the same recoding or a less precise one (lookalike reapply)"
        return Fault("ledger", problem, fix or build_on)


LedgerGiven = Ledger | str | os.PathLike[str] | None


def open_ledger(given: Ledger | str | os.PathLike[str], person: Sequence[str] = ()) -> Ledger:
    """The ledger, or the ledger of a folder. FileError if the folder cannot be used as one."""
    return given if isinstance(given, Ledger) else Ledger(given, person)


@contextmanager
def _ledger_faults(folder: Path) -> Iterator[None]:
    """Errors of the file system as faults."""
    try:
        yield
    except OSError as error:
        problem = f"cannot be used as a ledger ({error.strerror})"
        fix = "name a folder of your own, or one that does not exist yet"
        raise FileError(Fault(str(folder), problem, fix)) from None
    except ValueError:
        raise FileError(Fault(KEY, "this is not a key", "restore the right key")) from None


def promised_k(policy: Policy) -> int:
    """The k of a policy: required of the size of classes, or implied by other requirements."""
    sizes = [rule.smallest for rule in policy.require if rule.by_size]
    return max(sizes) if sizes else policy.smallest


def normalized(cell: str | None) -> str | None:
    """A cell for comparing people: 12.0 is 12; case and blanks make no difference."""
    if cell is None:
        return None
    bare = " ".join(unicodedata.normalize("NFKC", cell).casefold().split())
    whole, point, rest = bare.rpartition(".")
    return whole if point and rest.strip("0") == "" and whole.lstrip("-").isdigit() else bare


def naming_columns(policy: Policy) -> tuple[str, ...]:
    """The columns that name people: identifiers and pseudonyms."""
    return tuple(sorted((*policy.identifiers, *policy.pseudonyms)))


def _content(entry: Entry) -> dict[str, object]:
    return {"format": FORMAT, **asdict(entry)}
