"""The private key that signs: read it from an OpenSSH key file, or create a new one.

Neither the key nor the path given for its file is ever shown. If somebody gave the key in place of
the path, an error message would reveal it.
"""

from __future__ import annotations

import base64
import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.errors import Fault, FileError
from lookalike.key_files import KeyFile, create_key_file
from lookalike.signatures import ed25519
from lookalike.signatures.ed25519 import Passphrase
from lookalike.tables.files.atomic_write import atomic_write

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

MAX_FILE_BYTES = 65_536  # a longer file is something else
PUBLIC = ".pub"


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key; it is never shown."""

    private: Ed25519PrivateKey = field(repr=False)

    @property
    def public_line(self) -> str:
        """The public key as others need it: ``ssh-ed25519 AAAA…``."""
        return ed25519.public_line(self.private)

    @property
    def public_key(self) -> bytes:
        """The public key in SSH's wire format."""
        return base64.b64decode(self.public_line.split()[1])

    @property
    def fingerprint(self) -> str:
        """As ``ssh-keygen -l`` shows it."""
        return fingerprint(self.public_key)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a key must not be copied to a file")


SigningKeyGiven = str | os.PathLike[str] | SigningKey


def fingerprint(public_key: bytes) -> str:
    """The SHA-256 of a public key, as ``ssh-keygen -l`` shows it."""
    digest = base64.b64encode(hashlib.sha256(public_key).digest()).decode("ascii")
    return f"SHA256:{digest.rstrip('=')}"


def read_signing_key(given: SigningKeyGiven | object, passphrase: Passphrase = None) -> SigningKey:
    """The key in an OpenSSH private key file that only its owner can read."""
    if isinstance(given, SigningKey):
        return given
    if not isinstance(given, str | os.PathLike):
        problem = f"{type(given).__name__} is not a key"
        raise FileError(Fault("key", problem, "give the path of an OpenSSH private key"))
    return SigningKey(ed25519.private_key(_private_text(given), passphrase))


def write_signing_key(path: Path, passphrase: str | bytes | None = None) -> SigningKey:
    """Write a new key to two new files: the private key, and beside it ``FILE.pub``.

    Only their owner can read them. Files are never overwritten.
    """
    text = ed25519.new_key_file(passphrase)
    key = SigningKey(ed25519.private_key(text, passphrase))
    public = path.with_name(path.name + PUBLIC) if path.name else path
    if os.path.lexists(public):
        raise FileError(Fault(public.name or str(path), "the file exists", "choose another name"))
    create_key_file(path, text, "the file exists, and a key is never replaced")
    with atomic_write(public) as temporary:
        temporary.write_text(key.public_line + "\n", encoding="ascii")
    return key


def read_passphrase(path: Path) -> str:
    """The passphrase: the first line of a file that only its owner can read."""
    lines = _private_text(path, "passphrase").decode("utf-8", "replace").splitlines()
    if not lines or not lines[0]:
        problem = "the first line of its file is empty"
        raise FileError(Fault("passphrase", problem, "write the passphrase in the first line"))
    return lines[0]


def _private_text(given: str | os.PathLike[str], what: str = "key") -> bytes:
    """The content of the file, if other users of the machine cannot read it."""
    try:
        file = KeyFile.read(given, MAX_FILE_BYTES)
    except ValueError as reason:
        fix = f"give the path of its file, not the {what} itself"
        raise FileError(Fault(what, f"its file cannot be read ({reason})", fix)) from None
    if file.rights:  # OpenSSH refuses the same
        fix = "remove their rights: chmod 600 FILE; if others saw it, use a new one"
        raise FileError(Fault(what, "other users of this machine can read its file", fix))
    return file.content
