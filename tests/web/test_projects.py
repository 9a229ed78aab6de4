"""Projects: kept in private files, apart from each other, and there again after a restart."""

import csv
import io
import json
import os
import signal
import stat
from pathlib import Path

import duckdb
import pytest
from effort import THOROUGH, thorough
from waiting import until
from web_client import ROLES, TABLE, ask, decided, searched, table, upload
from web_parts import serving

import lookalike as la
from lookalike.policy.policy_file import load
from lookalike.solution.solution_file import load as load_solution


def test_everything_lies_below_the_folder_and_is_its_owners_alone(tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    with serving(tmp_path) as server, server.client() as client:
        project = decided(client)
        searched(client, project)
        written = list(server.folder.rglob("*"))
        assert any(one.name == "release.csv" for one in written)
        for one in (server.folder, *written):
            assert not stat.S_IMODE(one.stat().st_mode) & 0o077, one
    assert list(elsewhere.iterdir()) == []
    assert {one.name for one in tmp_path.iterdir()} == {"projects", "elsewhere"}


def test_a_project_survives_a_restart_and_so_does_its_queue(tmp_path):
    with serving(tmp_path) as server, server.client() as client:
        project = decided(client)
        [done] = searched(client, project)
        ask(client, project, by="cell-optimal", seconds="", also_k="4")
        jobs = server.folder / "me" / project / "jobs"
        until((jobs / "run-2" / "events.jsonl").exists)
        before = client.get(done).text
    assert json.loads((jobs / "run-2" / "state.json").read_text())["state"] == "interrupted"
    assert json.loads((jobs / "run-3" / "state.json").read_text())["state"] == "queued"
    policy = (jobs / "run-3" / "policy.toml").read_text()
    (jobs / "run-3" / "policy.toml").write_text(policy.replace("cell-optimal", "flash"))
    with serving(tmp_path) as server, server.client() as client:
        assert client.get(done).text == before
        assert "The server stopped" in client.get(f"/projects/{project}/runs/run-2").text
        until(lambda: 'id="download"' in client.get(f"/projects/{project}/runs/run-3").text)
        if THOROUGH:
            assert client.post(f"/projects/{project}/runs/run-2/again").status_code == 303
            until(lambda: found_something(jobs / "run-2"))
            client.post(f"/projects/{project}/runs/run-2/stop")
            until(lambda: 'id="download"' in client.get(f"/projects/{project}/runs/run-2").text)


@thorough
def test_a_server_that_is_killed_leaves_no_search_behind(tmp_path):
    with serving(tmp_path) as server, server.client() as client:
        project = decided(client)
        ask(client, project, by="cell-optimal", seconds="")
        run = server.folder / "me" / project / "jobs" / "run-1"
        until((run / "events.jsonl").exists)
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()

        until(lambda: not running(run))
    with serving(tmp_path) as server, server.client() as client:
        assert "The server stopped" in client.get(f"/projects/{project}/runs/run-1").text


def test_a_worker_that_is_asked_to_end_saves_its_best_and_leaves_no_copy(tmp_path):
    with serving(tmp_path) as server, server.client() as client:
        project = decided(client)
        ask(client, project, by="cell-optimal", seconds="")
        run = server.folder / "me" / project / "jobs" / "run-1"
        until(lambda: found_something(run))
        [worker] = workers(run)
        os.kill(worker, signal.SIGTERM)
        until(lambda: not running(run))
        until(lambda: json.loads((run / "state.json").read_text())["state"] != "running")
        assert json.loads((run / "state.json").read_text())["state"] == "interrupted"
        assert load_solution(run / "solution.json").stop is la.Stop.INTERRUPTED
        assert not (run / "release.csv").exists()
        assert list((server.folder / ".temporary").glob(f"lookalike-{worker}-*")) == []
        server.process.send_signal(signal.SIGHUP)  # as does a terminal that is closed
        assert server.process.wait(600) == 0


def found_something(run: Path) -> bool:
    events = run / "events.jsonl"
    return events.exists() and '"incumbent"' in events.read_text()


def running(run: Path) -> bool:
    """Is there a process that works on it? It has the job's log open."""
    return bool(workers(run))


def workers(run: Path) -> list[int]:
    log = str(run / "log.txt")
    links = Path("/proc").glob("[0-9]*/fd/1")
    return [int(one.parts[2]) for one in links if os.path.realpath(one) == log]


def test_two_users_do_not_see_each_other(tmp_path):
    names = ("--user", "ann", "--user", "bob")
    with (
        serving(tmp_path, *names) as server,
        server.client("ann") as ann,
        server.client("bob") as bob,
    ):
        project = decided(ann)
        assert project in ann.get("/").text
        assert project not in bob.get("/").text
        for path in (
            "columns",
            "table",
            "requirements",
            "runs",
            "runs/run-1",
            "runs/run-1/release",
        ):
            assert bob.get(f"/projects/{project}/{path}").status_code == 404
        for path in ("remove", "columns", "requirements", "runs/run-1/stop", "policy"):
            assert bob.post(f"/projects/{project}/{path}", data={"k": "2"}).status_code == 404
        assert ann.get(f"/projects/{project}/columns").status_code == 200
        assert (server.folder / "ann" / project).is_dir()


@thorough
def test_a_cancelled_run_lets_the_next_one_begin(server, client):
    project = decided(client)
    ask(client, project, by="cell-optimal", seconds="", also_by=["datafly"])
    jobs = server.folder / "me" / project / "jobs"
    until((jobs / "run-1" / "events.jsonl").exists)
    client.post(f"/projects/{project}/runs/run-1/cancel")
    until(lambda: 'id="download"' in client.get(f"/projects/{project}/runs/run-2").text)
    shown = client.get(f"/projects/{project}/runs/run-2").text
    for question in ("Singling out", "Linkability", "Inference", "HIPAA expert determination"):
        assert f"<summary>{question}: " in shown
    assert "Not examined: " in shown
    assert "No result was kept" in client.get(f"/projects/{project}/runs/run-1").text
    kept = {one.name for one in (jobs / "run-1").iterdir()}
    assert kept <= {"job.json", "state.json", "policy.toml", "stop"}


def test_faults_are_those_of_the_command_line(client):
    project = decided(client)
    path = f"/projects/{project}"
    answer = ask(client, project, k="one", suppress="x", seconds="-1")
    assert answer.status_code == 400
    for said in ("k is", "search.seconds", "not a number above 0", "suppress"):
        assert said in answer.text
    answer = ask(client, project, rule_0="distinct", number_0="1", column_0="ill")
    assert answer.status_code == 400
    assert "require.l_diversity" in answer.text
    answer = client.post(f"{path}/columns", data=ROLES | {"role_4": ""})
    assert answer.status_code == 400
    assert "no role" in answer.text
    ask(client, project, k="500")
    until(lambda: "failed" in client.get(f"{path}/runs").text)
    assert "every class needs 500 rows" in client.get(f"{path}/runs/run-1").text


def test_rules_beyond_k_are_asked_for_and_kept(server, client):
    project = decided(client)
    searched(client, project, rule_0="distinct", number_0="2", column_0="ill", rule_1="max_risk",
             number_1="0.2")  # fmt: skip
    run = server.folder / "me" / project / "jobs" / "run-1"
    policy = load(run / "policy.toml").policy
    assert {rule.name for rule in policy.require} >= {"distinct l-diversity", "maximum risk"}
    result = json.loads((run / "result.json").read_text())
    assert result["risk"]["highest"] <= 0.2
    text = client.get(f"/projects/{project}/requirements").text
    assert 'value="distinct" selected' in text
    assert 'value="max_risk" selected' in text


@thorough
def test_what_a_policy_file_says_beyond_the_pages_is_kept(client):
    project = decided(client)
    policy = """
identifiers = ["name"]
sensitive = ["ill"]
[quasi_identifiers]
age = { bands = [5, 20], show = "interval" }
zip = { prefix = true, levels = [1, 3] }
sex = { flat = true }
[require]
k_anonymity = 4
alpha_k = [{ column = "ill", alpha = 0.9, k = 4 }]
"""
    answer = client.post(f"/projects/{project}/policy", files={"policy": ("p.toml", policy)})
    assert answer.status_code == 303
    searched(client, project, k="4", by="mondrian")
    text = client.get(f"/projects/{project}/runs/run-1/policy").text
    assert "alpha_k" in text
    assert 'show = "interval"' in text
    assert "levels = [1, 3]" in text
    broken = client.post(f"/projects/{project}/policy", files={"policy": ("p.toml", "k = [")})
    assert broken.status_code == 400
    assert "not TOML" in broken.text


def test_cells_that_a_spreadsheet_would_run_are_said_and_can_be_had_as_text(client):
    rows = list(csv.reader(io.StringIO(table().decode())))
    evil = ["=cmd|' /C calc'!A0", "@sum(1)", "+1+1", "-2", "flu"]
    for at, row in enumerate(rows[1:]):
        row[4] = evil[at % 5]
    content = io.StringIO()
    csv.writer(content).writerows(rows)
    project = decided(client, content.getvalue().encode())
    [path] = searched(client, project)
    page = client.get(path).text
    assert "A spreadsheet may run them" in page
    release = list(csv.reader(io.StringIO(client.get(f"{path}/release").text)))
    safe = list(csv.reader(io.StringIO(client.get(f"{path}/spreadsheet").text)))
    assert len(release) == len(safe)
    at = release[0].index("ill")
    for before, after in zip(release[1:], safe[1:], strict=True):
        runs = before[at] in evil[:3]
        assert after[at] == ("'" if runs else "") + before[at]
        assert [one for i, one in enumerate(after) if i != at] == [
            one for i, one in enumerate(before) if i != at
        ]
    headers = client.get(f"{path}/release").headers
    assert headers["content-disposition"].startswith("attachment")
    assert headers["content-type"] == "application/octet-stream"


def test_an_upload_that_is_too_large_is_refused_and_leaves_nothing(tmp_path):
    with serving(tmp_path, "--upload", "20KB") as server, server.client() as client:
        answer = client.post("/projects", files={"file": ("t.csv", b"a,b\n" + b"1,2\n" * 9000)})
        assert answer.status_code == 413
        assert "--upload" in answer.text

        def chunks():
            yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\n'
            for _ in range(100):
                yield b"1,2\n" * 1000

        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        answer = client.post("/projects", content=chunks(), headers=kind)
        assert answer.status_code == 413
        assert list((server.folder / "me").iterdir()) == []
        temporary = (server.folder / ".temporary").rglob("*")
        assert [path for path in temporary if path.is_file()] == []
        upload(client, b"a,b\n1,2\n2,3\n")


def test_tables_of_a_folder_and_of_databases(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "people.csv").write_bytes(TABLE)
    (tmp_path / "secret.csv").write_bytes(TABLE)
    (data / "link.csv").symlink_to(tmp_path / "secret.csv")
    with duckdb.connect(str(data / "base.duckdb")) as base:
        base.execute(f"CREATE TABLE people AS FROM read_csv('{data / 'people.csv'}')")
        base.execute("CREATE TABLE other AS SELECT 1 AS a")
        base.execute("CREATE VIEW spy AS SELECT * FROM read_text('/etc/hostname')")
    before = (data / "base.duckdb").read_bytes()
    with serving(tmp_path, "--data", str(data)) as server, server.client() as client:
        page = client.get("/").text
        assert "people.csv" in page
        assert "base.duckdb?table=main.people" in page
        assert "spy" not in page
        for name in ("../secret.csv", "/etc/passwd", "nothing.csv", "link.csv",
                     "base.duckdb?table=main.spy"):  # fmt: skip
            answer = client.post("/projects", data={"table": name})
            assert answer.status_code == 400, name
        for name in ("people.csv", "base.duckdb?table=main.people"):
            answer = client.post("/projects", data={"table": name})
            assert answer.status_code == 303, name
        project = answer.headers["location"].split("/")[2]
        until(lambda: "role_0" in client.get(f"/projects/{project}/columns").text)
        client.post(f"/projects/{project}/columns", data=ROLES)
        [path] = searched(client, project)
        assert 'id="download"' in client.get(path).text
        for name, status in (("people", 303), ("spy", 400), ("", 400)):
            files = {"file": ("my.duckdb", before)}
            answer = client.post("/projects", files=files, data={"inside": name})
            assert answer.status_code == status, name
        assert "main.other, main.people" in answer.text
    assert (data / "base.duckdb").read_bytes() == before
    assert (data / "people.csv").read_bytes() == TABLE


@thorough
@pytest.mark.parametrize("form", [b"parquet", b"csv"])
def test_the_release_has_the_form_of_the_table(tmp_path, server, client, form):
    import pyarrow as pa
    import pyarrow.parquet as pq

    content, name = TABLE, "people.csv"
    if form == b"parquet":
        rows = list(csv.DictReader(io.StringIO(TABLE.decode())))
        typed = pa.table({"name": [r["name"] for r in rows], "age": [int(r["age"]) for r in rows],
                          "zip": [r["zip"] for r in rows], "sex": [r["sex"] for r in rows],
                          "ill": [r["ill"] for r in rows]})  # fmt: skip
        pq.write_table(typed, tmp_path / "people.parquet")
        content, name = (tmp_path / "people.parquet").read_bytes(), "people.parquet"
    project = upload(client, content, name)
    client.post(f"/projects/{project}/columns", data=ROLES)
    assert "30" in client.get(f"/projects/{project}/columns/1").text
    [path] = searched(client, project)
    release = tmp_path / f"release.{form.decode()}"
    release.write_bytes(client.get(f"{path}/release").content)
    certificate = tmp_path / f"{release.name}.certificate.json"
    certificate.write_bytes(client.get(f"{path}/certificate").content)
    assert la.verify(release).passed


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ('zip = { tree = "/etc/passwd" }', "quasi_identifiers.zip.tree"),
        ('[population]\ntable = "/etc/passwd"', "population.table"),
        ('[search]\nby = "k-optimize:start=/etc/passwd"', "search.by"),
        ('[[require.t_closeness]]\ncolumn = "ill"\nt = 0.2\ndistance = "hierarchical"\n'
         'tree = "../secret.csv"', "require.t_closeness.1.tree"),
    ],
)  # fmt: skip
def test_a_policy_that_is_sent_names_no_files(client, sent, line, place):
    policy = f'identifiers = ["name"]\nsensitive = ["ill"]\n[quasi_identifiers]\n{line}\n'
    files = {"policy": ("p.toml", policy)}
    answer = client.post(f"/projects/{sent}/policy", files=files)
    assert answer.status_code == 400
    assert place in answer.text
    assert "cannot name files" in answer.text


