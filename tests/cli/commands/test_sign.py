"""Signed releases from the command line: whose key it was, and every reason for a refusal."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path

import pyarrow as pa
import pytest
from cli_program import Program
from ssh_program import needs_ssh_keygen, ssh_accepts, ssh_key, ssh_signed

import lookalike as la
from lookalike.signatures.signing_key import write_signing_key

CERTIFICATE = "out.csv.certificate.json"
SIGNATURE = "out.csv.certificate.json.sig"
ADDRESS = "postgresql://ann:hush@nowhere.invalid/clinic?table=shared"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release, its certificate, and what it was made from."""
    folder = tmp_path_factory.mktemp("made")
    table = pa.table({"age": [31, 34, 37, 52, 55, 58], "sex": list("ffmmff")})
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(10, 20), "sex": la.flat()}, require=la.KAnonymity(2)
    )
    la.anonymize(table, policy).write(folder / "out.csv")
    write_signing_key(folder / "steward")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    for path in made.iterdir():
        shutil.copy2(path, tmp_path)
    return tmp_path


def words(text: str) -> str:
    return " ".join(text.split())


def test_from_a_new_key_to_a_verified_signature(lookalike: Program, folder: Path) -> None:
    created = lookalike("sign", "--new-key", "mine")
    assert created.code == 0, created.err
    assert "mine.pub is the public key" in created.err
    assert stat.S_IMODE((folder / "mine").stat().st_mode) == 0o600
    signed = lookalike("sign", "out.csv", "--key", "mine")
    assert signed.code == 0, signed.err
    assert SIGNATURE in signed.out
    assert stat.S_IMODE((folder / SIGNATURE).stat().st_mode) == 0o600
    public = (folder / "mine.pub").read_text().strip()
    (folder / "allowed_signers").write_text(f"ann@clinic {public}\n")
    for given, who in (("mine.pub", ""), (public, ""), ("allowed_signers", "by ann@clinic, ")):
        ended = lookalike("verify", "out.csv", "--signed-by", given)
        assert ended.code == 0, ended.err
        assert f"The certificate was signed {who}with the key SHA256:" in words(ended.out)
        assert "which algorithm made the release; only the signer" in words(ended.out)
    again = lookalike("sign", "out.csv", "--key", "mine")
    assert again.code == 1
    assert lookalike("sign", "out.csv", "--key", "mine", "--force").code == 0
    secret = (folder / "mine").read_text().splitlines()[1:-1]
    for one in (created, signed, again):
        assert not any(line in one.out + one.err for line in secret)


def test_the_document_has_the_public_key_and_the_files(lookalike: Program, folder: Path) -> None:
    document = lookalike("sign", "out.csv", "--new-key", "mine", "--json").document
    assert document["signature_file"] == SIGNATURE
    assert document["public_key"] == (folder / "mine.pub").read_text().strip()
    assert document["public_key_file"] == "mine.pub"
    checked = lookalike("verify", "out.csv", "--signed-by", "mine.pub", "--json").document
    assert checked["passed"]
    (finding,) = [one for one in checked["findings"] if one["check"] == "signature"]
    assert document["fingerprint"] in finding["sentence"]


def test_without_signed_by_the_signature_is_not_checked(lookalike: Program, folder: Path) -> None:
    before = words(lookalike("verify", "out.csv").out)
    assert "the certificate is not signed, so get it from the data holder" in before
    (folder / SIGNATURE).write_text("anything")
    after = lookalike("verify", "out.csv")
    assert after.code == 0
    assert f"there is a signature, {SIGNATURE}, which was not checked" in words(after.out)
    assert "add --signed-by" in words(after.out)
    assert "not signed" not in words(after.out)


def test_every_refusal_ends_with_4(lookalike: Program, folder: Path) -> None:
    verify = ("verify", "out.csv", "--signed-by", "steward.pub")
    missing = lookalike(*verify)
    assert missing.code == 4
    assert f"{SIGNATURE} is missing" in words(missing.err)
    lookalike("sign", "out.csv", "--new-key", "other")
    other = lookalike(*verify)
    assert other.code == 4
    assert "not among those given" in words(other.err)
    assert lookalike("sign", "out.csv", "--key", "steward", "--force").code == 0
    assert lookalike(*verify).code == 0
    good = (folder / SIGNATURE).read_text()
    lines = good.splitlines()
    (folder / SIGNATURE).write_text("\n".join([*lines[:2], lines[2].swapcase(), *lines[3:]]))
    assert lookalike(*verify).code == 4
    (folder / SIGNATURE).write_text("hello")
    assert lookalike(*verify).code == 4
    (folder / SIGNATURE).write_text(good)
    certificate = (folder / CERTIFICATE).read_text()
    (folder / CERTIFICATE).write_text(certificate + "\n")  # the same content, other bytes
    changed = lookalike(*verify)
    assert changed.code == 4
    assert "does not fit the certificate" in words(changed.err)
    (folder / CERTIFICATE).write_text("{}")  # not even a certificate
    assert lookalike(*verify).code == 4
    (folder / CERTIFICATE).write_text(certificate)
    rows = (folder / "out.csv").read_text().splitlines()
    (folder / "out.csv").write_text("\n".join(rows[:-1]) + "\n")
    assert lookalike(*verify).code == 4  # the signature is good, the rows are not


