"""The secret key of pseudonyms: read it from a file, check its strength, and create a new one.

Neither the key nor the path given for its file is ever shown. If somebody gave the key in place of
the path, an error message would reveal it.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from lookalike.errors import Fault, PolicyError
from lookalike.policy.policy import Policy

NEW_BYTES = 32  # of a new key
MIN_BYTES = 16  # of a key that is accepted
MAX_CHARACTERS = 4096  # of a key file; a longer file is something else
MAKE = "create one with lookalike key FILE"


@dataclass(frozen=True, slots=True)
class Key:
    """A secret key; its bytes are never shown."""

    secret: bytes = field(repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a key must not be copied to a file")


KeyGiven = bytes | str | os.PathLike[str] | Key | None


def read_key(given: KeyGiven | object) -> Key | None:
    """The key, from its bytes or from a file that has it in hexadecimal digits."""
    if given is None or isinstance(given, Key):
        return given
    if isinstance(given, bytes | bytearray):
        return _long_enough(bytes(given))
    if not isinstance(given, str | os.PathLike):
        problem = f"{type(given).__name__} is not a key"
        raise PolicyError(Fault("key", problem, "give bytes, or the path of a key file"))
    return _long_enough(_in_hex(_text(given)))


def needed_key(policy: Policy, given: KeyGiven) -> Key | None:
    """The key; a policy with pseudonyms must have one."""
    key = read_key(given)
    if policy.pseudonyms and key is None:
        problem = f"a key is needed for {', '.join(policy.pseudonyms)}"
        fix = f"give one with --key FILE, or key= in Python; {MAKE}"
        raise PolicyError(Fault("pseudonyms", problem, fix))
    return key


def write_key(path: Path) -> None:
    """Write a new key to a new file that only its owner can read. Files are never overwritten."""
    from lookalike.key_files import create_key_file  # late: only few runs have a key

    problem = "the file exists, and losing its key would break all existing joins"
    create_key_file(path, f"{secrets.token_hex(NEW_BYTES)}\n".encode("ascii"), problem)


def _text(given: str | os.PathLike[str]) -> str:
    """The content of the file, if other users of the machine cannot read it."""
    from lookalike.key_files import KeyFile

    try:
        file = KeyFile.read(given, MAX_CHARACTERS + 1)
    except ValueError as reason:
        fix = f"give the path of a key file, not the key itself; {MAKE}"
        raise PolicyError(Fault("key", f"its file cannot be read ({reason})", fix)) from None
    if file.rights & 0o007:
        fix = "remove their rights: chmod o-rwx FILE; if others saw it, create a new key"
        raise PolicyError(Fault("key", "everybody on this machine can read its file", fix))
    return file.content.decode("ascii", "replace").strip()


def _in_hex(text: str) -> bytes:
    try:
        if len(text) > MAX_CHARACTERS:
            raise ValueError
        return bytes.fromhex(text)
    except ValueError:
        problem = "its file does not hold hexadecimal digits"
        raise PolicyError(Fault("key", problem, f"give a key file; {MAKE}")) from None


def _long_enough(secret: bytes) -> Key:
    if len(secret) < MIN_BYTES:
        problem = f"it has {len(secret)} bytes; fewer than {MIN_BYTES} can be guessed"
        raise PolicyError(Fault("key", problem, MAKE))
    return Key(secret)
