"""Addresses in place of files: tables of a real PostgreSQL, and no password said anywhere."""

from __future__ import annotations

import contextlib
import csv
import json
import shlex
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from cli_program import Ended, Program, listing
from effort import without
from postgres_server import PASSWORD, Server, binaries, server

from lookalike import pipeline
from lookalike.cli.input.table_address import Address, parse_location, without_passwords
from lookalike.errors import Fault, TableError
from lookalike.releasing import release as releasing
from lookalike.solution.solution_file import load
from lookalike.tables import addresses
from lookalike.tables.postgres import existing_table as standing
from lookalike.tables.postgres import writing


def on_postgres(test: Callable[..., None]) -> Callable[..., None]:
    missing = "PostgreSQL is not installed: apt-get install postgresql"
    return without(missing, binaries() is None)(pytest.mark.xdist_group("postgres")(test))


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with server() as found:
        yield found


class Clinic:
    """The hospital as a table, and the program, of which everything said is looked through."""

    def __init__(self, running: Server, folder: Path, program: Program) -> None:
        self.running, self.folder, self.program = running, folder, program
        self.patients = running.address("clinic.patients")

    def address(self, table: str, **more: str) -> str:
        return self.running.address(quote(table), **more)

    def sql(self, *asked: str) -> list[Any]:
        import psycopg

        with psycopg.connect(self.running.address()) as opened:
            for one in asked:
                found = opened.execute(one.encode())
            return found.fetchall() if found.description else []

    def __call__(self, *typed: object) -> Ended:
        ended = self.program(*typed)
        assert PASSWORD not in ended.out + ended.err
        for path in self.folder.iterdir():
            assert PASSWORD not in path.read_text(encoding="utf-8"), path
        return ended


@pytest.fixture
def clinic(running: Server, hospital: Path, lookalike: Program) -> Clinic:
    found = Clinic(running, hospital, lookalike)
    with (hospital / "patients.csv").open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    import psycopg

    with psycopg.connect(running.address()) as opened, opened.cursor() as cursor:
        cursor.execute("DROP SCHEMA IF EXISTS clinic CASCADE")
        cursor.execute("CREATE SCHEMA clinic")
        columns = ", ".join(f'"{name}" text' for name in head)
        cursor.execute(f"CREATE TABLE clinic.patients ({columns})".encode())
        holes = ", ".join(["%s"] * len(head))
        cursor.executemany(f"INSERT INTO clinic.patients VALUES ({holes})".encode(), rows)
    return found


RUN = ("--solution", "s.json", "--events", "e.jsonl", "--save-policy", "used.toml")


def never(*given: object, **named: object) -> None:
    raise AssertionError("the search began")


@on_postgres
def test_looking_at_a_table_takes_an_address(clinic):
    ended = clinic("init", clinic.patients, "-o", "draft.toml")
    assert ended.code == 0, ended.err
    [told] = [line for line in ended.err.splitlines() if "lookalike explain" in line]
    typed = shlex.split(told.partition("run: ")[2])[1:]
    assert typed[1] == clinic.patients.replace(f":{PASSWORD}", "")
    assert "clinic.patients" in (clinic.folder / "draft.toml").read_text()
    for typed in (
        ("risk", clinic.patients, "--by", "birth_date,zip,sex"),
        ("explain", clinic.patients, "policy.toml"),
        ("compare", clinic.patients, "policy.toml", "--by", "flash,datafly"),
    ):
        assert clinic(*typed, "-v").code == 0
        here = clinic(*typed, "--json").document
        file = clinic(typed[0], "patients.csv", *typed[2:], "--json").document
        assert here["table"] == "clinic.patients"
        assert here.get("rows_of_table") == file.get("rows_of_table")
        assert here.get("histogram") == file.get("histogram")


