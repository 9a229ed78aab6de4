"""What ``lookalike serve`` was told: where projects lie, who may come in, how much may be sent."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lookalike.errors import Fault, FileError, PolicyError

UPLOAD = 2_000_000_000  # bytes of one request
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
ALONE = "me"  # the one user, if none was named


@dataclass(frozen=True, slots=True)
class Settings:
    """One server. A token is a user's way in; nobody sees the projects of another."""

    folder: Path  # everything is written below it
    port: int
    host: str = "127.0.0.1"
    users: Mapping[str, str] = field(default_factory=dict, repr=False)  # token to name
    data: Path | None = None  # a folder whose tables may be opened without being sent
    upload: int = UPLOAD
    key: Path | None = None  # the file of the secret key, for policies with pseudonyms
    ledger: Path | None = None  # a folder; candidates are compared with it and not entered

    @property
    def address(self) -> str:
        return f"http://{self.authority}"

    @property
    def authority(self) -> str:
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """What a browser may call this server; any other name is a trick."""
        names = {self.authority}
        if self.host == "127.0.0.1":
            names.add(f"localhost:{self.port}")
        return frozenset(names)

    @property
    def cookie(self) -> str:
        """Cookies do not know ports: two servers of one machine must not mix theirs up."""
        return f"lookalike_{self.port}"

    def entrance(self, token: str) -> str:
        """The link that lets a user in."""
        return f"{self.address}/?token={token}"


def settle(
    folder: Path,
    port: int,
    host: str = "127.0.0.1",
    users: Sequence[str] = (),
    data: Path | None = None,
    upload: int = UPLOAD,
    key: Path | None = None,
    ledger: Path | None = None,
) -> Settings:
    """Check what was told, make the folder, and draw a token for every user."""
    names = tuple(users) or (ALONE,)
    found = [
        Fault(f"--user {name}", "not a name", "use letters, digits, - and _, 40 at the most")
        for name in names
        if not NAME.fullmatch(name)
    ]
    if len({name.lower() for name in names}) < len(names):
        found.append(Fault("--user", "a name is given twice", "name every user once"))
    if data is not None and not data.is_dir():
        found.append(Fault("--data", "there is no such folder", "name a folder with tables in it"))
    if upload <= 0:
        found.append(Fault("--upload", "not a size above 0", "use --upload 2GB"))
    if found:
        raise PolicyError(found)
    try:
        for one in (folder, folder / TEMPORARY, *(folder / name for name in names)):
            one.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        problem = f"it cannot be made a private folder ({error.strerror})"
        raise FileError(Fault(str(folder), problem, "name a folder of your own")) from None
    tokens = {secrets.token_urlsafe(32): name for name in names}
    resolved = data.resolve() if data is not None else None
    return Settings(
        folder.resolve(), port, host, tokens, resolved, upload,
        key.resolve() if key else None, ledger.resolve() if ledger else None,
    )  # fmt: skip


TEMPORARY = ".temporary"  # what is being sent, or does not fit in memory
