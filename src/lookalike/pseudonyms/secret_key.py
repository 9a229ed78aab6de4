"""The secret key that pseudonyms are made with: where it is, and what is too weak to be one.

Neither a key nor the name that was given for its file is ever shown: who mistakes the one for the
other would find the key in an error message.
"""

from __future__ import annotations

import os
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path

from lookalike.errors import Fault, FileError, PolicyError
from lookalike.policy.policy import Policy

BYTES = 32  # of a new key
SHORTEST = 16  # bytes that are accepted
LONGEST = 4096  # characters of a key file: what is longer is something else
MAKE = "make one with lookalike key FILE"


@dataclass(frozen=True, slots=True)
class Key:
    """Bytes that nobody sees."""

    secret: bytes = field(repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a key is not to be copied to a file")


KeyGiven = bytes | str | os.PathLike[str] | Key | None


def read_key(given: KeyGiven | object) -> Key | None:
    """The key itself as bytes, or from the file that holds it in hexadecimal digits."""
    if given is None or isinstance(given, Key):
        return given
    if isinstance(given, bytes | bytearray):
        return _long_enough(bytes(given))
    if not isinstance(given, str | os.PathLike):
        problem = f"{type(given).__name__} is no key"
        raise PolicyError(Fault("key", problem, "give bytes, or the path of a key file"))
    return _long_enough(_in_hex(_text(given)))


def needed_key(policy: Policy, given: KeyGiven) -> Key | None:
    """The key, which a policy with pseudonyms cannot do without."""
    key = read_key(given)
    if policy.pseudonyms and key is None:
        problem = f"{', '.join(policy.pseudonyms)} cannot be made without a key"
        fix = f"give it with --key FILE, or key= in Python; {MAKE}"
        raise PolicyError(Fault("pseudonyms", problem, fix))
    return key


def write_key(path: Path) -> None:
    """A new key in a new file, for its owner alone. An existing file is never written over."""
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        problem = "the file exists, and a key that is lost joins nothing any more"
        raise FileError(Fault(path.name, problem, "choose another name")) from None
    except OSError as error:
        problem = f"it cannot be written ({error.strerror})"
        raise FileError(Fault(path.name or str(path), problem, "choose another folder")) from None
    with os.fdopen(made, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(BYTES) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _text(given: str | os.PathLike[str]) -> str:
    """What the file says, if nobody else can read it."""
    try:
        with Path(given).open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(LONGEST + 1)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        reason = error.strerror if isinstance(error, OSError) else "no path"
        fix = f"give the path of a key file, not the key itself; {MAKE}"
        raise PolicyError(Fault("key", f"its file cannot be read ({reason})", fix)) from None
    if os.name == "posix" and stat.S_IMODE(mode) & 0o007:
        fix = "take their rights away: chmod o-rwx FILE; if others saw it, make a new key"
        raise PolicyError(Fault("key", "its file is open to everybody on this machine", fix))
    return text.decode("ascii", "replace").strip()


def _in_hex(text: str) -> bytes:
    try:
        if len(text) > LONGEST:
            raise ValueError
        return bytes.fromhex(text)
    except ValueError:
        problem = "its file does not hold hexadecimal digits"
        raise PolicyError(Fault("key", problem, f"give a key file; {MAKE}")) from None


def _long_enough(secret: bytes) -> Key:
    if len(secret) < SHORTEST:
        problem = f"it has {len(secret)} bytes, and fewer than {SHORTEST} can be guessed"
        raise PolicyError(Fault("key", problem, MAKE))
    return Key(secret)
