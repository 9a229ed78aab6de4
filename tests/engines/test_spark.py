"""Spark gives the same releases and certificates: in one process, on a cluster, through Connect."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_engines_agree import FINE, POLICIES, expected
from typed_table import typed, typed_policy

import lookalike as la
from effort import THOROUGH, without
from spark_cluster import Cluster, cluster, connect, missing

pytestmark = [
    without(missing() or "", missing() is not None),
    pytest.mark.xdist_group("spark"),
]
PROGRAM = Path(__file__).with_name("spark_run.py")
NAMES = ["people", "shared"]


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    with cluster() as found:
        yield found


def start(mode: str, address: str, folder: Path, *tasks: str) -> subprocess.Popen[str]:
    asked = [sys.executable, str(PROGRAM), mode, address, str(folder), *tasks]
    return subprocess.Popen(
        asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(mode: str, address: str, folder: Path, *tasks: str) -> dict[str, dict[str, Any]]:
    output, errors = start(mode, address, folder, *tasks).communicate(timeout=600)
    found = {line["task"]: line for line in map(json.loads, output.splitlines())}
    assert list(found) == list(tasks), errors[-3000:]
    return found


def as_expected(found: dict[str, Any], policy: str) -> None:
    here = expected(policy)
    rows = sorted(([*row] for row in here["rows"].elements()), key=str)
    assert found["kind"] == "DataFrame"
    assert found["cost"] == here["cost"]
    assert found["suppressed"] == here["suppressed"]
    assert found["levels"] == list(here["levels"])
    assert found["rows"] == rows
    assert found["certificate"].encode() == here["certificate"]


def written(found: dict[str, Any]) -> None:
    assert found["name"] == "default.shared"
    assert found["verified"]
    assert found["forced"]
    assert found["tables"] == NAMES  # and no other: nothing is left behind
    assert "exists" in found["again"]
    assert "input" in found["itself"]
    assert "no such table" in found["unknown"]


def test_in_one_process(tmp_path: Path) -> None:
    policies = [*POLICIES] if THOROUGH else ["starred"]
    typed_ones = {"typed": typed_policy()} | (
        {"own values": typed_policy(**FINE)} if THOROUGH else {}
    )
    found = run("local", "local[2]", tmp_path, *policies, *typed_ones, "empty", "floor")
    for name in policies:
        as_expected(found[name], name)
    as_expected(found["floor"], "some rows")
    for task, asked in typed_ones.items():
        assert found[task]["certificate"] == la.anonymize(typed(), asked).certificate.to_json()
    nobody = la.anonymize(typed().slice(0, 0), typed_policy())
    assert found["empty"]["certificate"] == nobody.certificate.to_json()
    assert found["empty"]["rows"] == []


def test_through_connect(running: Cluster) -> None:
    with connect(running) as address:
        found = run("connect", address, running.folder, "a share", "table out")
    as_expected(found["a share"], "a share")
    written(found["table out"])


def test_on_a_cluster_that_loses_its_workers(running: Cluster) -> None:
    tasks = ["starred", "typed", "lost"]
    process = start("cluster", running.master, running.folder, *tasks)
    assert process.stdout is not None
    assert process.stdin is not None
    found = {}
    for line in map(json.loads, process.stdout):
        if "waiting" in line:
            running.lose_workers()
            running.add_worker()
            process.stdin.write("go on\n")
            process.stdin.flush()
        else:
            found[line["task"]] = line
    process.communicate(timeout=60)
    as_expected(found["starred"], "starred")
    typed_there = la.anonymize(typed(), typed_policy()).certificate.to_json()
    assert found["typed"]["certificate"] == typed_there
    assert "run again; nothing was written" in found["lost"]["error"]
    assert found["lost"]["tables"] == ["people"]  # no part of a release is to be seen
    assert found["lost"]["again"]
