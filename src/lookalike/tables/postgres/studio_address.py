"""An address that a user of the studio enters: user, password, host, port, database and table.

It has nothing else. The driver would also take a host or a user from parameters, connect to a
socket of this computer, or log in with a file, and all of these belong to the person who runs the
studio. The driver and Python do not split an address in the same way, so it is split here, and
written again in a form that has only one meaning.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from lookalike.errors import Fault, TableError
from lookalike.tables.column_names import split_name

FORM = "postgresql://user:password@host:port/database?table=schema.name"
_FIX = f"write {FORM} and nothing else; the port may be left out"
_ADDRESS = re.compile(
    r"postgres(?:ql)?://"
    r"(?:(?P<user>[^:@/?#]*)(?::(?P<password>[^@/?#]*))?@)?"
    r"(?P<host>\[[^\]@/?#]*\]|[^:@/?#\[\]]*)(?::(?P<port>[^:@/?#]*))?"
    r"(?:/(?P<database>[^/?#]*))?(?:\?(?P<parameters>[^#]*))?",
    re.IGNORECASE,
)
_HOST = re.compile(r"[a-z0-9_][a-z0-9_.-]*|\[[0-9a-f:.]+\]", re.IGNORECASE | re.ASCII)
_PORT = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
MAX_PORT = 65535


def parse(text: str) -> tuple[str, tuple[str, ...]]:
    """The database to connect to and the name of the table, or a TableError with every fault."""
    match = _ADDRESS.fullmatch(text.strip())
    if match is None or "\0" in unquote(text):
        raise TableError(Fault("the address", "this is not a valid address", _FIX))
    parts, problems = {name: part or "" for name, part in match.groupdict().items()}, []
    try:
        user, password, database = (
            unquote(parts[name], errors="strict") for name in ("user", "password", "database")
        )
    except UnicodeDecodeError:
        raise TableError(Fault("the address", "this is not a valid address", _FIX)) from None
    if not (user and password):
        problems.append("it needs a user and a password; the studio has none stored for you")
    if not _HOST.fullmatch(parts["host"]):
        problems.append("it needs one host, by name or IP address")
    if match["port"] is not None and not _is_port(parts["port"]):
        problems.append(f"the port is not a number from 1 to {MAX_PORT}")
    if not database:
        problems.append("it names no database")
    table, problem = _table(parts["parameters"])
    problems += [problem] if problem else []
    if problems:
        raise TableError([Fault("the address", problem, _FIX) for problem in problems])
    login = f"{quote(user, safe='')}:{quote(password, safe='')}"
    port = f":{parts['port']}" if parts["port"] else ""
    return f"postgresql://{login}@{parts['host']}{port}/{quote(database, safe='')}", table


def _is_port(text: str) -> bool:
    return _PORT.fullmatch(text) is not None and int(text) <= MAX_PORT


def _table(parameters: str) -> tuple[tuple[str, ...], str]:
    """The name of the table, and what is wrong with the parameters, if anything."""
    pairs = [pair.partition("=") for pair in parameters.split("&")]
    if any(name != "table" for name, _, _ in pairs if parameters):
        return (), "table is the only parameter that is allowed here"
    if len(pairs) > 1:
        return (), "it names more than one table"
    try:
        name = unquote(pairs[0][2], errors="strict")
    except UnicodeDecodeError:
        name = ""
    table = split_name(name)
    return table or (), "" if table else "it names no table, or the name is not valid"
