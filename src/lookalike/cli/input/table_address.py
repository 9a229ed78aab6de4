"""Addresses of tables in databases, as typed; messages show them without passwords.

An address is text and not a path, because a path would turn two slashes into one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus, urlsplit

from lookalike import api
from lookalike.registry import ADDRESSES

SECRETS = {"password", "sslpassword"}  # parameters of PostgreSQL
_URL = re.compile(r"[a-z][\w+.:-]+://", re.IGNORECASE)
_URL_AS_PATH = re.compile(r"[a-z][\w+.:-]+:/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """An address, valid or not: use ``check``. ``str`` gives the text without a password."""

    text: str = field(repr=False)

    def __str__(self) -> str:
        return self._shown()[0]

    @property
    def has_password(self) -> bool:
        """Whether ``str`` leaves something out."""
        return self._shown()[1]

    @property
    def name(self) -> str:
        """The name of the table, for messages."""
        return self.check().name

    @property
    def file(self) -> Path:
        """A path in the current folder, named after the table, for private files."""
        return Path(re.sub(r"[^\w.-]+", "_", self.name).strip("._-") or "table")

    def check(self) -> api.TableAddress:
        """The table that it names; TableError if it is wrong, or this computer lacks something."""
        api.check_scheme(self.text)
        address = api.parse_address(self.text)
        api.address_kind(self.text).check_computer()
        return address

    @property
    def _scheme(self) -> str:
        return self.text.partition(":")[0]

    def _shown(self) -> tuple[str, bool]:
        """The text without its password, and whether there was one; unclear addresses are cut."""
        scheme = self._scheme
        if has_scheme(self.text) and not ADDRESSES.load(scheme.lower()).has_password:
            return self.text, False
        try:
            parts = urlsplit(self.text)
        except ValueError:
            return f"{scheme}://…", True
        who, at, host = parts.netloc.rpartition("@")
        if ":" in parts.netloc and "@" in parts.path + parts.query + parts.fragment:
            return f"{scheme}://…", True  # a password with a / in it would be cut in two
        user, colon, _ = who.partition(":")
        query = parts.query.split("&")
        shown = [one for one in query if unquote_plus(one.partition("=")[0]).lower() not in SECRETS]
        question = f"?{'&'.join(shown)}" if shown else ""
        plain = f"{scheme}://{user}{at}{host}{parts.path}{question}"
        return plain, bool(colon) or shown != query


if TYPE_CHECKING:
    Location = Path | Address
else:
    Location = type("path or address", (), {})  # typer knows no unions; this name is in the help


def parse_location(typed: str) -> Path | Address:
    return Address(typed) if _URL.match(typed) or has_scheme(typed) else Path(typed)


def has_scheme(typed: str) -> bool:
    """Does it begin with a scheme that is known?"""
    scheme, colon, _ = typed.partition(":")
    return bool(colon) and scheme.lower() in ADDRESSES


def as_argument(location: Path | Address) -> Path | str:
    """The location as the library takes it."""
    return location.text if isinstance(location, Address) else location


def open_location(location: Path | Address) -> api.Table:

    if isinstance(location, Address):
        location.check()
    return api.open_table(as_argument(location))


def looks_like_address(path: Path) -> bool:
    """Whether an address was typed where a file is needed."""
    typed = path.as_posix()
    return _URL_AS_PATH.match(typed) is not None or has_scheme(typed)


def without_passwords(text: str) -> str:
    """For messages of other packages that quote what was typed."""
    text = re.sub(r"(://[^\s:/@?'\"]*):.*@", r"\1@", text)
    return re.sub(r"([?&](?:ssl)?password=)[^&\n]*", r"\1…", text, flags=re.IGNORECASE)
