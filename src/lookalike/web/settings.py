"""The settings of ``lookalike serve``: the folder of projects, the users, the upload limit."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lookalike.errors import Fault, FileError, PolicyError

MAX_UPLOAD = 2_000_000_000  # bytes of one request
USER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
SINGLE_USER = "me"  # if no user is named
TEMPORARY = ".temporary"  # folder of uploads in progress, and of what does not fit in memory


@dataclass(frozen=True, slots=True)
class Settings:
    """One server. Each user signs in with a token and sees only their own projects."""

    folder: Path  # all files are written below it
    port: int
    host: str = "127.0.0.1"
    users: Mapping[str, str] = field(default_factory=dict, repr=False)  # token to name
    data: Path | None = None  # a folder whose tables can be opened without an upload
    upload: int = MAX_UPLOAD
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
        """The names by which a browser may address this server."""
        names = {self.authority}
        if self.host == "127.0.0.1":
            names.add(f"localhost:{self.port}")
        return frozenset(names)

    @property
    def cookie(self) -> str:
        """Named after the port, because cookies of two servers on one machine would mix."""
        return f"lookalike_{self.port}"

    def sign_in_link(self, token: str) -> str:
        """The link that signs a user in."""
        return f"{self.address}/?token={token}"


def make_settings(
    folder: Path,
    port: int,
    host: str = "127.0.0.1",
    users: Sequence[str] = (),
    data: Path | None = None,
    upload: int = MAX_UPLOAD,
    key: Path | None = None,
    ledger: Path | None = None,
) -> Settings:
    """Check the settings, make the folders, and make a random token for each user."""
    names = tuple(users) or (SINGLE_USER,)
    faults = [
        Fault(f"--user {name}", "not a valid name", "use at most 40 letters, digits, - and _")
        for name in names
        if not USER_NAME.fullmatch(name)
    ]
    if len({name.lower() for name in names}) < len(names):
        faults.append(Fault("--user", "a name is given twice", "name each user once"))
    if data is not None and not data.is_dir():
        faults.append(Fault("--data", "the folder does not exist", "name a folder with tables"))
    if upload <= 0:
        faults.append(Fault("--upload", "not a size above 0", "use for example --upload 2GB"))
    if faults:
        raise PolicyError(faults)
    try:
        for path in (folder, folder / TEMPORARY, *(folder / name for name in names)):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        problem = f"cannot be made a private folder ({error.strerror})"
        raise FileError(Fault(str(folder), problem, "name a folder of your own")) from None
    tokens = {secrets.token_urlsafe(32): name for name in names}
    data, key, ledger = (path.resolve() if path else None for path in (data, key, ledger))
    return Settings(folder.resolve(), port, host, tokens, data, upload, key, ledger)