def test_an_algorithm_takes_no_files_either(client, sent):
    answer = ask(client, sent, by="k-optimize:resume=/etc/passwd")
    assert answer.status_code == 400
    assert "cannot name files or options" in answer.text


@pytest.fixture(scope="module")
def sent(server):
    with server.client() as client:
        return decided(client)


def test_a_project_that_is_removed_while_it_runs_leaves_the_queue_working(server, client):
    project = decided(client)
    ask(client, project, by="cell-optimal", seconds="")
    run = server.folder / "me" / project / "jobs" / "run-1"
    until((run / "events.jsonl").exists)
    assert client.post(f"/projects/{project}/remove").status_code == 303
    assert not (server.folder / "me" / project).exists()
    assert client.get(f"/projects/{project}/runs").status_code == 404
    until(lambda: not running(run))
    other = decided(client)
    searched(client, other)


def test_a_policy_for_another_table_is_refused_and_changes_nothing(client, sent):
    before = client.get(f"/projects/{sent}/requirements").text
    require = "[require]\nk_anonymity = 3\n"
    policy = f'sensitive = ["nope"]\n[quasi_identifiers]\nage = {{ bands = [5] }}\n{require}'
    answer = client.post(f"/projects/{sent}/policy", files={"policy": ("p.toml", policy)})
    assert answer.status_code == 400
    assert "sensitive.nope" in answer.text
    assert "has no role" in answer.text
    assert client.get(f"/projects/{sent}/requirements").text == before
    assert ask(client, sent, k="").status_code == 400


def test_roles_that_are_refused_are_not_kept(client, sent):
    wrong = dict.fromkeys(ROLES, "sensitive")
    answer = client.post(f"/projects/{sent}/columns", data=wrong)
    assert answer.status_code == 400
    assert answer.text.count('value="sensitive" selected') == 5  # to be fixed, not typed again
    assert client.get(f"/projects/{sent}/columns").text.count('value="sensitive" selected') == 1