@on_postgres
def test_run_writes_a_table_that_verify_finds_with_its_certificate(clinic):
    out = clinic.address("clinic.shared")
    typed = ("run", clinic.patients, "policy.toml", "-o", out, *RUN, "--certificate", "c.json")
    ended = clinic(*typed)
    assert ended.code == 0, ended.err
    assert "clinic.shared  the release, with its certificate" in ended.out
    kept = {"s.json", "e.jsonl", "used.toml", "c.json"}
    assert listing(clinic.folder) == {"patients.csv", "policy.toml"} | kept
    copy = json.loads((clinic.folder / "c.json").read_text())
    [[rows]] = clinic.sql("SELECT count(*) FROM clinic.shared")
    assert rows == copy["rows"]["released"]

    ended = clinic("verify", out)
    assert ended.code == 0, ended.err
    assert "clinic.shared" in ended.out
    document = clinic("verify", out, "--json").document
    assert (document["release"], document["certificate_file"]) == ("clinic.shared", None)
    assert clinic("verify", out, "--certificate", "c.json").code == 0
    inside = ("--original", clinic.patients, "--policy", "policy.toml", "--solution", "s.json")
    checks = [one["check"] for one in clinic("verify", out, *inside, "--json").document["findings"]]
    assert {"optimality", "certificate"} <= set(checks)

    clinic.sql("UPDATE clinic.shared SET ward = 'x'")
    assert clinic("verify", out).code == 4
    for comment in ("NULL", "'of the ward'", "'[1]'", """'{"owner": "ward 3"}'"""):
        clinic.sql(f"COMMENT ON TABLE clinic.shared IS {comment}")
        ended = clinic("verify", out)
        assert ended.code == 1
        assert "no certificate is stored with this table" in ended.err
    clinic.sql("""COMMENT ON TABLE clinic.shared IS '{"release_digest": "0"}'""")
    assert "this is not a certificate" in clinic("verify", out).err


@on_postgres
def test_an_existing_table_is_replaced_only_with_force_and_refused_before_the_search(
    clinic, monkeypatch
):
    out = clinic.address("clinic.shared")
    clinic.sql("CREATE TABLE clinic.shared (precious int)")
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "solve", never)
        patched.setattr(pipeline, "prepare", never)
        ended = clinic("run", clinic.patients, "policy.toml", "-o", out, "--json")
    assert ended.code == 1
    [fault] = ended.document["faults"]
    assert (fault["where"], fault["problem"]) == ("clinic.shared", "the table exists")
    assert "--force" in fault["fix"]
    assert clinic.sql("SELECT * FROM clinic.shared") == []
    document = clinic(
        "run", clinic.patients, "policy.toml", "-o", out, "--force", "--json", *RUN
    ).document
    assert document["release"] == "clinic.shared"
    assert document["certificate"]["verified"] is True
    assert document["certificate_file"] is None
    assert clinic("verify", out).code == 0


@on_postgres
@pytest.mark.parametrize(
    ("given", "out"),
    [
        ("table=clinic.patients", "clinic.patients"),
        ("table=patients&options=-csearch_path%3Dclinic", "clinic.patients"),
        ("table=clinic.sick", "clinic.patients"),
        ("query=SELECT%20*%20FROM%20clinic.patients%20WHERE%20true", "clinic.patients"),
    ],
)
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_the_input_table_is_never_written_over_however_it_is_spelt(
    clinic, monkeypatch, given, out, force
):
    clinic.sql("CREATE VIEW clinic.sick AS SELECT * FROM clinic.patients")
    monkeypatch.setattr(pipeline, "solve", never)
    table = f"{clinic.running.address()}?{given}"
    ended = clinic("run", table, "policy.toml", "-o", clinic.address(out), *force)
    assert ended.code == 1
    assert f"{out}: this is the input table" in ended.err
    assert clinic.sql("SELECT count(*) FROM clinic.patients") == [(400,)]


@on_postgres
def test_what_cannot_be_written_at_the_end_is_said_before_the_search(clinic, monkeypatch):
    monkeypatch.setattr(pipeline, "solve", never)
    clinic.sql("CREATE VIEW clinic.sick AS SELECT 1")
    address, port = clinic.address, clinic.running.port
    closed = address("clinic.out").replace(f":{port}", ":1")
    for out, said in (
        (address("nowhere.out"), "nowhere.out: there is no such schema"),
        (address("clinic.sick"), "clinic.sick: a view or another object with this name exists"),
        (address("", query="SELECT%201"), "a query cannot be written to"),
        (clinic.running.address(), "it names no table"),
        (closed, "the server cannot be reached"),
        (clinic.patients.replace(PASSWORD, "wrong"), "the server refuses"),
    ):
        ended = clinic("run", "patients.csv", "policy.toml", "-o", out, "--force")
        assert ended.code == 1, out
        assert said in ended.err
        assert "wrong" not in ended.err
    assert listing(clinic.folder) == {"patients.csv", "policy.toml"}


