"""A table that is no file, as typed, and what of its address may be shown: never a password.

A path would make one slash of two, so that an address stays text, and apart from paths.
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
SECRETS = {"password", "sslpassword"}  # of what PostgreSQL reads after the question mark
_ADDRESS = re.compile(r"(postgres|postgresql|spark|duckdb):|[a-z][\w+.:-]+://", re.IGNORECASE)
_AS_PATH = re.compile(r"(postgres|postgresql|spark|duckdb):|[a-z][\w+.:-]+:/", re.IGNORECASE)
_SPARK = re.compile("spark:", re.IGNORECASE)
_WITHOUT_PASSWORDS = re.compile("(spark|duckdb):", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """Known or not: ``check`` tells. As text it is what may be shown."""

    text: str = field(repr=False)

    def __str__(self) -> str:
        return self._shown()[0]

    @property
    def has_password(self) -> bool:
        """Has it something that is not shown?"""
        return self._shown()[1]

    @property
    def name(self) -> str:
        """The table's, for messages."""
        return self.check().name

    @property
    def file(self) -> Path:
        """In the current folder, called after the table: what private files lie beside."""
        return Path(re.sub(r"[^\w.-]+", "_", self.name).strip("._-") or "table")

    def check(self) -> Target:
        """The table that it names, or what is wrong with it, or with this computer."""
        from lookalike.tables.remote_tables import is_elsewhere, target

        if not is_elsewhere(self.text):
            scheme = self.text.partition(":")[0]
            raise TableError(Fault(scheme, "this is no address of a table", ACCEPTED))
        found = target(self.text)
        if _SPARK.match(self.text):
            _check_java()
        return found

    def _shown(self) -> tuple[str, bool]:
        """Without the password, and whether there was one; of what is odd, next to nothing."""
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
        asked = parts.query.split("&")
        told = [one for one in asked if unquote_plus(one.partition("=")[0]).lower() not in SECRETS]
        query = f"?{'&'.join(told)}" if told else ""
        plain = f"{scheme}://{user}{at}{host}{parts.path}{query}"
        return plain, bool(colon) or told != asked


if TYPE_CHECKING:
    Location = Path | Address
else:
    Location = type("path or address", (), {})  # typer knows no unions; help calls it so


def parse_location(typed: str) -> Path | Address:
    return Address(typed) if _ADDRESS.match(typed) else Path(typed)


def as_argument(found: Path | Address) -> Path | str:
    """As the library takes it."""
    return found.text if isinstance(found, Address) else found


def open_location(found: Path | Address) -> Table:
    from lookalike.tables.open import open_table

    if isinstance(found, Address):
        found.check()
    return open_table(as_argument(found))


def looks_like_address(path: Path) -> bool:
    """Was an address typed where only a file will do?"""
    return _AS_PATH.match(path.as_posix()) is not None


def without_passwords(text: str) -> str:
    """For messages that quote what was typed, and are not ours."""
    text = re.sub(r"(://[^\s:/@?'\"]*):.*@", r"\1@", text)
    return re.sub(r"([?&](?:ssl)?password=)[^&\n]*", r"\1…", text, flags=re.IGNORECASE)


def _check_java() -> None:
    if "SPARK_REMOTE" in os.environ or "JAVA_HOME" in os.environ or shutil.which("java"):
        return
    fix = "install Java 17 or later, or name a Spark server in SPARK_REMOTE"
    raise TableError(Fault("spark", "Spark needs Java, which is not installed", fix))
