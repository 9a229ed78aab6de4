"""Connections to PostgreSQL: roles, limits, other users at the same time."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest
from engine_kinds import postgres_server
from postgres_server import PASSWORD
from postgres_tables import NEEDS_POSTGRES, POLICY, arrow, at, heap, kill, left_behind, sql
from waiting import until

import lookalike as la
from lookalike.releasing.release import Release
from lookalike.tables import open_table
from lookalike.tables.postgres.table import PostgresTable

pytestmark = NEEDS_POSTGRES


def test_a_role_that_may_only_read_can_release_to_a_file(schema: str, tmp_path: Path) -> None:
    role = f"reader_{schema}"
    sql(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'",
        "REVOKE TEMPORARY ON DATABASE test FROM PUBLIC")  # fmt: skip
    source = postgres_server().address(f"{schema}.people", role)

    def run() -> Release:
        problem = la.prepare(source, POLICY)
        return la.release(source, problem, la.solve(problem))

    try:
        with pytest.raises(la.TableError, match=r"(?s)the permission.*USAGE.*SELECT on the table"):
            run()
        sql(f"GRANT USAGE ON SCHEMA {schema} TO {role}")
        with pytest.raises(la.TableError, match=r"(?s)the permission.*SELECT on the table"):
            run()
        sql(f"GRANT SELECT ON {schema}.people TO {role}")
        with pytest.raises(la.TableError, match=r"(?s)the permission.*TEMPORARY on the database"):
            run()
        sql(f"GRANT TEMPORARY ON DATABASE test TO {role}")
        release = run()
        assert la.verify(release.write(tmp_path / "out.parquet")).passed
        mine = postgres_server().address(f"{schema}.out", role)
        with pytest.raises(la.TableError, match=r"(?s)the permission.*CREATE on the schema"):
            release.write(mine)
        release.write(at(f"{schema}.out"))  # by another role, so the rows are sent
        sql(f"REVOKE TEMPORARY ON DATABASE test FROM {role}",
            f"GRANT SELECT ON {schema}.out TO {role}",
            f"GRANT CREATE ON SCHEMA {schema} TO {role}")  # fmt: skip
        assert la.verify(mine).passed  # who verifies needs no more than SELECT
        with pytest.raises(la.TableError, match="only its owner can replace"):
            release.write(mine, force=True)
        sql(f"GRANT TEMPORARY ON DATABASE test TO {role}",
            f"ALTER ROLE {role} SET default_transaction_read_only = on")  # fmt: skip
        with pytest.raises(la.TableError, match="default_transaction_read_only"):
            run()
    finally:
        kill()
        sql("GRANT TEMPORARY ON DATABASE test TO PUBLIC", f"DROP OWNED BY {role}",
            f"DROP ROLE {role}")  # fmt: skip


def test_a_connection_that_is_lost_while_the_server_works(schema: str) -> None:
    sql(f"CREATE VIEW {schema}.slow AS SELECT *, pg_sleep(600)::text AS z FROM {schema}.people")

    busy = (
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'lookalike' "
        "AND state = 'active' AND query LIKE 'CREATE TEMPORARY TABLE%'"
    )

    def watch() -> None:
        until(lambda: sql(busy))
        kill()

    watching = threading.Thread(target=watch)
    watching.start()
    with pytest.raises(la.TableError, match="the connection to it was lost"):
        la.anonymize(at(f"{schema}.slow"), POLICY)
    watching.join()


def test_a_search_that_takes_longer_than_a_session_may_be_idle(schema: str) -> None:
    table = open_table(at(f"{schema}.people"))
    assert isinstance(table, PostgresTable)
    problem = la.prepare(table, POLICY)
    table.engine.connection.execute("SET idle_in_transaction_session_timeout = 50")
    until(lambda: left_behind() == 0)
    with pytest.raises(la.TableError, match="raise idle_in_transaction_session_timeout"):
        la.release(table, problem, la.solve(problem))


def test_functions_of_other_users_are_never_called(schema: str) -> None:
    """A better match than PostgreSQL's own, in a schema that is on the path."""
    sql(f"CREATE FUNCTION {schema}.abs(real) RETURNS real LANGUAGE plpgsql "
        "AS 'BEGIN RAISE EXCEPTION ''called''; END'",
        f"CREATE FUNCTION {schema}.md5(text) RETURNS text LANGUAGE plpgsql "
        "AS 'BEGIN RAISE EXCEPTION ''called''; END'",
        f"ALTER TABLE {schema}.people ALTER fee TYPE real")  # fmt: skip
    source = at("people", options=f"-c search_path={schema},pg_catalog")
    la.anonymize(source, POLICY).write(at("out", options=f"-c search_path={schema},pg_catalog"))
    assert la.verify(at(f"{schema}.out")).passed


def test_rows_that_others_write_meanwhile_do_not_count(schema: str) -> None:
    table = open_table(at(f"{schema}.people"))
    more = f"INSERT INTO {schema}.people SELECT 99, '{{}}', 'new', 1 FROM generate_series(1, 5)"
    sql(more.format("1"))
    problem = la.prepare(table, POLICY)
    sql(more.format("2"), f"DELETE FROM {schema}.people WHERE age = 30")
    release = la.release(table, problem, la.solve(problem))
    sql(more.format("3"))
    release.write(at(f"{schema}.out"))
    assert la.verify(at(f"{schema}.out")).passed
    assert release.certificate.to_json() == la.anonymize(arrow(), POLICY).certificate.to_json()


def test_the_order_holds_when_the_server_works_in_parallel(schema: str) -> None:
    sql(f"CREATE TABLE {schema}.many AS SELECT (i * 7919 % 80)::int AS age, "
        "lpad(((i * 104729) % 50)::text, 5, '0') AS zip, 'ill ' || i % 11 AS ill, "
        "(i * 31) % 700 AS cost FROM generate_series(1, 120000::bigint) i",
        f"ALTER TABLE {schema}.many SET (parallel_workers = 2)",
        f"ANALYZE {schema}.many")  # fmt: skip
    wanted = ("-c force_parallel_mode=on -c parallel_setup_cost=0 -c parallel_tuple_cost=0 "
              "-c min_parallel_table_scan_size=0 -c synchronize_seqscans=on")  # fmt: skip
    table = at(f"{schema}.many", options=wanted)
    fine = la.Policy(
        quasi_identifiers={"age": la.bands(20, 40), "zip": la.prefix()},
        sensitive="ill", insensitive="cost", require=la.KAnonymity(50),
    )  # fmt: skip
    la.anonymize(table, fine).write(at(f"{schema}.out", options=wanted))
    assert la.verify(at(f"{schema}.out", options=wanted)).passed
    rows = heap(f"{schema}.out")
    assert len(rows) == 120_000
    assert rows == sorted(rows)


def test_the_connection_is_closed_with_the_table(schema: str) -> None:
    gc.collect()
    until(lambda: left_behind() == 0)
    release = la.anonymize(at(f"{schema}.people"), POLICY)
    release.write(at(f"{schema}.out"))
    until(lambda: left_behind() == 1)
    del release
    gc.collect()
    until(lambda: left_behind() == 0)
    assert sql("SELECT count(*) FROM pg_class WHERE relpersistence = 't'") == [(0,)]
