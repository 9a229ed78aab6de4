"""After a crash, and after a crash of the repair: the old pair or the new pair."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from lookalike.errors import FileError
from lookalike.tables.files import owned_folder, pair_replacement
from lookalike.tables.files.atomic_pair import Pair, atomic_pair
from lookalike.tables.files.pair_replacement import Replacement, repair_beside


class Crash(BaseException):
    """The process is killed here: nothing that it would do afterwards is done."""


STEPS = [
    (Path, "rename"), (Path, "replace"), (Path, "hardlink_to"), (Path, "unlink"),
    (Path, "touch"), (Path, "write_text"), (pair_replacement, "sync_to_disk"),
]  # fmt: skip


@contextmanager
def crash_at(number, links=True):
    """Raise Crash at this step, and at every later one: a dead process does nothing."""
    steps = [0]

    def counted(real, name):
        def step(*given, **named):
            steps[0] += 1
            if steps[0] >= number:
                raise Crash
            if name == "hardlink_to" and not links:
                raise OSError(1, "no hard links here")
            return real(*given, **named)

        return step

    with pytest.MonkeyPatch.context() as patched:
        for place, name in STEPS:
            patched.setattr(place, name, counted(getattr(place, name), name))
        patched.setattr(owned_folder, "_remove_locked", counted(owned_folder._remove_locked, ""))
        with suppress(Crash):
            yield steps


def put(pair, text):
    if pair.is_folder:
        pair.release.mkdir(exist_ok=True)
        (pair.release / "part-00000.parquet").write_bytes(text.encode())
    else:
        pair.release.write_bytes(text.encode())
    pair.certificate.write_bytes(f"{text} certificate".encode())


def read(pair):
    """The text of the release and of the certificate; None where there is none."""
    release = pair.release / "part-00000.parquet" if pair.is_folder else pair.release
    return tuple(
        path.read_text() if path.exists() else None for path in (release, pair.certificate)
    )


OLD, NEW, NOTHING = ("old", "old certificate"), ("new", "new certificate"), (None, None)


def start(folder, is_folder, force):
    folder.mkdir()
    pair = Pair(folder / "r", folder / "r.certificate.json", is_folder)
    if force:
        put(pair, "old")
    return pair


def replace(pair, force):
    with atomic_pair(pair, force) as new:
        put(new, "new")


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("is_folder", [False, True])
def test_a_crash_and_a_crash_of_the_repair_cost_nothing(tmp_path, is_folder, force, links):
    before, outcomes = OLD if force else NOTHING, set()
    for first in range(1, 1000):
        for second in range(1, 1000):
            folder = tmp_path / f"{first}-{second}"
            pair = start(folder, is_folder, force)
            with crash_at(first, links) as steps:
                replace(pair, force)
            is_complete = steps[0] < first
            seen = read(pair)
            assert seen not in {("old", "new certificate"), ("new", "old certificate")}
            with crash_at(second, links) as steps:
                repair_beside(pair.release)
            is_repaired = steps[0] < second
            seen = read(pair)
            assert seen not in {("old", "new certificate"), ("new", "old certificate")}
            repair_beside(pair.release)
            assert read(pair) in {before, NEW}
            assert not is_complete or read(pair) == NEW
            outcomes.add(read(pair))
            left = {path.name for path in folder.iterdir()}
            assert left <= {"r", "r.certificate.json"}
            if is_repaired:
                break
        if is_complete:
            break
    assert outcomes == {before, NEW}


@pytest.mark.parametrize("is_folder", [False, True])
@pytest.mark.parametrize("force", [False, True])
def test_a_call_that_fails_leaves_the_old_pair_at_once(tmp_path, is_folder, force, monkeypatch):
    def fail(self):
        raise OSError(5, "Input/output error")

    pair = start(tmp_path / "out", is_folder, force)
    monkeypatch.setattr(Replacement, "_put_release", fail)
    with pytest.raises(FileError, match="cannot be written"):
        replace(pair, force)
    assert read(pair) == (OLD if force else NOTHING)
    assert len(list((tmp_path / "out").iterdir())) == 2 * force


def crashed_before_certificate(pair, force=True):
    """The new release has its name, its certificate has not."""
    with pytest.MonkeyPatch.context() as patched, suppress(Crash):
        put_new = pair_replacement.put_new_file

        def crash(temporary, target):
            if target == pair.certificate:
                patched.setattr(Replacement, "roll_back", lambda self: None)
                raise Crash
            put_new(temporary, target)

        patched.setattr(pair_replacement, "put_new_file", crash)
        replace(pair, force)
    assert read(pair) == ("new", None)


def test_what_somebody_put_there_since_is_left_alone(tmp_path):
    pair = start(tmp_path / "out", False, True)
    crashed_before_certificate(pair)
    pair.release.unlink()
    pair.release.write_text("somebody else's")
    repair_beside(pair.release)
    assert read(pair) == ("somebody else's", None)  # not the certificate of another release
    pair = start(tmp_path / "other", True, True)
    crashed_before_certificate(pair)
    pair.certificate.write_text("somebody else's")
    repair_beside(pair.release)
    assert read(pair) == ("old", "somebody else's")


def test_the_next_write_repairs_first(tmp_path):
    pair = start(tmp_path / "out", False, True)
    crashed_before_certificate(pair)
    with pytest.raises(FileError, match="exists"):  # the old pair is there again
        replace(pair, force=False)
    assert read(pair) == OLD


def test_a_journal_that_names_other_folders_is_not_followed(tmp_path):
    folder = tmp_path / "out" / f".lookalike-1-{'0' * 16}"
    folder.mkdir(parents=True)
    (tmp_path / "mine").write_text("mine")
    (folder / "journal.json").write_text(
        '{"release": "../mine", "certificate": "c", "temporary": "t"}'
    )
    repair_beside(tmp_path / "out" / "r")
    assert (tmp_path / "mine").read_text() == "mine"
    assert folder.exists()


def journal_of(pair):
    """The journal that a crash left, with its folder."""
    [journal] = pair.release.parent.glob(".lookalike-*/journal.json")
    return journal, json.loads(journal.read_text())


@pytest.mark.parametrize("old", [None, "attack"])
def test_a_journal_from_elsewhere_is_not_obeyed(tmp_path, old):
    """Somebody sends a folder: the journal in it must neither write nor remove anything."""
    pair = start(tmp_path / "out", False, True)
    crashed_before_certificate(pair)
    journal, content = journal_of(pair)
    sent = tmp_path / "sent"
    shutil.copytree(journal.parent.parent, sent)
    [copied] = sent.glob(".lookalike-*")
    (sent / "empty.py").touch()
    if old is not None:
        (copied / "old").write_text(old)
    forged = dict(content, release="empty.py", old=None, new=None)
    (copied / "journal.json").write_text(json.dumps(forged))
    before = {path: path.read_bytes() for path in sent.rglob("*") if path.is_file()}
    repair_beside(sent / "out")
    assert {path: path.read_bytes() for path in sent.rglob("*") if path.is_file()} == before
    repair_beside(pair.release)  # the true one is obeyed
    assert read(pair) == OLD


@pytest.mark.parametrize(
    "change",
    ["{}", "[]", "garbage", '{"lock": 3}', "[" * 100_000, {"more": 1}, {"release": ".."},
     {"temporary": ""}, {"certificate": "a/b"}, {"release": 5}, {"lock": None}],
    ids=range(11),
)  # fmt: skip
def test_a_damaged_journal_is_left_alone(tmp_path, change):
    pair = start(tmp_path / "out", False, True)
    crashed_before_certificate(pair)
    journal, content = journal_of(pair)
    journal.write_text(json.dumps(content | change) if isinstance(change, dict) else change)
    before = read(pair)
    repair_beside(pair.release)
    assert read(pair) == before
    assert journal.exists()


def test_a_release_that_is_being_written_is_left_to_its_writer(tmp_path):
    pair = start(tmp_path / "out", False, True)
    with atomic_pair(pair, force=True) as new:
        repair_beside(pair.release)
        assert new.release.exists()
        put(new, "new")
    assert read(pair) == NEW
