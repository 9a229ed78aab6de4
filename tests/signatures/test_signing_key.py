"""Private keys: read from OpenSSH's files, created for their owner only, and never shown."""

import os
import pickle
import stat
import sys
from pathlib import Path

import pytest
from ssh_program import needs_ssh_keygen, ssh_key, ssh_keygen

from lookalike.errors import FileError
from lookalike.signatures.signing_key import (
    read_passphrase,
    read_signing_key,
    write_signing_key,
)


def refused(given, passphrase=None):
    """The fault, which shows neither the path nor any line of the file."""
    with pytest.raises(FileError) as caught:
        read_signing_key(given, passphrase)
    shown = f"{caught.value}{caught.value.__cause__}"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert str(given) not in shown
    if isinstance(given, Path) and given.exists():
        for line in given.read_text(errors="replace").split():
            assert len(line) < 20 or line not in shown
    return str(caught.value)


def test_a_new_key_is_in_private_files_and_is_read_back(tmp_path):
    old = os.umask(0)
    try:
        key = write_signing_key(tmp_path / "steward")
    finally:
        os.umask(old)
    for name in ("steward", "steward.pub"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    again = read_signing_key(tmp_path / "steward")
    assert again.public_line == key.public_line
    assert (tmp_path / "steward.pub").read_text() == key.public_line + "\n"
    assert write_signing_key(tmp_path / "other").public_line != key.public_line


@pytest.mark.parametrize("existing", ["steward", "steward.pub"])
def test_no_file_is_replaced_by_a_new_key(existing, tmp_path):
    (tmp_path / existing).write_text("mine")
    with pytest.raises(FileError, match="exists"):
        write_signing_key(tmp_path / "steward")
    assert [path.name for path in tmp_path.iterdir()] == [existing]
    assert (tmp_path / existing).read_text() == "mine"


def test_a_new_key_needs_a_folder(tmp_path):
    with pytest.raises(FileError, match="cannot be written"):
        write_signing_key(tmp_path / "nowhere" / "steward")


def test_a_new_key_can_have_a_passphrase(tmp_path):
    key = write_signing_key(tmp_path / "steward", "correct horse")
    path = tmp_path / "steward"
    for passphrase in ("correct horse", b"correct horse", lambda: "correct horse"):
        assert read_signing_key(path, passphrase).public_line == key.public_line
    assert "protected by a passphrase" in refused(path)
    assert "protected by a passphrase" in refused(path, lambda: "")
    wrong = refused(path, "battery staple")
    assert "the passphrase is wrong" in wrong
    assert "battery" not in wrong


def test_a_passphrase_is_not_asked_for_if_the_key_has_none(tmp_path):
    key = write_signing_key(tmp_path / "steward")
    again = read_signing_key(tmp_path / "steward", lambda: pytest.fail("it asks"))
    assert again.public_line == key.public_line
    assert read_signing_key(tmp_path / "steward", "unused").public_line == key.public_line


def test_a_key_is_not_shown_and_not_copied(tmp_path):
    key = write_signing_key(tmp_path / "steward")
    assert repr(key) == "SigningKey()"
    with pytest.raises(TypeError):
        pickle.dumps(key)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_can_read_is_refused(mode, tmp_path):
    write_signing_key(tmp_path / "steward")
    (tmp_path / "steward").chmod(mode)
    assert "chmod 600" in refused(tmp_path / "steward")


def test_what_is_not_a_private_key_is_refused(tmp_path):
    write_signing_key(tmp_path / "steward")
    text = (tmp_path / "steward").read_text()
    assert "not FILE.pub" in refused(tmp_path / "steward.pub")
    assert "cannot be read" in refused(tmp_path / "missing")
    assert "not the key itself" in refused(text)  # typed in place of the path
    assert "not the key itself" in refused(text.splitlines()[2])
    assert "not a path" in refused("a\0b")
    path = tmp_path / "damaged"
    lines = text.splitlines()
    for damaged in ("", "hello", text[:100], "\n".join([lines[0], *lines[2:]]),
                    "-----BEGIN OPENSSH PRIVATE KEY-----\n-----END OPENSSH PRIVATE KEY-----\n",
                    "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"):  # fmt: skip
        path.write_text(damaged)
        path.chmod(0o600)
        assert "not a private key of OpenSSH" in refused(path)
    with pytest.raises(FileError, match="int is not a key"):
        read_signing_key(7)


def test_every_cut_of_a_private_key_is_refused(tmp_path):
    write_signing_key(tmp_path / "steward")
    text, path = (tmp_path / "steward").read_bytes(), tmp_path / "cut"
    path.touch(0o600)
    for length in range(0, len(text) - 40, 7):
        path.write_bytes(text[:length] + b"\n-----END OPENSSH PRIVATE KEY-----\n")
        refused(path)


def test_without_the_package_the_fault_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    with pytest.raises(FileError, match=r"lookalike\[sign\]"):
        write_signing_key(tmp_path / "steward")
    assert not list(tmp_path.iterdir())


@needs_ssh_keygen
def test_keys_of_ssh_keygen_are_read(tmp_path):
    plain, locked = ssh_key(tmp_path / "a"), ssh_key(tmp_path / "b", "ed25519", "correct horse")
    for path, passphrase in ((plain, None), (locked, "correct horse")):
        public = Path(f"{path}.pub").read_text().split()
        assert read_signing_key(path, passphrase).public_line == " ".join(public[:2])
    assert "passphrase is wrong" in refused(locked, "other")


@needs_ssh_keygen
@pytest.mark.parametrize("cipher", ["aes256-gcm@openssh.com", "aes256-cbc", "aes256-ctr"])
def test_keys_encrypted_by_ssh_keygen_in_other_ways_are_read(cipher, tmp_path):
    path = ssh_key(tmp_path / "a", "ed25519", "correct horse", "-Z", cipher)
    public = Path(f"{path}.pub").read_text().split()
    assert read_signing_key(path, "correct horse").public_line == " ".join(public[:2])
    assert "passphrase is wrong" in refused(path, "other")


@needs_ssh_keygen
def test_a_cipher_that_is_not_supported_is_a_fault(tmp_path):
    path = ssh_key(tmp_path / "a", "ed25519", "correct horse", "-Z", "aes128-cbc")
    assert "aes256-ctr" in refused(path, "correct horse")


@needs_ssh_keygen
def test_ssh_keygen_reads_a_new_key(tmp_path):
    key = write_signing_key(tmp_path / "steward", "correct horse")
    shown = ssh_keygen("-y", "-P", "correct horse", "-f", tmp_path / "steward")
    assert shown.stdout.decode().strip() == key.public_line
    assert ssh_keygen("-y", "-P", "other", "-f", tmp_path / "steward").returncode


@needs_ssh_keygen
@pytest.mark.parametrize("passphrase", ["", "correct horse"])
@pytest.mark.parametrize("kind", ["rsa", "ecdsa"])
def test_other_kinds_of_keys_are_refused(kind, passphrase, tmp_path):
    path = ssh_key(tmp_path / "steward", kind, passphrase)
    assert "not an Ed25519 key" in refused(path, passphrase)
    assert "ssh-keygen -t ed25519" in refused(path, passphrase)


def test_a_passphrase_is_the_first_line_of_a_private_file(tmp_path):
    path = tmp_path / "passphrase"
    path.touch(0o600)
    path.write_text("correct horse\nnot this\n")
    assert read_passphrase(path) == "correct horse"
    path.write_text("\n")
    with pytest.raises(FileError, match="first line"):
        read_passphrase(path)
    path.chmod(0o644)
    with pytest.raises(FileError, match="chmod 600"):
        read_passphrase(path)
