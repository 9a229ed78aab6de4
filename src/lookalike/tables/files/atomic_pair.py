"""Write a release and its certificate atomically: both are put in place, or neither."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lookalike.errors import Fault, FileError
from lookalike.tables.files.atomic_write import (
    exists_fault,
    file_fault,
    owned_folder_beside,
    translate_os_errors,
)
from lookalike.tables.files.folder_target import folder_fault
from lookalike.tables.files.owned_folder import OwnedFolder, sole_access
from lookalike.tables.files.pair_replacement import (
    NEW_CERTIFICATE,
    Replacement,
    has_journal,
    identity,
    repair_beside,
    repair_folder,
)
from lookalike.tables.files.placement import sync_to_disk


@dataclass(frozen=True, slots=True)
class Pair:
    """Where a release goes, and its certificate."""

    release: Path
    certificate: Path
    is_folder: bool = False

    def faults(self, force: bool, source: Path | None) -> list[Fault]:
        """Why they cannot be written, if so."""
        check = folder_fault if self.is_folder else file_fault
        faults = check(self.release, force, source), file_fault(self.certificate, force, source)
        return [fault for fault in faults if fault is not None]


@contextmanager
def atomic_pair(target: Pair, force: bool = False, source: Path | None = None) -> Iterator[Pair]:
    """Yield a private pair to write to; when the block succeeds, it becomes ``target``.

    Only its owner can read the files, also afterwards. When the block raises, or the new pair
    cannot be put in place, ``target`` is as it was. If the program is killed, the next write to
    the same folder or the next ``verify`` puts the old pair back, unless the new one is complete.
    """
    repair_beside(target.release)
    if faults := target.faults(force, source):
        raise FileError(faults[0])
    own = owned_folder_beside(target.release)
    try:
        new = Pair(
            own.folder / f"new{'' if target.is_folder else target.release.suffix}",
            own.folder / NEW_CERTIFICATE,
            target.is_folder,
        )
        with translate_os_errors(target.release):
            new.release.mkdir(0o700) if new.is_folder else new.release.touch(0o600)
            new.certificate.touch(0o600)
        yield new
        with translate_os_errors(target.release), sole_access(target.release.parent) as alone:
            if not alone:
                problem = "another program is writing to its folder"
                raise FileError(Fault(target.release.name, problem, "try again later"))
            _put_in_place(own, new, target, force, source)
    finally:
        own.leave() if has_journal(own.folder) else own.remove()


def _put_in_place(
    own: OwnedFolder, new: Pair, target: Pair, force: bool, source: Path | None
) -> None:
    if not new.is_folder:  # the files in a folder are synced by their writer
        new.release.chmod(0o600)  # in case the writer has made a new file
        sync_to_disk(new.release)
    sync_to_disk(new.certificate)
    repair_folder(target.release.parent)  # another program may have been killed meanwhile
    if faults := target.faults(force, source):  # it may have appeared or changed
        raise FileError(faults[0])
    replacement = Replacement(
        own.folder,
        target.release.name,
        target.certificate.name,
        new.release.name,
        identity(new.release),
        identity(new.certificate),
        identity(target.release),
        identity(target.certificate),
    )
    try:
        replacement.carry_out()
    except FileExistsError:
        raise FileError(exists_fault(target.release)) from None
