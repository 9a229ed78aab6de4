"""The signature of a certificate: agreement with ssh-keygen, and every changed byte is refused."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from effort import THOROUGH
from ssh_program import NAMESPACE, needs_ssh_keygen, ssh_accepts, ssh_key, ssh_keygen, ssh_signed

from lookalike.errors import FileError
from lookalike.signatures.certificate_signature import (
    check_signature,
    check_text,
    sign_bytes,
    write_signature,
)
from lookalike.signatures.signers import read_signers
from lookalike.signatures.signing_key import read_signing_key, write_signing_key
from lookalike.signatures.sshsig import SshSignature, wire

NOW = datetime(2026, 7, 1, tzinfo=UTC)
MESSAGE = '{"format": "a certificate", "name": "Ärzte"}\n'.encode()


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    return write_signing_key(tmp_path_factory.mktemp("keys") / "steward")


@pytest.fixture(scope="module")
def signers(key):
    return read_signers(f"{key.public_line} the steward")


@pytest.fixture
def certificate(tmp_path):
    path = tmp_path / "out.csv.certificate.json"
    path.write_bytes(MESSAGE)
    return path


def test_a_signature_is_accepted_and_says_whose_it_is(key, signers, certificate):
    written = write_signature(certificate, MESSAGE, key, force=False)
    assert written.name == "out.csv.certificate.json.sig"
    finding = check_signature(certificate, MESSAGE, signers)
    assert finding.holds
    assert "by the steward, " in finding.sentence
    assert key.fingerprint in finding.sentence


def test_an_existing_signature_is_replaced_only_by_force(key, certificate):
    write_signature(certificate, MESSAGE, key, force=False)
    with pytest.raises(FileError, match="exists"):
        write_signature(certificate, MESSAGE, key, force=False)
    write_signature(certificate, MESSAGE, key, force=True)


def test_every_byte_of_the_signature_file_matters(key, signers):
    text = sign_bytes(MESSAGE, key).encode()
    assert check_text(text, MESSAGE, signers, NOW).holds
    changes = range(1, 256) if THOROUGH else [1 << bit for bit in range(8)]
    for place in range(len(text)):
        for change in changes:
            altered = bytearray(text)
            altered[place] ^= change
            finding = check_text(bytes(altered), MESSAGE, signers, NOW)
            assert not finding.holds, (place, change)
        dropped = text[:place] + text[place + 1 :]
        if place < len(text) - 1 and text[place : place + 1] != b"\n":
            assert not check_text(dropped, MESSAGE, signers, NOW).holds


def test_every_byte_of_the_certificate_matters(key, signers):
    text = sign_bytes(MESSAGE, key).encode()
    for place in range(len(MESSAGE)):
        altered = bytearray(MESSAGE)
        altered[place] ^= 1
        assert not check_text(text, bytes(altered), signers, NOW).holds
    assert not check_text(text, MESSAGE + b"\n", signers, NOW).holds
    assert not check_text(text, MESSAGE[:-1], signers, NOW).holds


def test_a_missing_signature_is_refused(signers, certificate):
    finding = check_signature(certificate, MESSAGE, signers)
    assert not finding.holds
    assert "out.csv.certificate.json.sig is missing" in finding.sentence


def test_another_key_is_refused_by_its_fingerprint(key, signers, tmp_path):
    other = write_signing_key(tmp_path / "other")
    finding = check_text(sign_bytes(MESSAGE, other).encode(), MESSAGE, signers, NOW)
    assert not finding.holds
    assert f"not among those given: {other.fingerprint}" in finding.sentence


def test_a_key_put_in_place_of_the_signers_is_refused(key, signers, tmp_path):
    """Another's signature that names the right key."""
    other = write_signing_key(tmp_path / "other")
    forged = SshSignature.read(sign_bytes(MESSAGE, other).encode())
    own = replace(forged, public_key=key.public_key)
    finding = check_text(own.text().encode(), MESSAGE, signers, NOW)
    assert not finding.holds
    assert "does not fit" in finding.sentence


def test_another_purpose_is_refused_even_if_validly_signed(key, signers):
    unsigned = SshSignature(key.public_key, b"git", b"", b"sha512", b"")
    signature = key.private.sign(unsigned.signed_bytes(MESSAGE))
    made = replace(unsigned, signature=wire(b"ssh-ed25519", signature))
    finding = check_text(made.text().encode(), MESSAGE, signers, NOW)
    assert not finding.holds
    assert "another purpose" in finding.sentence


@pytest.mark.parametrize("kind", ["ssh-rsa", "rsa-sha2-512", "sk-ssh-ed25519@openssh.com", ""])
def test_a_right_signature_under_another_name_is_refused(kind, key, signers):
    good = SshSignature.read(sign_bytes(MESSAGE, key).encode())
    value = good.signature[-64:]
    for wrong in (wire(kind.encode(), value), good.signature + b"\0", good.signature[:-1], b""):
        text = replace(good, signature=wrong).text().encode()
        assert not check_text(text, MESSAGE, signers, NOW).holds


@needs_ssh_keygen
def test_ssh_keygen_accepts_a_signature_of_lookalike(key, certificate, tmp_path):
    written = write_signature(certificate, MESSAGE, key, force=False)
    allowed = tmp_path / "allowed_signers"
    allowed.write_text(f'steward namespaces="{NAMESPACE}" {key.public_line}\n')
    assert ssh_accepts(allowed, written, MESSAGE)
    assert not ssh_accepts(allowed, written, MESSAGE + b" ")


