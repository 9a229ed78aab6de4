"""Addresses of tables in databases, as typed; messages show them without passwords.

An address is text and not a path, because a path would turn two slashes into one.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus, urlsplit

from lookalike.errors import Fault, TableError

if TYPE_CHECKING:
    from lookalike.tables.remote_tables import Target
    from lookalike.tables.table import Table

ACCEPTED = (
    "name a file, duckdb:file.duckdb?table=name, postgresql://host/database?table=schema.name or "
    "spark:catalog.table"
)
SECRETS = {"password", "sslpassword"}  # parameters of PostgreSQL
_ADDRESS = re.compile(r"(postgres|postgresql|spark|duckdb):|[a-z][\w+.:-]+://", re.IGNORECASE)
_AS_PATH = re.compile(r"(postgres|postgresql|spark|duckdb):|[a-z][\w+.:-]+:/", re.IGNORECASE)
_SPARK = re.compile("spark:", re.IGNORECASE)
_WITHOUT_PASSWORDS = re.compile("(spark|duckdb):", re.IGNORECASE)


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

    def check(self) -> Target:
        """The table that it names; TableError if the address is wrong or Java is missing."""
        from lookalike.tables.remote_tables import is_elsewhere, target

        if not is_elsewhere(self.text):
            scheme = self.text.partition(":")[0]
            raise TableError(Fault(scheme, "this is not the address of a table", ACCEPTED))
        table = target(self.text)
        if _SPARK.match(self.text):
            _check_java()
        return table

    def _shown(self) -> tuple[str, bool]:
        """The text without its password, and whether there was one; unclear addresses are cut."""
        scheme = self.text.partition(":")[0]
        if _WITHOUT_PASSWORDS.match(self.text):
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
    return Address(typed) if _ADDRESS.match(typed) else Path(typed)


def as_argument(location: Path | Address) -> Path | str:
    """The location as the library takes it."""
    return location.text if isinstance(location, Address) else location


def open_location(location: Path | Address) -> Table:
    from lookalike.tables.open import open_table

    if isinstance(location, Address):
        location.check()
    return open_table(as_argument(location))


def looks_like_address(path: Path) -> bool:
    """Whether an address was typed where a file is needed."""
    return _AS_PATH.match(path.as_posix()) is not None


def without_passwords(text: str) -> str:
    """For messages of other packages that quote what was typed."""
    text = re.sub(r"(://[^\s:/@?'\"]*):.*@", r"\1@", text)
    return re.sub(r"([?&](?:ssl)?password=)[^&\n]*", r"\1…", text, flags=re.IGNORECASE)


def _check_java() -> None:
    if "SPARK_REMOTE" in os.environ or "JAVA_HOME" in os.environ or shutil.which("java"):
        return
    fix = "install Java 17 or later, or name a Spark server in SPARK_REMOTE"
    raise TableError(Fault("spark", "Spark needs Java, which is not installed", fix))
