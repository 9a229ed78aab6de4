"""Whose signatures are accepted: every way to name a key, and what is refused.

That restrictions of allowed_signers files have the meaning of OpenSSH is tested by agreement, in
``test_certificate_signature.py``.
"""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lookalike.errors import FileError
from lookalike.signatures.signers import read_signers
from lookalike.signatures.signing_key import write_signing_key

RSA = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ== someone"
HARDWARE = "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAA someone"


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    return write_signing_key(tmp_path_factory.mktemp("keys") / "steward")


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    return write_signing_key(tmp_path_factory.mktemp("keys") / "other")


def refused(given):
    with pytest.raises(FileError) as caught:
        read_signers(given)
    return str(caught.value)


def test_a_key_is_named_by_its_text_or_by_a_file(key, tmp_path):
    path = tmp_path / "steward.pub"
    path.write_text(f"{key.public_line} the steward\n")
    for given in (key.public_line, f"  {key.public_line}\n", path, str(path)):
        (signer,) = read_signers(given)
        assert signer.public_key == key.public_key
        assert signer.name == ("the steward" if str(given) == str(path) else "")


def test_an_allowed_signers_file_names_people(key, other, tmp_path):
    path = tmp_path / "allowed_signers"
    path.write_text(
        f'# staff\n\nann@clinic,bob@clinic namespaces="x,y" {key.public_line} laptop\r\n'
        f'"cleo the third" valid-before="20270101Z",valid-after="202601011230Z" '
        f"{other.public_line}\n{RSA}\ndora {HARDWARE}\nca@clinic cert-authority {RSA}\n"
    )
    ann, cleo = read_signers(path)
    assert (ann.name, ann.namespaces) == ("ann@clinic,bob@clinic", ("x", "y"))
    assert cleo.name == "cleo the third"
    assert cleo.valid_before == datetime(2027, 1, 1, tzinfo=UTC)
    assert cleo.valid_after == datetime(2026, 1, 1, 12, 30, tzinfo=UTC)


def test_without_the_package_the_fault_says_what_to_install(key, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    assert "lookalike[sign]" in refused(key.public_line)


def test_a_time_without_a_zone_is_local(key):
    (signer,) = read_signers(f'ann valid-after="20260101" {key.public_line}')
    assert signer.valid_after == datetime(2026, 1, 1).astimezone()


def test_a_key_is_valid_between_its_times(key):
    (signer,) = read_signers(
        f'ann valid-after="20260101Z",valid-before="20270101Z" {key.public_line}'
    )
    assert signer.why_not("x", datetime(2025, 12, 31, tzinfo=UTC)) == "is not valid yet"
    assert signer.why_not("x", datetime(2026, 1, 1, tzinfo=UTC)) == ""
    assert signer.why_not("x", datetime(2027, 1, 1, tzinfo=UTC)) == ""
    assert signer.why_not("x", datetime(2027, 1, 2, tzinfo=UTC)) == "is no longer valid"


@pytest.mark.parametrize("given", [RSA, f"ann {RSA}", HARDWARE])
def test_other_kinds_of_keys_are_refused(given):
    text = refused(given)
    assert "no Ed25519 public key" in text
    assert "found ss" in text or "found sk" in text


def test_an_unknown_restriction_is_not_ignored(key):
    text = refused(f'ann {key.public_line}\nbob only-on="mondays" {key.public_line}')
    assert "line 2: the option only-on is not known" in text


@pytest.mark.parametrize("time", ["2026", "20261301", "20260101Zulu", "202601012560", ""])
def test_a_time_that_is_not_one_is_refused(time, key):
    assert "YYYYMMDD" in refused(f'ann valid-before="{time}" {key.public_line}')


def test_a_damaged_key_is_refused(key):
    assert "damaged" in refused(key.public_line[:-4])
    assert "line 1" in refused(key.public_line[:-4] + "*" + "\n")
    renamed = key.public_line.replace("ssh-ed25519 ", "ssh-rsa ")
    assert "no Ed25519" in refused(renamed)
    kind, encoded = RSA.split()[:2]
    assert "damaged" in refused(f"ssh-ed25519 {encoded}"), kind


def test_what_is_not_a_key_is_refused_and_not_shown(key, tmp_path):
    private = tmp_path / "steward"
    write_signing_key(private)
    text = private.read_text()
    for given in (private, text, str(private)):
        said = refused(given)
        assert "private key, which nobody else may see" in said
        assert text.splitlines()[1] not in said
    secret = text.splitlines()[2]
    assert secret not in refused(secret)
    (tmp_path / "empty").touch()
    assert "no Ed25519 public key" in refused(tmp_path / "empty")
    assert "cannot be read" in refused(tmp_path / "missing")
    assert "cannot be read" in refused(tmp_path)
    assert "cannot be read" in refused("")
    assert "int is not a public key" in refused(7)
    hello = tmp_path / "hello"
    hello.write_text("hello\n")
    assert "line 1" in refused(Path(hello))