@on_postgres
def test_a_role_that_may_not_write_there_learns_it_before_the_search(clinic, monkeypatch):
    monkeypatch.setattr(pipeline, "solve", never)
    clinic.sql("DROP ROLE IF EXISTS guest", f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'",
               "GRANT USAGE ON SCHEMA clinic TO guest")  # fmt: skip
    out = clinic.running.address("clinic.out", user="guest")
    ended = clinic("run", "patients.csv", "policy.toml", "-o", out)
    assert (ended.code, "CREATE on the schema" in ended.err) == (1, True), ended.err


@on_postgres
def test_tables_go_to_files_and_files_to_tables(clinic):
    assert clinic("run", clinic.patients, "policy.toml", "-o", "a.csv").code == 0
    assert clinic("run", "patients.csv", "policy.toml", "-o", "b.csv").code == 0
    assert Path("a.csv").read_text() == Path("b.csv").read_text()
    assert clinic("verify", "a.csv").code == 0
    out = clinic.address('clinic."Odd & ends.2026"')
    assert clinic("run", "patients.csv", "policy.toml", "-o", out, "--quiet").out == ""
    assert clinic("verify", out).code == 0
    typed = ("run", "patients.csv", "policy.toml", "-o", "c.csv", "--certificate")
    assert "two outputs" in clinic(*typed, "c.csv.certificate.json").err
    assert clinic(*typed, "copy.json").code == 0
    assert Path("copy.json").read_text() == Path("c.csv.certificate.json").read_text()


@on_postgres
def test_solve_then_release_is_run(clinic):
    assert clinic("solve", clinic.patients, "policy.toml", "-o", "s.json").code == 0
    out = clinic.address("clinic.two_steps")
    typed = ("release", clinic.patients, "policy.toml", "s.json", "-o", out)
    document = clinic(*typed, "--json", "--certificate", "c.json").document
    assert (document["release"], document["certificate_file"]) == ("clinic.two_steps", "c.json")
    assert clinic("verify", out).code == 0
    assert "the table exists" in clinic(*typed).err
    assert clinic("run", clinic.patients, "policy.toml", "-o", "a.csv").code == 0
    alike = [Path(name).read_text() for name in ("c.json", "a.csv.certificate.json")]
    assert json.loads(alike[0])["release_digest"] == json.loads(alike[1])["release_digest"]


@on_postgres
def test_a_wrong_address_is_explained(clinic):
    for table, said in (
        (clinic.address("clinic.nobody"), "clinic.nobody: there is no such table"),
        (clinic.running.address(), "it names no table"),
        (clinic.patients.replace(PASSWORD, "wrong"), "the server refuses"),
        (clinic.patients.replace("postgresql://", "mysql://"), "mysql: this is not the address"),
    ):
        for more in ((), ("--json",), ("--show-values", "-v")):
            ended = clinic("risk", table, "--by", "zip", *more)
            assert ended.code == 1
            assert said in " ".join(ended.err.split())
            assert "127.0.0.1" not in ended.out + ended.err


@on_postgres
def test_ctrl_c_keeps_the_solution_here_and_the_command_to_finish_with(clinic, monkeypatch):
    out = clinic.address('clinic."Out & about"')
    pressed = signal.raise_signal
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "make_release", lambda *given, **named: pressed(signal.SIGINT))
        ended = clinic("run", clinic.patients, "policy.toml", "-o", out, "--k", "4")
    assert ended.code == 130
    kept = {"clinic.Out_about.solution.json", "clinic.Out_about.policy.toml"}
    assert listing(clinic.folder) == {"patients.csv", "policy.toml"} | kept
    assert "put the password in PGPASSWORD" in ended.err
    [finish] = [line.strip() for line in ended.err.splitlines() if "lookalike release" in line]
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert clinic(*shlex.split(finish)[1:]).code == 0
    assert clinic("verify", out).code == 0