@needs_ssh_keygen
@pytest.mark.parametrize("more", [(), ("-O", "hashalg=sha256"), ("-O", "hashalg=sha512")])
@pytest.mark.parametrize("length", [0, 1, 100_000])
def test_lookalike_accepts_a_signature_of_ssh_keygen(more, length, certificate, tmp_path):
    private, content = ssh_key(tmp_path / "steward"), b"x" * length
    certificate.write_bytes(content)
    ssh_signed(private, certificate, NAMESPACE, *more)
    signers = read_signers(Path(f"{private}.pub"))
    finding = check_signature(certificate, content, signers)
    assert finding.holds
    assert "by steward@clinic, " in finding.sentence
    assert not check_signature(certificate, content + b"x", signers).holds


@needs_ssh_keygen
def test_the_same_key_gives_the_same_signature_file_as_ssh_keygen(certificate, tmp_path):
    private = ssh_key(tmp_path / "steward")
    theirs = ssh_signed(private, certificate)
    assert theirs.read_text() == sign_bytes(MESSAGE, read_signing_key(private))


@needs_ssh_keygen
@pytest.mark.parametrize("kind", ["rsa", "ecdsa"])
def test_signatures_of_other_kinds_of_keys_are_refused(kind, signers, certificate, tmp_path):
    ssh_signed(ssh_key(tmp_path / "steward", kind), certificate)
    finding = check_signature(certificate, MESSAGE, signers)
    assert not finding.holds
    assert "Ed25519" in finding.sentence


@needs_ssh_keygen
def test_a_purpose_given_to_ssh_keygen_is_checked(certificate, tmp_path):
    private = ssh_key(tmp_path / "steward")
    ssh_signed(private, certificate, "file")
    assert not check_signature(certificate, MESSAGE, read_signers(Path(f"{private}.pub"))).holds


LINES = [  # of an allowed_signers file; KEY is the signer's, OTHER another's
    "steward KEY",
    "steward KEY a comment",
    '"steward" KEY',
    "# a comment\n\nother OTHER\nsteward KEY",
    "steward OTHER",
    f'steward namespaces="{NAMESPACE}" KEY',
    'steward namespaces="git" KEY',
    f'steward namespaces="git,{NAMESPACE}" KEY',
    'steward namespaces="lookalike-*" KEY',
    'steward namespaces="lookalike?certificate" KEY',
    f'steward namespaces="!{NAMESPACE},*" KEY',
    'steward namespaces="!git,*" KEY',
    'steward valid-after="20000101" KEY',
    'steward valid-after="29990101" KEY',
    'steward valid-before="20000101" KEY',
    'steward valid-before="29990101" KEY',
    'steward valid-after="200001010000Z",valid-before="20990101000000Z" KEY',
    f'steward namespaces="{NAMESPACE}",valid-before="20000101" KEY',
    'steward valid-before="20000101" KEY\nsteward KEY',
    "steward cert-authority KEY",
    "steward RSA\nsteward KEY",
]


@needs_ssh_keygen
def test_lookalike_and_ssh_keygen_agree_about_allowed_signers(key, certificate, tmp_path):
    other = write_signing_key(tmp_path / "other").public_line
    rsa = " ".join(Path(f"{ssh_key(tmp_path / 'rsa', 'rsa')}.pub").read_text().split()[:2])
    written = write_signature(certificate, MESSAGE, key, force=False)
    verdicts = []
    for line in LINES:
        allowed = tmp_path / "allowed_signers"
        text = line.replace("KEY", key.public_line).replace("OTHER", other).replace("RSA", rsa)
        allowed.write_text(text + "\n")
        theirs = ssh_accepts(allowed, written, MESSAGE)
        try:
            ours = check_signature(certificate, MESSAGE, read_signers(allowed)).holds
        except FileError:  # no key in it that can be used
            ours = False
        assert ours == theirs, line
        verdicts.append(ours)
    assert 5 < sum(verdicts) < len(LINES) - 4


@needs_ssh_keygen
def test_what_lookalike_accepts_ssh_keygen_accepts(key, signers, certificate, tmp_path):
    """Texts that differ in form only: lookalike may be stricter, never more lenient."""
    text = sign_bytes(MESSAGE, key)
    begin, *lines, end = text.splitlines()
    body = "".join(lines)
    allowed = tmp_path / "allowed_signers"
    allowed.write_text(f"steward {key.public_line}\n")
    forms = {
        "as written": text,
        "one line": f"{begin}\n{body}\n{end}\n",
        "no end of line": text.rstrip("\n"),
        "of Windows": text.replace("\n", "\r\n"),
        "with a blank line": text.replace(f"\n{end}", f"\n\n{end}"),
        "with text before": f"signature:\n{text}",
        "without its end": text.replace(end, ""),
        "twice": text + text,
    }
    accepted = set()
    for name, form in forms.items():
        written = tmp_path / "form.sig"
        written.write_bytes(form.encode())
        if check_text(form.encode(), MESSAGE, signers, NOW).holds:
            accepted.add(name)
            assert ssh_accepts(allowed, written, MESSAGE), name
    assert accepted == {"as written", "one line", "no end of line"}


@needs_ssh_keygen
def test_fingerprints_are_those_of_ssh_keygen(key, tmp_path):
    public = tmp_path / "steward.pub"
    public.write_text(key.public_line + "\n")
    assert key.fingerprint in ssh_keygen("-l", "-f", public).stdout.decode()
