"""A table that stays in PostgreSQL: its address is kept, and never shown with a password."""

import csv
import io

import pytest
from effort import without
from postgres_server import PASSWORD, binaries, server
from waiting import until
from web_client import ROLES, TABLE, searched
from web_parts import serving

pytestmark = [
    without("PostgreSQL is not installed: apt-get install postgresql", binaries() is None),
    pytest.mark.xdist_group("postgres"),
]


def test_from_a_database_to_a_release(tmp_path):
    import psycopg

    with server() as database, serving(tmp_path) as running, running.client() as client:
        with psycopg.connect(database.address(), autocommit=True) as connection:
            connection.execute(
                "CREATE TABLE people (name text, age int, zip text, sex text, ill text)"
            )
            rows = list(csv.reader(io.StringIO(TABLE.decode())))[1:]
            connection.cursor().executemany("INSERT INTO people VALUES (%s,%s,%s,%s,%s)", rows)
        answer = client.post("/projects", data={"address": database.address("people")})
        assert answer.status_code == 303, answer.text
        path = answer.headers["location"]
        until(lambda: "role_0" in client.get(path).text)
        project = path.split("/")[2]
        seen = [client.get("/").text, client.get(path).text]
        seen.append(client.get(f"/projects/{project}/table").text)
        assert "P0" in seen[-1]
        client.post(path, data=ROLES)
        [run] = searched(client, project)
        seen += [client.get(run).text, client.get(f"{run}/report").text]
        assert 'id="download"' in seen[-2]
        assert not any(PASSWORD in one for one in seen)
        for address in (database.address("nothing"), database.address().replace(PASSWORD, "x")):
            answer = client.post("/projects", data={"address": address})
            assert answer.status_code == 400
            assert "What to do" in answer.text
            assert PASSWORD not in answer.text
        text = client.get(f"{run}/release").text
        shown = [tuple(row[:3]) for row in csv.reader(io.StringIO(text))][1:]
        assert min(shown.count(one) for one in set(shown)) >= 3