@on_postgres
def test_a_server_that_fails_at_the_end_does_not_lose_the_search(clinic, monkeypatch):
    out = clinic.address("clinic.late")
    with monkeypatch.context() as patched:
        real = releasing.Release.write

        def late(*given: Any, **more: Any) -> Any:
            clinic.sql("CREATE TABLE clinic.late (precious int)")  # somebody was quicker
            return real(*given, **more)

        patched.setattr(releasing.Release, "write", late)
        ended = clinic("run", "patients.csv", "policy.toml", "-o", out, "--json")
    assert ended.code == 1
    assert ended.document["faults"][0]["problem"] == "the table exists"
    kept = clinic.folder / "clinic.late.solution.json"
    assert load(kept).recoding is not None
    assert ended.document["solution_file"] == kept.name
    assert clinic.sql("SELECT * FROM clinic.late") == []
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    finish = shlex.split(ended.document["finish_with"])[1:]
    assert clinic(*finish, "--force").code == 0


@on_postgres
def test_a_table_written_just_before_ctrl_c_stays_and_that_is_said(clinic, monkeypatch):
    out = clinic.address("clinic.done")
    real = writing.write_table

    def pressing(*given: Any, **more: Any) -> None:
        real(*given, **more)
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(writing, "write_table", pressing)
    ended = clinic("run", clinic.patients, "policy.toml", "-o", out)
    assert ended.code == 130
    assert "clinic.done was already written" in ended.err
    assert listing(clinic.folder) == {"patients.csv", "policy.toml"}
    assert clinic("verify", out).code == 0


@on_postgres
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_when_nobody_can_see_whether_a_table_was_written_nobody_says_that_it_was(
    clinic, monkeypatch, force
):
    out = clinic.address("clinic.unseen")
    if force:
        clinic.sql("CREATE TABLE clinic.unseen (precious int)")

    def cut(*given: Any, **named: Any) -> None:
        fault = Fault("clinic.unseen", "the server cannot be reached", "run again")
        monkeypatch.setattr(
            standing, "look_up", lambda place: (_ for _ in ()).throw(TableError(fault))
        )
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(pipeline, "make_release", cut)
    ended = clinic("run", clinic.patients, "policy.toml", "-o", out, *force)
    assert ended.code == 130
    assert "it is not known whether clinic.unseen was written" in ended.err
    assert "was already written" not in ended.err
    assert "clinic.unseen.solution.json" in listing(clinic.folder)


def test_an_unknown_scheme_lists_what_is_accepted(lookalike, hospital):
    for typed in (
        ("risk", "mysql://root:hush@host/db?table=t", "--by", "zip"),
        ("run", "mysql://root:hush@host/db?table=t", "policy.toml", "-o", "o.csv"),
        ("run", "patients.csv", "policy.toml", "-o", "mysql://root:hush@host/db?table=t"),
        ("verify", "jdbc:mysql://root:hush@host/db"),
        ("risk", "postgresql:root:hush@host/db?table=t", "--by", "zip"),
    ):
        ended = lookalike(*typed)
        assert ended.code == 1
        assert "this is not the address of a table" in ended.err
        assert "postgresql://host/database?table=schema.name" in ended.err
        assert "hush" not in ended.err
    assert listing(hospital) == {"patients.csv", "policy.toml"}


@pytest.mark.parametrize(
    "typed",
    [
        ("run", "patients.csv", "policy.toml", "-o", "o.csv", "--solution"),
        ("run", "patients.csv", "-o", "o.csv"),
        ("init", "patients.csv", "-o"),
        ("verify", "patients.csv", "--certificate"),
    ],
)
def test_an_address_is_refused_where_only_a_file_will_do(lookalike, hospital, typed):
    ended = lookalike(*typed, "postgresql://u:hush@host/db?table=t&password=hush")
    assert ended.code in (1, 2)
    assert "a file is needed" in ended.err or typed[0] == "run"
    assert "hush" not in ended.err
    assert listing(hospital) == {"patients.csv", "policy.toml"}


def test_usage_errors_show_no_password(lookalike, hospital):
    address = "postgresql://u:hu:s/h@host/db?table=t"
    for typed in (
        ("risk", "patients.csv", address, "--by", "zip"),
        ("explain", "patients.csv", "policy.toml", f"{address}&sslpassword=s/h"),
        ("run", "patients.csv", "-o", address, "--qi", "zip", "--k", address),
        (address,),
    ):
        ended = lookalike(*typed)
        assert ended.code == 2
        assert "s/h" not in ended.err
        assert "postgresql://" in ended.err or "--k" in typed


