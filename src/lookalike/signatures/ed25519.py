"""Ed25519 and the files of OpenSSH keys. All cryptography is that of the package ``cryptography``.

No message shows a key. Errors of the package are replaced, because they may quote what they read.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from lookalike.errors import Fault, FileError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

Passphrase = str | bytes | Callable[[], str | bytes] | None
NEEDS = 'install it: pip install "lookalike[sign]"'
OTHER_KEY = "create an Ed25519 key: lookalike sign --new-key FILE, or ssh-keygen -t ed25519"


def check_package() -> None:
    """FileError if the package ``cryptography`` is not installed."""
    try:
        import cryptography.hazmat.primitives.asymmetric.ed25519  # noqa: F401
    except ImportError:
        problem = "signatures need the package cryptography, which is not installed"
        raise FileError(Fault("signature", problem, NEEDS)) from None


def private_key(text: bytes, passphrase: Passphrase = None) -> Ed25519PrivateKey:
    """The key in an OpenSSH private key file. A passphrase is used only if the key has one."""
    check_package()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if b"PRIVATE KEY" not in text:
        problem = "its file is not a private key of OpenSSH"
        raise _fault(problem, "give the private key, not FILE.pub")
    key = _load(text, None)
    if key is None:  # it is encrypted
        key = _load(text, _given(passphrase))
    if not isinstance(key, Ed25519PrivateKey):
        raise _fault("it is not an Ed25519 key", OTHER_KEY)
    return key


def _load(text: bytes, passphrase: bytes | None) -> object | None:
    """The key, of any kind; None if it needs a passphrase."""
    from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_ssh_private_key

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about old kinds of keys, which are refused anyway
            return load_ssh_private_key(text, passphrase)
    except TypeError:
        return None
    except UnsupportedAlgorithm:
        if passphrase is not None and find_spec("bcrypt") is None:
            raise _fault("a key with a passphrase needs the package bcrypt", NEEDS) from None
        problem = "its kind, or the way it is encrypted, is not supported"
        raise _fault(problem, f"{OTHER_KEY}, with the default cipher (aes256-ctr)") from None
    except (ValueError, InvalidTag, NotImplementedError):
        if passphrase is not None:
            problem = "the passphrase is wrong, or its file is damaged"
            raise _fault(problem, "give the passphrase of this key") from None
        raise _fault("its file is not a private key of OpenSSH", OTHER_KEY) from None


def _given(passphrase: Passphrase) -> bytes:
    given = passphrase() if callable(passphrase) else passphrase
    if not given:
        fix = "give it: passphrase= in Python, --passphrase-file FILE or a terminal for the command"
        raise _fault("it is protected by a passphrase", fix)
    return given.encode() if isinstance(given, str) else given


def new_key_file(passphrase: str | bytes | None = None) -> bytes:
    """The text of a new private key's file; encrypted if there is a passphrase."""
    check_package()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        encryption = serialization.BestAvailableEncryption(_given(passphrase))
    return Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, encryption
    )


def public_line(key: Ed25519PrivateKey) -> str:
    """The public key as in a ``.pub`` file, without a comment."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode("ascii")


def is_public_line(line: str) -> bool:
    """Is ``ssh-ed25519 AAAA…`` an Ed25519 public key?"""
    check_package()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_ssh_public_key

    try:
        return isinstance(load_ssh_public_key(line.encode("ascii")), Ed25519PublicKey)
    except (ValueError, UnsupportedAlgorithm):
        return False


def is_valid(public: bytes, signature: bytes, message: bytes) -> bool:
    """Did the owner of this public key (32 bytes) sign the message?"""
    check_package()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _fault(problem: str, fix: str) -> FileError:
    return FileError(Fault("key", problem, fix))
