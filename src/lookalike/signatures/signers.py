"""Whose signatures are accepted: a public key, or the people in an ``allowed_signers`` file.

A line is a public key (``ssh-ed25519 AAAA… comment``), or people, options and a public key, as
ssh-keygen(1) describes under ALLOWED SIGNERS. Keys of other kinds are skipped, because such a file
may list them for other uses. An option that is not known is a fault: it may be a restriction.
"""

from __future__ import annotations

import base64
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lookalike.errors import Fault, FileError
from lookalike.signatures import ed25519

MAX_FILE_BYTES = 1_048_576
WHERE = "signed-by"
TYPE = r"(?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[\w@.-]+"
KEY = rf"(?P<type>{TYPE})\s+(?P<key>AAAA[A-Za-z0-9+/]+={{0,2}})(?:\s+(?P<comment>.*))?"
OPTION = r'(?P<name>[A-Za-z-]+)(?:="(?P<value>[^"]*)")?'
OPTIONS = r'[A-Za-z-]+(?:="[^"]*")?(?:,[A-Za-z-]+(?:="[^"]*")?)*'
KEY_LINE = re.compile(KEY)
PEOPLE = r'(?:"(?P<quoted>[^"]+)"|(?P<plain>\S+))'
SIGNER_LINE = re.compile(rf"{PEOPLE}\s+(?:(?P<options>{OPTIONS})\s+)?{KEY}")
TIME = re.compile(r"(\d{8})(?:(\d{4})(\d\d)?)?(Z?)")
NOT_A_TIME = "a time is not written YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with Z for UTC"
FIX = "give an Ed25519 public key (ssh-ed25519 AAAA…), its file, or an allowed_signers file"


@dataclass(frozen=True, slots=True)
class Signer:
    """A public key whose signatures are accepted, and within which limits."""

    name: str  # people, or the comment of the key
    public_key: bytes  # in SSH's wire format
    namespaces: tuple[str, ...] = ()  # patterns; empty for all
    valid_after: datetime | None = None
    valid_before: datetime | None = None

    def why_not(self, namespace: str, now: datetime) -> str:
        """Why signatures of this key are not accepted, as a clause; empty if they are."""
        if self.namespaces and not _matches(self.namespaces, namespace):
            return f"may not sign for {namespace}"
        if self.valid_after is not None and now < self.valid_after:
            return "is not valid yet"
        if self.valid_before is not None and now > self.valid_before:
            return "is no longer valid"
        return ""


SignersGiven = str | os.PathLike[str]


def read_signers(given: SignersGiven | object) -> tuple[Signer, ...]:
    """The signers in a key's text, a public key file or an ``allowed_signers`` file.

    What was given is never shown: it could be a private key.
    """
    ed25519.check_package()
    if not isinstance(given, str | os.PathLike):
        raise FileError(Fault(WHERE, f"{type(given).__name__} is not a public key", FIX))
    is_text = isinstance(given, str) and ("\n" in given or re.search(rf"{TYPE}\s+AAAA", given))
    text = str(given) if is_text else _file_text(given)
    if "PRIVATE KEY" in text:
        raise FileError(Fault(WHERE, "this is a private key, which nobody else may see", FIX))
    lines = [line.strip() for line in text.splitlines()]
    signers: list[Signer] = []
    faults: list[Fault] = []
    others: set[str] = set()
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        try:
            signers.append(_signer(line))
        except OtherKind as skipped:
            others.add(str(skipped))
        except ValueError as error:
            faults.append(Fault(f"{WHERE}, line {number}", str(error), FIX))
    if not signers and not faults:
        kinds = f"; found {', '.join(sorted(others))}" if others else ""
        faults.append(Fault(WHERE, f"there is no Ed25519 public key in it{kinds}", FIX))
    if faults:
        raise FileError(faults)
    return tuple(signers)


class OtherKind(Exception):
    """A key that cannot be used here, but may be listed."""


def _signer(line: str) -> Signer:
    """The signer in a line; a ValueError says what is wrong."""
    found = KEY_LINE.fullmatch(line)
    options: dict[str, str | None] = {}
    if found is not None:
        name = found["comment"] or ""
    else:
        found = SIGNER_LINE.fullmatch(line)
        if found is None:
            raise ValueError("this is neither a public key nor a line of an allowed_signers file")
        name = found["quoted"] or found["plain"]
        listed = re.finditer(OPTION, found["options"] or "")
        options = {option["name"].lower(): option["value"] for option in listed}
    if unknown := options.keys() - {"cert-authority", "namespaces", "valid-after", "valid-before"}:
        raise ValueError(f"the option {', '.join(sorted(unknown))} is not known here")
    if "cert-authority" in options or found["type"] != "ssh-ed25519":
        raise OtherKind("cert-authority" if "cert-authority" in options else found["type"])
    if not ed25519.is_public_line(f"{found['type']} {found['key']}"):
        raise ValueError("the public key is damaged")
    return Signer(
        name,
        base64.b64decode(found["key"]),
        tuple((options["namespaces"] or "").split(",")) if "namespaces" in options else (),
        _time(options["valid-after"]) if "valid-after" in options else None,
        _time(options["valid-before"]) if "valid-before" in options else None,
    )


def _file_text(given: object) -> str:
    try:
        with Path(str(given)).open("rb") as file:
            return file.read(MAX_FILE_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise FileError(Fault(WHERE, f"this file cannot be read ({reason})", FIX)) from None


def _matches(patterns: tuple[str, ...], namespace: str) -> bool:
    """As OpenSSH matches a list of patterns: ``*`` and ``?``, and ``!`` before one excludes."""

    def fits(pattern: str) -> bool:
        parts = (".*" if x == "*" else "." if x == "?" else re.escape(x) for x in pattern)
        return re.fullmatch("".join(parts), namespace) is not None

    excluded = any(fits(pattern[1:]) for pattern in patterns if pattern.startswith("!"))
    return not excluded and any(fits(pattern) for pattern in patterns if pattern[:1] != "!")


def _time(text: str | None) -> datetime:
    """A time of an allowed_signers file: local time, or UTC if it ends in Z."""
    found = TIME.fullmatch(text or "")
    if found is None:
        raise ValueError(NOT_A_TIME)
    day, minutes, seconds, utc = found.groups(default="")
    try:
        moment = datetime.strptime(day + (minutes or "0000") + (seconds or "00"), "%Y%m%d%H%M%S")
    except ValueError:
        raise ValueError(NOT_A_TIME) from None
    return moment.replace(tzinfo=UTC) if utc else moment.astimezone()
