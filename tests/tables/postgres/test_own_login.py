"""An address that another person entered never gets the rights of whoever runs the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from engine_kinds import postgres_server
from postgres_server import PASSWORD
from postgres_tables import NEEDS_POSTGRES, sql
from waiting import until

import lookalike as la
from lookalike.tables.addresses import parse_address
from lookalike.tables.postgres import own_login

pytestmark = NEEDS_POSTGRES
REFUSED = r"(?s)refuses this user or password.*check the user, and the password in the address"


def entered(address: str) -> int:
    """How many rows a user of the studio sees at the address."""
    rows: int = parse_address(address, in_studio=True).open().rows()
    return rows


@contextmanager
def server_rule(rule: str) -> Iterator[None]:
    """A first line of pg_hba.conf."""
    [(name,)] = sql("SHOW hba_file")
    path = Path(name)
    before = path.read_text()

    def use(text: str) -> None:
        path.write_text(text)
        loaded = sql("SELECT pg_conf_load_time()")
        sql("SELECT pg_reload_conf()")
        until(lambda: sql("SELECT pg_conf_load_time()") > loaded)

    use(f"{rule}\n{before}")
    try:
        yield
    finally:
        use(before)


def test_a_table_is_opened_with_the_password_of_the_address(schema: str) -> None:
    assert entered(postgres_server().address(f"{schema}.people")) == 60


@pytest.mark.parametrize("variable", ["PGPASSWORD", "PGPASSFILE", "HOME"])
def test_a_stored_password_is_not_used(
    schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    stored = tmp_path / ".pgpass"
    stored.write_text(f"*:*:*:*:{PASSWORD}\n")
    stored.chmod(0o600)
    values = {"PGPASSWORD": PASSWORD, "PGPASSFILE": str(stored), "HOME": str(tmp_path)}
    monkeypatch.setenv(variable, values[variable])
    address = postgres_server().address(f"{schema}.people")
    without = address.replace(f":{PASSWORD}", "")
    assert la.risk(without, ["age"]).rows == 60  # the operator may use it
    with pytest.raises(la.TableError, match="needs a user and a password"):
        entered(without)
    with pytest.raises(la.TableError, match=REFUSED):
        entered(address.replace(PASSWORD, "wrong"))


def test_the_environment_changes_neither_the_server_nor_the_session(
    schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = {"PGHOSTADDR": "192.0.2.1", "PGHOST": "192.0.2.1", "PGPORT": "1", "PGUSER": "root",
                 "PGDATABASE": "nothing", "PGOPTIONS": "-c search_path=nowhere",
                 "PGREQUIREAUTH": "none", "PGTARGETSESSIONATTRS": "standby",
                 "PGSSLCERT": "/nothing", "PGSSLCERTMODE": "require", "PGGSSENCMODE": "require",
                 "PGCLIENTENCODING": "LATIN1", "PGCONNECT_TIMEOUT": "1"}  # fmt: skip
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert entered(postgres_server().address(f"{schema}.people")) == 60


def test_each_variable_of_the_driver_is_overridden_or_about_encryption() -> None:
    database = "postgresql://anna:secret@localhost/clinic"
    given = {"user", "password", "host", "dbname"}
    fixed = set(own_login.login_options(database, "people"))
    for option in own_login.driver_parameters():
        name = option.keyword.decode()
        if option.envvar and name != "service":
            assert (name in fixed) + (name in given) + (name in own_login.ENCRYPTION) == 1, name


def test_a_service_of_the_operator_is_an_error(
    schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "services").write_text(f"[operator]\nuser=steward\npassword={PASSWORD}\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    monkeypatch.setenv("PGSERVICE", "operator")
    address = postgres_server().address(f"{schema}.people")
    operator = re.sub(r"//.*@", "//", address)
    assert la.risk(operator, ["age"]).rows == 60
    with pytest.raises(la.TableError, match="without PGSERVICE"):
        entered(address)


@pytest.mark.parametrize("older_driver", [False, True])
def test_a_server_must_ask_for_the_password(
    schema: str, monkeypatch: pytest.MonkeyPatch, older_driver: bool
) -> None:
    if older_driver:  # libpq before 16 cannot require a method
        known = [one for one in own_login.driver_parameters() if one.keyword != b"require_auth"]
        monkeypatch.setattr(own_login, "driver_parameters", lambda: known)
    role = f"open_{schema}"
    sql(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'",
        f"GRANT USAGE ON SCHEMA {schema} TO {role}",
        f"GRANT SELECT ON {schema}.people TO {role}")  # fmt: skip
    address = postgres_server().address(f"{schema}.people", role).replace(PASSWORD, "wrong")
    try:
        with server_rule(f"host all {role} 127.0.0.1/32 trust"):
            assert la.risk(address, ["age"]).rows == 60
            with pytest.raises(la.TableError, match="without asking for the password"):
                entered(address)
        with pytest.raises(la.TableError, match=REFUSED):
            entered(address)
        assert entered(address.replace("wrong", PASSWORD)) == 60
    finally:
        sql(f"DROP OWNED BY {role}", f"DROP ROLE {role}")
