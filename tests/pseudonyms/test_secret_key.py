"""Keys: made once, read only if nobody else can, and never shown."""

from __future__ import annotations

import os
import pickle
import stat
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.pseudonyms.secret_key import Key, needed_key, read_key, write_key

SECRET = bytes.fromhex("c0ffee" * 10 + "1234")


def policy(**more: Any) -> la.Policy:
    return la.Policy(quasi_identifiers={"age": la.flat()}, require=la.KAnonymity(2), **more)


def in_file(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_new_key_has_32_random_bytes_for_its_owner_alone(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_key(tmp_path / name)
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    one, two = (read_key(tmp_path / name) for name in ("one", "two"))
    assert one is not None
    assert len(one.secret) == 32
    assert one != two
    assert one == read_key(str(tmp_path / "one")) == read_key(one.secret) == read_key(one)


def test_a_key_is_never_written_over(tmp_path: Path) -> None:
    write_key(tmp_path / "key")
    before = (tmp_path / "key").read_bytes()
    with pytest.raises(la.FileError, match="the file exists"):
        write_key(tmp_path / "key")
    assert (tmp_path / "key").read_bytes() == before
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(la.FileError):
        write_key(tmp_path / "link")
    with pytest.raises(la.FileError, match="cannot be written"):
        write_key(tmp_path / "no folder" / "key")


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
@pytest.mark.parametrize("mode", [0o604, 0o644, 0o602])
def test_a_key_that_everybody_can_read_is_refused(mode: int, tmp_path: Path) -> None:
    with pytest.raises(la.PolicyError, match="chmod o-rwx") as caught:
        read_key(in_file(tmp_path / "key", SECRET.hex(), mode))
    assert SECRET.hex()[:8] not in str(caught.value)


def test_a_key_of_a_group_is_accepted(tmp_path: Path) -> None:
    assert read_key(in_file(tmp_path / "key", f" {SECRET.hex()}\n", 0o640)) == Key(SECRET)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "0 bytes"),
        (SECRET.hex()[:30], "15 bytes"),
        (SECRET.hex()[:-1], "hexadecimal"),
        ("correct horse battery staple", "hexadecimal"),
        ("ü" * 40, "hexadecimal"),
        ("ab" * 5000, "hexadecimal"),
    ],
)
def test_what_is_no_key_is_refused_and_not_shown(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(la.PolicyError, match=said) as caught:
        read_key(in_file(tmp_path / "key", text))
    assert not text or text[:8] not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("given", [SECRET.hex(), SECRET.hex() * 40, "\0" + SECRET.hex()])
def test_a_key_mistaken_for_its_file_is_not_shown(given: str) -> None:
    """Typed where its path should be, it must not end up in a log."""
    with pytest.raises(la.PolicyError, match="not the key itself") as caught:
        la.anonymize(
            pa.table({"age": [1, 1], "id": ["a", "b"]}), policy(pseudonyms="id"), key=given
        )
    assert "c0ffee" not in str(caught.value)
    assert "c0ffee" not in repr(caught.value.faults)


@pytest.mark.parametrize("given", [b"", b"fifteen bytes..", 7, ["key"]])
def test_keys_of_the_wrong_kind_are_faults(given: Any) -> None:
    with pytest.raises(la.PolicyError) as caught:
        read_key(given)
    assert all(fault.where == "key" and fault.fix for fault in caught.value.faults)
    assert "fifteen" not in str(caught.value)


def test_a_key_shows_nothing_and_is_not_pickled() -> None:
    assert "c0ffee" not in repr(Key(SECRET))
    assert str(SECRET) not in f"{Key(SECRET)}"
    with pytest.raises(TypeError):
        pickle.dumps(Key(SECRET))


def test_only_pseudonyms_need_a_key() -> None:
    assert needed_key(policy(), None) is None
    with pytest.raises(la.PolicyError, match="a key is needed for id") as caught:
        needed_key(policy(pseudonyms="id"), None)
    assert "--key FILE" in caught.value.faults[0].fix
    assert "lookalike key FILE" in caught.value.faults[0].fix
