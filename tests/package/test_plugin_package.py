"""A package beside lookalike adds one of each kind by a class and an entry point, and nothing else.

It is laid out as an installer would, in a folder that is put on the path of new processes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import ipc
from waiting import until
from web_parts import serving

PACKAGE = Path(__file__).parent.parent / "plugin_package"
ROWS = [
    {"age": 20 + n % 9, "job": ["nurse", "notary", "cook"][n % 3], "ill": ["flu", "cold"][n % 2]}
    for n in range(60)
]
POLICY = """
sensitive = ["ill"]

[quasi_identifiers]
age = { bands = [5, 10] }
job = { initial = true }

[require]
k_anonymity = 3
minority = [{ column = "ill", rows = 1 }]

[spend]
metric = "star-share"

[search]
by = "round-robin:backwards"
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the package and what an installer writes about it."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(PACKAGE / "lookalike_example", folder / "lookalike_example")
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    about = folder / f"lookalike_example-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def here(tmp_path, installed, monkeypatch):
    """The folder of a user who has the package, a shelf with a table, and a policy."""
    with ipc.new_file(tmp_path / "people.arrow", pa.Table.from_pylist(ROWS).schema) as file:
        file.write_table(pa.Table.from_pylist(ROWS))
    (tmp_path / "policy.toml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(installed))
    monkeypatch.setenv("LOOKALIKE_SHELF", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def python(*arguments, code=0):
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=os.environ, check=False
    )
    assert done.returncode == code, done.stderr + done.stdout
    return done.stdout


def lookalike(*arguments, code=0):
    return python("-m", "lookalike", *arguments, code=code)


def test_help_names_all_five(here):
    told = lookalike("run", "--help")
    for name in ("round-robin", "star-share", "minority", "initial", "shelf:"):
        assert name in told, name
    assert "round-robin" in lookalike("compare", "--help")


def test_a_policy_file_is_read_run_verified_and_saved(here):
    run = ("run", "shelf:people", "policy.toml", "-o", "shelf:shared", "--save-policy", "used.toml")
    document = json.loads(lookalike(*run, "--json"))
    assert document["solution"]["algorithm"] == "round-robin"
    saved = tomllib.loads((here / "used.toml").read_text())
    given = tomllib.loads(POLICY)
    for part in ("quasi_identifiers", "require", "search"):
        assert given[part].items() <= saved[part].items()
    assert saved["spend"]["metric"] == "star-share"
    lookalike("verify", "shelf:shared")
    original = ("--original", "shelf:people", "--policy", "policy.toml")
    lookalike("solve", "shelf:people", "policy.toml", "-o", "solution.json")
    lookalike("verify", "shelf:shared", *original, "--solution", "solution.json")


def test_the_certificate_says_which_checks_rest_on_the_package(here):
    lookalike("run", "shelf:people", "policy.toml", "-o", "out.csv")
    certificate = json.loads((here / "out.csv.certificate.json").read_text())
    assert certificate["packages"] == ["lookalike_example"]
    note = "This check uses a definition of the package lookalike_example, not of lookalike"
    checks = {found["check"] for found in certificate["findings"] if note in found["sentence"]}
    assert checks == {"minority rows", "labels", "cost", "optimality"}


def test_without_the_package_the_certificate_says_what_to_install(here, monkeypatch):
    lookalike("run", "shelf:people", "policy.toml", "-o", "out.csv")
    monkeypatch.delenv("PYTHONPATH")
    done = subprocess.run(
        [sys.executable, "-m", "lookalike", "verify", "out.csv"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "lookalike_example, which is not installed" in done.stderr


def test_explain_names_the_metric(here):
    assert "The metric to minimize is star-share." in lookalike(
        "explain", "shelf:people", "policy.toml"
    )


def test_compare_runs_the_algorithm_and_measures_by_the_metric(here):
    told = lookalike("compare", "shelf:people", "policy.toml", "--by", "all", "--json")
    rows = {row["algorithm"]: row for row in json.loads(told)["rows"]}
    assert rows["round-robin"]["refusal"] is None
    assert rows["flash"]["solution"]["status"] == "optimal"
    assert "star-share" in rows["flash"]["measures"]
    assert rows["flash"]["measures"]["star-share"] <= rows["round-robin"]["measures"]["star-share"]


def test_an_exact_search_proves_the_best_by_the_metric_and_the_verifier_agrees(here):
    document = json.loads(
        lookalike("run", "shelf:people", "policy.toml", "--by", "flash", "-o", "o.csv", "--json")
    )
    assert document["solution"]["status"] == "optimal"
    certificate = json.loads((here / "o.csv.certificate.json").read_text())
    assert certificate["verified"] is True


def test_the_studio_offers_all_five(here):
    (here / "studio").mkdir()
    with serving(here / "studio") as running, running.client() as client:
        assert "shelf:people" in client.get("/").text
        answer = client.post("/projects", data={"address": "shelf:people"})
        assert answer.status_code == 303, answer.text
        project = answer.headers["location"].split("/")[2]
        page = f"/projects/{project}"
        until(lambda: "Reading the table" not in client.get(f"{page}/columns").text)
        roles = {
            "role_0": "quasi_identifiers",
            "role_1": "quasi_identifiers",
            "role_2": "sensitive",
        }
        assert client.post(f"{page}/columns", data=roles).status_code == 303
        assert "initial = true" in client.get(f"{page}/columns/1").text
        form = {"kind": "initial", "spec_initial": "initial = true", "finest": "0", "weight": "1"}
        assert "n…" in client.post(f"{page}/columns/1/preview", data=form).text
        assert client.post(f"{page}/columns/1", data=form).status_code == 303
        asked = client.get(f"{page}/requirements").text
        for name in ("round-robin", "star-share", "minority rows"):
            assert name in asked, name
        fields = {
            "k": "3", "metric": "star-share", "by": "round-robin", "then": "run", "suppress": "0",
            "rule_0": "minority", "number_0": "1", "column_0": "ill",
        }  # fmt: skip
        answer = client.post(f"{page}/requirements", data=fields)
        assert answer.status_code == 303, answer.text
        candidate = answer.headers["location"]
        until(lambda: "star share" in client.get(candidate).text)


def test_its_classes_keep_the_contracts(here):
    shutil.copytree(PACKAGE / "tests", here / "tests")
    python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(here / "tests"))
