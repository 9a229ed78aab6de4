"""Every built-in address scheme keeps the contract that other packages inherit."""

import duckdb
import pytest
from effort import without
from postgres_server import binaries, server

from lookalike.testing import EngineContract


class TestDuckDB(EngineContract):
    writes = False

    def store(self, folder, name, table):
        path = folder / "people.duckdb"
        with duckdb.connect(path) as database:
            if table is not None:
                database.register("given", table)
                database.sql(f"CREATE OR REPLACE TABLE {name} AS FROM given")
        return f"duckdb:{path}?table={name}"


@without("PostgreSQL is not installed: apt-get install postgresql", binaries() is None)
@pytest.mark.xdist_group("postgres")
class TestPostgres(EngineContract):
    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def running(cls):
        with server() as cls.server:
            yield

    def store(self, folder, name, table):
        import psycopg

        with psycopg.connect(self.server.address()) as opened, opened.cursor() as cursor:
            cursor.execute(f"DROP TABLE IF EXISTS {name}")
            if table is not None:
                cursor.execute(f"CREATE TABLE {name} (age int, sex text, ill text)")
                rows = [tuple(row.values()) for row in table.to_pylist()]
                cursor.executemany(f"INSERT INTO {name} VALUES (%s, %s, %s)", rows)
        return self.server.address(name)
