"""Who is not let in, and what the browser may not do."""

import re

import httpx
import pytest
from waiting import until
from web_client import TABLE, hospital, upload


@pytest.fixture(scope="module")
def opened(server):
    """A project that tests only look at."""
    with server.client() as client:
        return hospital(client)


def test_without_the_token_nothing_is_shown(server):
    for path in ("/", "/projects/0123456789abcdef/columns", "/static/style.css", "/nothing"):
        answer = httpx.get(server.address + path)
        assert answer.status_code == 403
        assert "private" in answer.text
    wrong = httpx.get(f"{server.address}/?token=wrong")
    assert wrong.status_code == 403
    assert "set-cookie" not in wrong.headers
    assert httpx.get(server.address, cookies={_cookie(server): "wrong"}).status_code == 403


def test_the_token_becomes_a_cookie_that_no_script_and_no_other_site_can_use(server):
    answer = httpx.get(server.link)
    [cookie] = answer.headers.get_list("set-cookie")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert answer.headers["refresh"] == "0; url=/"


def test_a_link_leads_nowhere_else(server):
    token = server.link.partition("token=")[2]
    answer = httpx.get(f"{server.address}//elsewhere.example/?token={token}")
    assert answer.headers["refresh"] == "0; url=/elsewhere.example/"


@pytest.mark.parametrize("host", ["elsewhere.example", "127.0.0.1", "127.0.0.1:1", "localhost"])
def test_another_name_for_the_server_is_refused(server, host):
    with server.client() as client:
        answer = client.get("/", headers={"Host": host})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "origin", ["https://elsewhere.example", "http://127.0.0.1:1", "null", "http://localhost", None]
)
def test_a_form_of_another_site_is_refused(server, origin):
    with server.client() as client:
        del client.headers["Origin"]
        headers = {"Origin": origin} if origin is not None else {}
        answer = client.post("/projects", data={"from": "hospital"}, headers=headers)
        assert answer.status_code == 403
        assert "Demo hospital" not in client.get("/").text


def test_a_request_that_says_it_crosses_sites_is_refused(client):
    answer = client.post(
        "/projects", data={"from": "hospital"}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert answer.status_code == 403


def test_what_goes_out_forbids_to_fetch_or_run_anything_else(client):
    for path in ("/", "/nothing", "/static/htmx.min.js"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "*" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
    assert client.get("/").headers["cache-control"] == "no-store"


def test_no_page_holds_script_or_style_of_its_own(client, opened):
    for path in ("/", f"/projects/{opened}/columns", f"/projects/{opened}/table"):
        text = client.get(path).text
        assert not re.search(r"<script(?! src=\"/static/)|<style|\son\w+=|\sstyle=", text)


@pytest.mark.parametrize(
    "name", ["../../../../tmp/x.csv", "..\\..\\x.csv", "/etc/x.csv", "a/../b.csv", "%2e%2e%2fx.csv"]
)
def test_the_name_of_a_file_is_no_path(server, client, name):
    before = {one for one in server.folder.parent.rglob("*") if one.name.endswith("x.csv")}
    project = upload(client, TABLE, name)
    [kept] = (server.folder / "me" / project / "table").iterdir()
    assert kept.name in ("x.csv", "b.csv", "2e_2e_2fx.csv")
    after = {one for one in server.folder.parent.rglob("*") if one.name.endswith("x.csv")}
    assert after - before <= {kept}


@pytest.mark.parametrize(
    "path",
    [
        "/projects/..%2f..%2fetc/columns",
        "/projects/../../etc/passwd",
        "/static/..%2f..%2f..%2fpyproject.toml",
        "/static/../app.py",
        "/projects/{id}/runs/..%2f..%2fproject.json/release",
        "/projects/{id}/runs/survey-1/policy",
        "/projects/{id}/runs/run-1/..%2fjob.json",
    ],
)
def test_paths_lead_nowhere(client, opened, path):
    answer = client.get(path.replace("{id}", opened))
    assert answer.status_code == 404


def test_a_file_of_the_computer_is_not_an_address(client):
    for address in ("/etc/passwd", "file:///etc/passwd", "../secret.csv", "spark:tables"):
        answer = client.post("/projects", data={"address": address})
        assert answer.status_code == 400
        assert "not the address of a database" in answer.text


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"", "empty.csv", "empty"),
        (b"a,a\n1,2\n", "twice.csv", "have the same name"),
        (b"PAR1 but not", "broken.parquet", ""),
        (b"a,b\n1,2\n", "table.exe", "unrecognized file extension"),
        (b"a,b\n1,2\n", "", "no table was chosen"),
    ],
)
def test_a_table_that_does_not_read_is_a_fault_and_no_project(server, client, content, name, said):
    before = sorted((server.folder / "me").iterdir())
    files = {"file": (name, content)} if name else None
    data = None if name else {"address": ""}
    answer = client.post("/projects", files=files, data=data, follow_redirects=False)
    assert answer.status_code == 400
    assert "What to do" in answer.text
    assert said in answer.text
    assert sorted((server.folder / "me").iterdir()) == before


def test_a_row_that_does_not_read_is_said_when_the_columns_are_looked_at(client):
    answer = client.post("/projects", files={"file": ("open.csv", b'a,b\n"1,2\n3,4\n')})
    path = answer.headers["location"]
    until(lambda: "columns could not be read" in client.get(path).text)
    assert "a quote is not closed" in client.get(path).text
    assert "What to do" in client.get(path).text


def test_what_is_not_there_is_said_on_a_page(client):
    for path in ("/nothing", "/projects/0123456789abcdef/columns"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "Page not found" in answer.text


def _cookie(server) -> str:
    return f"lookalike_{server.address.rpartition(':')[2]}"