def test_nothing_is_signed_that_fails_a_check(lookalike: Program, folder: Path) -> None:
    rows = (folder / "out.csv").read_text().splitlines()
    (folder / "out.csv").write_text("\n".join(rows[:-1]) + "\n")
    assert lookalike("sign", "out.csv", "--key", "steward").code == 4
    content = json.loads((folder / CERTIFICATE).read_text())
    content["findings"][0]["holds"] = False
    (folder / CERTIFICATE).write_text(json.dumps(content))
    assert lookalike("sign", CERTIFICATE, "--key", "steward").code == 4
    (folder / CERTIFICATE).write_text("{}")
    assert lookalike("sign", CERTIFICATE, "--key", "steward").code == 1
    (folder / CERTIFICATE).unlink()
    assert lookalike("sign", "out.csv", "--key", "steward").code == 1
    assert not (folder / SIGNATURE).exists()


def test_a_certificate_can_be_named_instead_of_its_release(
    lookalike: Program, folder: Path
) -> None:
    (folder / CERTIFICATE).rename(folder / "copy.json")
    assert lookalike("sign", "copy.json", "--key", "steward").code == 0
    ended = lookalike("verify", "out.csv", "--certificate", "copy.json", "--signed-by",
                      "steward.pub")  # fmt: skip
    assert ended.code == 0, ended.err


def test_bad_keys_end_with_1_and_are_not_shown(lookalike: Program, folder: Path) -> None:
    secret = (folder / "steward").read_text()
    line = secret.splitlines()[1]
    lookalike("sign", "out.csv", "--key", "steward")
    for typed in (
        ("sign", "out.csv", "--key", secret),
        ("sign", "out.csv", "--key", line),
        ("sign", "out.csv", "--key", "steward.pub", "--json"),
        ("verify", "out.csv", "--signed-by", secret),
        ("verify", "out.csv", "--signed-by", line, "--json"),
        ("verify", "out.csv", "--signed-by", "steward"),
        ("verify", "out.csv", "--signed-by", "missing.pub"),
    ):
        ended = lookalike(*typed)
        assert ended.code == 1, typed
        assert line not in ended.out + ended.err


def test_a_passphrase_comes_from_a_file(lookalike: Program, folder: Path) -> None:
    (folder / "phrase").touch(0o600)
    (folder / "phrase").write_text("correct horse\n")
    phrase = ("--passphrase-file", "phrase")
    assert lookalike("sign", "--new-key", "mine", *phrase).code == 0
    without = lookalike("sign", "out.csv", "--key", "mine")  # there is no terminal to ask
    assert without.code == 1
    assert "--passphrase-file FILE" in without.err
    signed = lookalike("sign", "out.csv", "--key", "mine", *phrase)
    assert signed.code == 0, signed.err
    assert "correct horse" not in signed.out + signed.err
    assert lookalike("verify", "out.csv", "--signed-by", "mine.pub").code == 0


def test_a_passphrase_is_asked_for_on_a_terminal(
    lookalike: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_signing_key(folder / "mine", "correct horse")
    monkeypatch.setattr("lookalike.cli.commands.sign.is_terminal", lambda: True)
    monkeypatch.setattr("getpass.getpass", lambda *given, **named: "correct horse")
    assert lookalike("sign", "out.csv", "--key", "mine").code == 0
    monkeypatch.setattr("getpass.getpass", lambda *given, **named: "something else")
    wrong = lookalike("sign", "out.csv", "--key", "mine", "--force")
    assert wrong.code == 1
    assert "something else" not in wrong.out + wrong.err


def test_bad_usage_ends_with_2(lookalike: Program, folder: Path) -> None:
    assert lookalike("sign").code == 2
    assert lookalike("sign", "out.csv").code == 2
    assert lookalike("sign", "--key", "steward").code == 2
    assert lookalike("sign", "out.csv", "--key", "steward", "--new-key", "mine").code == 2


def test_a_certificate_in_a_database_is_not_signed_there(lookalike: Program, folder: Path) -> None:
    ended = lookalike("sign", ADDRESS, "--key", "steward")
    assert ended.code == 1
    assert "--certificate FILE" in words(ended.err)
    assert "hush" not in ended.out + ended.err


def test_a_certificate_without_a_file_has_no_signature(folder: Path) -> None:
    certificate = la.Certificate.load(folder / CERTIFICATE)
    with pytest.raises(la.PolicyError, match="file of a certificate"):
        la.verify(folder / "out.csv", certificate, signed_by=folder / "steward.pub")


def test_a_folder_is_signed_beside_it(folder: Path) -> None:
    table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    la.anonymize(table, policy).write(f"{folder}/parts/")
    written = la.sign(f"{folder}/parts/", folder / "steward")
    assert written == folder / "parts.certificate.json.sig"
    assert la.verify(f"{folder}/parts/", signed_by=folder / "steward.pub").passed


def test_the_library_signs_and_verifies(folder: Path) -> None:
    written = la.sign(folder / "out.csv", folder / "steward")
    assert written == folder / SIGNATURE
    assert la.verify(folder / "out.csv", signed_by=folder / "steward.pub").passed
    written.unlink()
    verdict = la.verify(folder / "out.csv", signed_by=folder / "steward.pub")
    assert [finding.check for finding in verdict.findings if not finding.holds] == ["signature"]


@needs_ssh_keygen
def test_ssh_keygen_and_lookalike_accept_each_other(lookalike: Program, folder: Path) -> None:
    key = ssh_key(folder / "theirs")
    ssh_signed(key, folder / CERTIFICATE)
    ended = lookalike("verify", "out.csv", "--signed-by", "theirs.pub")
    assert ended.code == 0, ended.err
    assert "by steward@clinic, " in words(ended.out)
    assert lookalike("sign", "out.csv", "--key", "theirs", "--force").code == 0
    (folder / "allowed").write_text(f"steward {(folder / 'theirs.pub').read_text()}")
    content = (folder / CERTIFICATE).read_bytes()
    assert ssh_accepts(folder / "allowed", folder / SIGNATURE, content)
    assert not ssh_accepts(folder / "allowed", folder / SIGNATURE, content + b" ")
