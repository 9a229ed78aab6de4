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


def test_a_user_of_a_page_has_no_rights_of_the_operator(tmp_path, monkeypatch):
    import psycopg

    with server() as database:
        with psycopg.connect(database.address(), autocommit=True) as connection:
            connection.execute("CREATE TABLE people (age int)")
        stored = tmp_path / "passwords"
        stored.write_text(f"*:*:*:*:{PASSWORD}\n")
        stored.chmod(0o600)
        monkeypatch.setenv("PGPASSFILE", str(stored))
        monkeypatch.setenv("PGSERVICE", "of-the-operator")
        good = database.address("people")
        addresses = {
            good.replace(f":{PASSWORD}", ""): "needs a user and a password",
            good.replace(PASSWORD, "wrong"): "refuses this user or password",
            good.replace("table=people", "query=SELECT%201"): "table is the only parameter",
            f"{good}&passfile={stored}": "table is the only parameter",
            f"{good}&host=127.0.0.1": "table is the only parameter",
            "postgresql:///test?table=people": "needs one host",
        }
        with serving(tmp_path) as running, running.client() as client:
            for address, problem in addresses.items():
                answer = client.post("/projects", data={"address": address})
                assert answer.status_code == 400
                assert problem in answer.text
                assert PASSWORD not in answer.text
            assert not list(running.folder.glob("me/*"))
            answer = client.post("/projects", data={"address": good})
            assert answer.status_code == 303, answer.text
            path = answer.headers["location"]
            until(lambda: "role_0" in client.get(path).text)
            [project] = running.folder.glob("me/*/project.json")
            changed = project.read_text().replace(f":{PASSWORD}", "")  # as an older studio kept it
            project.write_text(changed)
            assert client.get(path.replace("columns", "table")).status_code == 400
