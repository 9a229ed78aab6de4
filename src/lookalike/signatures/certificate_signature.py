"""The signature of a certificate: made over the bytes of its file, written beside it, and checked.

The certificate has the digest of the released rows, so its signature covers the table too.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from lookalike.errors import Fault, FileError
from lookalike.signatures import ed25519
from lookalike.signatures.signers import Signer
from lookalike.signatures.signing_key import SigningKey, fingerprint
from lookalike.signatures.sshsig import NEW_HASH, SshSignature, unwire, wire
from lookalike.tables.files.atomic_write import atomic_write
from lookalike.verifier.finding import Finding

NAMESPACE = "lookalike-certificate"  # a signature for another purpose is not accepted
KEY_TYPE = b"ssh-ed25519"
MAX_FILE_BYTES = 65_536
FIX = "do not rely on this certificate; ask the data holder for the signed one"


def signature_path(certificate: Path) -> Path:
    """Where the signature of a certificate is, as ``ssh-keygen -Y sign`` names it."""
    return certificate.with_name(certificate.name + ".sig")


def sign_bytes(certificate: bytes, key: SigningKey) -> str:
    """The text of the signature's file."""
    unsigned = SshSignature(key.public_key, NAMESPACE.encode(), b"", NEW_HASH, b"")
    signature = key.private.sign(unsigned.signed_bytes(certificate))
    return replace(unsigned, signature=wire(KEY_TYPE, signature)).text()


def write_signature(path: Path, certificate: bytes, key: SigningKey, *, force: bool) -> Path:
    """Sign the bytes of a certificate's file, and write the signature beside it."""
    target = signature_path(path)
    with atomic_write(target, force) as temporary:
        temporary.write_text(sign_bytes(certificate, key), encoding="ascii", newline="\n")
    return target


def check_signature(
    path: Path, certificate: bytes, signers: tuple[Signer, ...], now: datetime | None = None
) -> Finding:
    """Is there a signature of these bytes by one of the signers, and by whom?"""
    target = signature_path(path)
    try:
        with target.open("rb") as file:
            text = file.read(MAX_FILE_BYTES)
    except FileNotFoundError:
        return _refused(f"The certificate is not signed: {target.name} is missing.")
    except OSError as error:
        problem = f"it cannot be read ({error.strerror})"
        raise FileError(Fault(target.name, problem, "check its rights")) from None
    return check_text(text, certificate, signers, now or datetime.now(UTC))


def check_text(
    text: bytes, certificate: bytes, signers: tuple[Signer, ...], now: datetime
) -> Finding:
    """The same, for the text of a signature's file."""
    try:
        signature = SshSignature.read(text)
    except ValueError as error:
        return _refused(f"The signature's file is damaged or of another kind: {error}.")
    shown = fingerprint(signature.public_key)
    listed = [signer for signer in signers if signer.public_key == signature.public_key]
    reasons = {signer.why_not(NAMESPACE, now) for signer in listed}
    if not signature.public_key.startswith(wire(KEY_TYPE)):
        problem = "was not made with an Ed25519 key (ssh-ed25519)"
    elif signature.namespace != NAMESPACE.encode():
        problem = f"is for another purpose: its namespace is not {NAMESPACE}"
    elif not listed:
        problem = f"is by a key that is not among those given: {shown}"
    elif "" not in reasons:
        problem = f"is by a key that {' and '.join(sorted(reasons))}: {shown}"
    elif not _is_valid(signature, certificate):
        problem = "does not fit the certificate: one of them was changed afterwards"
    else:
        names = [signer.name for signer in listed if not signer.why_not(NAMESPACE, now)]
        return _accepted([name for name in dict.fromkeys(names) if name], shown)
    return _refused(f"The signature {problem}.")


def _is_valid(signature: SshSignature, certificate: bytes) -> bool:
    try:
        _, public = unwire(signature.public_key, 2)
        kind, value = unwire(signature.signature, 2)
    except ValueError:
        return False
    signed = signature.signed_bytes(certificate)
    return kind == KEY_TYPE and ed25519.is_valid(public, value, signed)


def _accepted(names: list[str], key: str) -> Finding:
    who = f"by {', '.join(names)}, " if names else ""
    return Finding("signature", True, f"The certificate was signed {who}with the key {key}.", FIX)


def _refused(sentence: str) -> Finding:
    return Finding("signature", False, sentence, FIX)