SPARK = [
    ("risk", "spark:clinic.patients", "--by", "zip"),
    ("run", "patients.csv", "policy.toml", "-o", "spark:clinic.shared"),
    ("release", "spark:clinic.patients", "policy.toml", "policy.toml", "-o", "o.csv"),
    ("verify", "spark:clinic.shared"),
]


@pytest.mark.parametrize("typed", SPARK)
def test_without_pyspark_it_is_said_what_to_install(lookalike, hospital, monkeypatch, typed):
    monkeypatch.setattr(addresses, "find_spec", lambda name: None)
    monkeypatch.setattr(pipeline, "solve", never)
    ended = lookalike(*typed)
    assert ended.code == 1
    assert 'pip install "lookalike[spark]"' in ended.err


@pytest.mark.parametrize("typed", SPARK)
def test_without_java_it_is_said_what_to_install(lookalike, hospital, monkeypatch, typed):
    monkeypatch.setattr(addresses, "find_spec", lambda name: object())
    monkeypatch.setattr("shutil.which", lambda name: None)
    for name in ("JAVA_HOME", "SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)
    ended = lookalike(*typed)
    assert ended.code == 1
    assert "Spark needs Java" in ended.err


class Session:
    """A Spark session with one table in its catalog."""

    def __init__(self) -> None:
        self.catalog = self

    def tableExists(self, name: str) -> bool:
        return name.rpartition(".")[2].lower() == "`patients`"

    def getTable(self, name: str) -> Any:
        return SimpleNamespace(catalog="main", namespace=["default"], name=name.split("`")[-2])


@pytest.mark.parametrize(
    ("table", "out", "more", "said"),
    [
        ("patients.csv", "spark:default.patients", (), "default.patients: the table exists"),
        ("spark:patients", "spark:default.Patients", ("--force",), "this is the input table"),
        ("patients.csv", "spark:a..b", (), "this is not a valid table name"),
    ],
)
def test_a_table_of_spark_is_looked_at_before_the_search(
    lookalike, hospital, monkeypatch, table, out, more, said
):
    spark = pytest.importorskip("lookalike.tables.spark.session")
    monkeypatch.setattr(spark, "current_session", Session)
    monkeypatch.setattr("shutil.which", lambda name: name)
    monkeypatch.setattr(pipeline, "solve", never)
    ended = lookalike("run", table, "policy.toml", "-o", out, *more)
    assert ended.code == 1
    assert said in ended.err


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("postgresql://h/d?table=t", "postgresql://h/d?table=t"),
        ("postgresql://u:p@h:1/d?table=t", "postgresql://u@h:1/d?table=t"),
        ("postgres://u:@h/d?password=p&table=t", "postgres://u@h/d?table=t"),
        ("postgresql:///d?table=t&pass%77ord=p", "postgresql:///d?table=t"),
        ("postgresql://u:p@q@h,i/d?table=t", "postgresql://u@h,i/d?table=t"),
        ("postgresql://u:p/q@h/d?table=t", "postgresql://…"),
        ("postgresql://u:p?q@h/d?table=t", "postgresql://…"),
        ("postgresql://u:p#q@h/d?table=t", "postgresql://…"),
        ("postgresql://[u:p@h/d?table=t", "postgresql://…"),
        ("spark:a.b", "spark:a.b"),
    ],
)
def test_what_is_shown_of_an_address_has_no_password(typed, shown):
    address = parse_location(typed)
    assert isinstance(address, Address)
    assert str(address) == shown
    assert address.has_password is (typed != shown)
    assert "p@" not in repr(address)


@pytest.mark.parametrize("typed", ["a.csv", "C:\\data\\a.csv", "./spark:a.csv", "data/*.parquet"])
def test_a_path_is_a_path(typed):
    assert parse_location(typed) == Path(typed)


def test_messages_of_others_lose_their_passwords():
    said = "extra (postgresql://u:p q@h/d?password=q r&table=t)"
    assert without_passwords(said) == "extra (postgresql://u@h/d?password=…&table=t)"


def test_help_explains_addresses(lookalike):
    for command in ("run", "risk", "init", "explain", "solve", "release", "verify", "compare"):
        said = " ".join(lookalike(command, "--help").out.split())
        assert "'postgresql://HOST/DB?table=SCHEMA.NAME' or spark:CATALOG.TABLE" in said
