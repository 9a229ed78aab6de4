"""Replace a release and its certificate together: after a crash, the old pair is put back.

A rename puts one file in place, but a release and its certificate are two. So the old pair is kept
in the private folder until the new pair is complete, and a journal there says what is being done.
A process that finds the journal of a dead one reads from the names what has happened: if both new
files have their names, the replacement is complete; otherwise the old pair is put back. The old
certificate goes first and the new one comes last, so that no certificate is ever beside a release
of another run, not even before the repair.

A journal moves files, so it is obeyed only where it was written: it names the lock of its folder by
number and time of creation. Somebody who sends us a folder cannot know what these will be here. A
folder with another journal, for example from a backup, is left alone.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lookalike.tables.files.owned_folder import LOCK, leftovers, sole_access, sweep
from lookalike.tables.files.placement import put_new_file, sync_to_disk

JOURNAL = "journal.json"
OLD = "old"  # names in the private folder
OLD_CERTIFICATE = "old.certificate.json"
NEW_CERTIFICATE = "new.certificate.json"

Identity = tuple[int, ...] | None  # of a file or folder: the same under another name


@dataclass(frozen=True, slots=True)
class Replacement:
    """A pair that is being put in place; ``folder`` is the private folder beside it."""

    folder: Path
    release: str  # name of the target
    certificate: str  # name of its certificate
    temporary: str  # name of the new release in the private folder
    new: Identity
    new_certificate: Identity
    old: Identity
    old_certificate: Identity

    @property
    def target(self) -> Path:
        return self.folder.parent / self.release

    @property
    def beside(self) -> Path:
        return self.folder.parent / self.certificate

    def carry_out(self) -> None:
        """Put the new pair in place; if anything fails, put the old pair back."""
        self._note()
        try:
            self._put_in_place()
            sync_to_disk(self.folder.parent)
        except BaseException:
            with suppress(OSError):  # otherwise the next start does it
                self.roll_back()
            raise
        with suppress(OSError):  # otherwise the next start finds that it is complete
            self._forget()

    def _note(self) -> None:
        """The journal is on disk before any name changes."""
        content = asdict(self) | {"folder": self.folder.name, "lock": _lock_of(self.folder)}
        sync_to_disk(self.folder / LOCK)
        unfinished = self.folder / f"{JOURNAL}.new"
        unfinished.touch(mode=0o600)
        unfinished.write_text(json.dumps(content), encoding="utf-8")
        sync_to_disk(unfinished)
        unfinished.replace(self.folder / JOURNAL)
        sync_to_disk(self.folder)
        sync_to_disk(self.folder.parent)

    def _put_in_place(self) -> None:
        if self.old is None and self.old_certificate is None:
            # a certificate alone does no harm; a release alone could be taken for complete
            put_new_file(self.folder / NEW_CERTIFICATE, self.beside)
            self._put_release()
            return
        if self.old_certificate is not None:
            self.beside.rename(self.folder / OLD_CERTIFICATE)
        if self.old is not None:
            self._keep_old_release()
        sync_to_disk(self.folder)
        self._put_release()
        put_new_file(self.folder / NEW_CERTIFICATE, self.beside)

    def _keep_old_release(self) -> None:
        """A file keeps its name, too, so that readers find the old or the new one at any time."""
        kept = self.folder / OLD
        if not self.target.is_dir() and not self.target.is_symlink():
            with suppress(OSError):  # no hard links on this disk
                kept.hardlink_to(self.target)
                return
        self.target.rename(kept)

    def _put_release(self) -> None:
        temporary = self.folder / self.temporary
        if temporary.is_dir():
            temporary.rename(self.target)  # fails if something is there
        elif self.old is not None:
            temporary.replace(self.target)
        else:
            put_new_file(temporary, self.target)

    def roll_back(self) -> None:
        """Put the old pair back, unless the new pair is complete. Can be repeated at any point.

        Files that somebody else has put there since are left alone.
        """
        placed = _is(self.target, self.new), _is(self.beside, self.new_certificate)
        if not all(placed):
            if placed[1] or self._is_claim(self.beside, self.old_certificate):
                self.beside.unlink()
            self._put_old_release_back(placed[0])
            kept = self.folder / OLD_CERTIFICATE
            is_free = not os.path.lexists(self.beside)
            if os.path.lexists(kept) and is_free and identity(self.target) == self.old:
                kept.rename(self.beside)
            sync_to_disk(self.folder.parent)
        self._forget()

    def _put_old_release_back(self, new_is_there: bool) -> None:
        kept, target = self.folder / OLD, self.target
        if new_is_there or self._is_claim(target, self.old):
            if target.is_dir():
                target.rename(self.folder / self.temporary)
            elif os.path.lexists(kept):
                kept.replace(target)
            elif self.old is None:
                target.unlink()
        if os.path.lexists(kept) and not os.path.lexists(target):
            kept.rename(target)

    def _is_claim(self, path: Path, before: Identity) -> bool:
        """Is it the empty file that only holds the name? Nobody's work is lost with it."""
        if not os.path.lexists(path) or _is(path, before):
            return False
        status = path.lstat()
        return stat.S_ISREG(status.st_mode) and status.st_size == 0

    def _forget(self) -> None:
        (self.folder / JOURNAL).unlink()
        sync_to_disk(self.folder)


def identity(path: Path) -> Identity:
    """What stays the same when a file or folder is renamed or linked; None if there is nothing."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _is(path: Path, wanted: Identity) -> bool:
    return wanted is not None and identity(path) == wanted


def has_journal(folder: Path) -> bool:
    """Does the private folder hold an old pair that may have to be put back?"""
    return (folder / JOURNAL).exists()


def repair_beside(target: Path) -> None:
    """Repair what killed processes left in the folder of the target, and remove the rest.

    What cannot be repaired now is left as it is.
    """
    parent = target.parent
    if leftovers(parent, hidden=True):
        with suppress(OSError), sole_access(parent) as alone:
            if alone:
                repair_folder(parent)


def repair_folder(parent: Path) -> None:
    """The same, for a process that has sole access to the folder."""
    sweep(parent, hidden=True, repair=_repair)


def _repair(folder: Path) -> None:
    replacement = _read_journal(folder)
    if replacement is not None:
        replacement.roll_back()


def _lock_of(folder: Path) -> tuple[int, int]:
    """Number of the folder's lock file, and when it was made; nobody can set the latter."""
    status = (folder / LOCK).stat(follow_symlinks=False)
    return status.st_ino, status.st_ctime_ns


def _read_journal(folder: Path) -> Replacement | None:
    """The journal that was written in this folder; OSError if there is another one."""
    try:
        text = (folder / JOURNAL).read_bytes()
    except FileNotFoundError:
        return None
    try:
        content: dict[str, Any] = json.loads(text)
        lock, _ = tuple(content.pop("lock")), content.pop("folder")
        for key, value in content.items():  # JSON has lists, not tuples
            content[key] = tuple(value) if isinstance(value, list) else value
        replacement = Replacement(folder, **content)
        names = replacement.release, replacement.certificate, replacement.temporary
        is_ours = lock == _lock_of(folder) and all(map(_is_plain_name, names))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        is_ours = False
    if not is_ours:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    return replacement


def _is_plain_name(name: str) -> bool:
    return name not in ("", ".", "..") and Path(name).name == name
