"""Log in only with what an address says, never with what this computer or its user has stored.

Besides the address, the driver uses environment variables, a service file, a password file, a
certificate in the home folder and Kerberos tickets; a server may also let somebody in by their
account (peer, ident) or without asking (trust). For an address that another person entered, these
would give that person the rights of the one who runs the program. So each of these parameters gets
its default value, which the environment cannot change, and the server must have asked for the
password.

How a connection is encrypted and how the server proves its name stays a decision of the person who
runs the program: PGSSLMODE, PGSSLROOTCERT and similar variables are used.
"""

from __future__ import annotations

import os
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from lookalike.errors import Fault, TableError
from lookalike.tables.postgres.error_messages import NO_PASSWORD_ASKED, NO_PASSWORD_ASKED_FIX

SERVICE = "PGSERVICE"
ENCRYPTION = {
    "sslmode", "sslnegotiation", "sslrootcert", "sslcrl", "sslcrldir", "sslsni", "channel_binding",
    "ssl_min_protocol_version", "ssl_max_protocol_version", "min_protocol_version",
    "max_protocol_version",
}  # fmt: skip
_NO_FILE = f"{os.devnull}/none"  # an empty value would be the file in the home folder
_FIXED = {
    "passfile": _NO_FILE,
    "sslcert": _NO_FILE,
    "sslcertmode": "disable",
    "gssencmode": "disable",
    "require_auth": "password,md5,scram-sha-256",
}


def login_options(database: str, where: str) -> dict[str, Any]:
    """Every parameter that the environment could set and the address does not, with its default."""
    if os.environ.get(SERVICE):  # a service may set parameters that have no default to restore
        fix = f"the person who runs the program must start it without {SERVICE}"
        raise TableError(Fault(where, f"{SERVICE} is set, so nobody else can log in", fix))
    given = conninfo_to_dict(database)
    known = {option.keyword.decode(): option for option in driver_parameters()}
    from_environment = {
        name: (option.compiled or b"").decode()
        for name, option in known.items()
        if option.envvar and name != "service" and name not in ENCRYPTION
    }
    fixed = {name: value for name, value in _FIXED.items() if name in known}
    return {name: value for name, value in (from_environment | fixed).items() if name not in given}


def driver_parameters() -> list[psycopg.pq.ConninfoOption]:
    """The parameters of the installed driver; those in ``_FIXED`` are not in every version."""
    return psycopg.pq.Conninfo.get_defaults()


def check_password_was_used(connection: psycopg.Connection[Any], where: str) -> None:
    """Raise TableError if the server let us in without the password; for older drivers."""
    if not connection.pgconn.used_password:
        raise TableError(Fault(where, NO_PASSWORD_ASKED, NO_PASSWORD_ASKED_FIX))
