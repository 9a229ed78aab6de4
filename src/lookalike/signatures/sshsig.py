"""An SSH signature (SSHSIG) as bytes and as text, as OpenSSH's PROTOCOL.sshsig describes it.

``ssh-keygen -Y sign`` writes it and ``ssh-keygen -Y verify`` reads it. Here is only the envelope;
the signature itself is made and checked by ``ed25519.py``. The reader is strict: it accepts no byte
that has no meaning, so no byte of a signature file can be changed unnoticed.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass

MAGIC = b"SSHSIG"
VERSION = (1).to_bytes(4, "big")
HASHES = {b"sha256": hashlib.sha256, b"sha512": hashlib.sha512}
NEW_HASH = b"sha512"  # as ssh-keygen does
BEGIN, END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
LINE_LENGTH = 70  # as ssh-keygen does
ARMOR = re.compile(
    rb"-----BEGIN SSH SIGNATURE-----\n"
    rb"((?:[A-Za-z0-9+/=]+\n)+)"
    rb"-----END SSH SIGNATURE-----\n?"
)


@dataclass(frozen=True, slots=True)
class SshSignature:
    """The parts of an SSH signature. A ValueError of ``read`` says what is wrong, as a clause."""

    public_key: bytes  # in SSH's wire format, with its type
    namespace: bytes  # what the signature is for
    reserved: bytes
    hash_name: bytes
    signature: bytes  # in the wire format too, with its type

    def signed_bytes(self, message: bytes) -> bytes:
        """What the key signs: not the message, but its hash together with the namespace."""
        digest = HASHES[self.hash_name](message).digest()
        return MAGIC + wire(self.namespace, self.reserved, self.hash_name, digest)

    def text(self) -> str:
        """The text of the signature's file."""
        parts = self.public_key, self.namespace, self.reserved, self.hash_name, self.signature
        encoded = base64.b64encode(MAGIC + VERSION + wire(*parts)).decode("ascii")
        starts = range(0, len(encoded), LINE_LENGTH)
        lines = [encoded[start : start + LINE_LENGTH] for start in starts]
        return "\n".join([BEGIN, *lines, END, ""])

    @staticmethod
    def read(text: bytes) -> SshSignature:
        """The signature in a file."""
        content = _without_armor(text)
        head = MAGIC + VERSION
        if not content.startswith(head):
            raise ValueError("it is not an SSH signature of version 1")
        signature = SshSignature(*unwire(content[len(head) :], 5))
        if signature.hash_name not in HASHES:
            raise ValueError("its hash is neither sha256 nor sha512")
        return signature


def wire(*parts: bytes) -> bytes:
    """Strings in SSH's wire format: each after its length in four bytes."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def unwire(content: bytes, count: int) -> list[bytes]:
    """The strings in SSH's wire format: exactly this number of them, and nothing after them."""
    parts = []
    for _ in range(count):
        start = 4 + int.from_bytes(content[:4], "big")
        if len(content) < start:
            raise ValueError("it is cut off")
        parts.append(content[4:start])
        content = content[start:]
    if content:
        raise ValueError("something follows after its end")
    return parts


def _without_armor(text: bytes) -> bytes:
    """The bytes between the BEGIN and END lines."""
    armored = ARMOR.fullmatch(text)
    if armored is None:
        raise ValueError("it is not the text of an SSH signature")
    encoded = b"".join(armored[1].split())
    try:
        content = base64.b64decode(encoded, validate=True)
    except ValueError:
        content = b""
    if base64.b64encode(content) != encoded:  # other texts can have the same bytes
        raise ValueError("it is not valid base64")
    return content
