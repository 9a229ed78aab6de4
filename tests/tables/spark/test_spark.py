"""Spark gives the same releases and certificates: in one process, on a cluster, through Connect."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import spark_run
from effort import THOROUGH, without
from spark_cluster import Cluster, cluster, connect, missing
from spark_run import few, few_policy
from typed_table import typed, typed_policy

import lookalike as la
from engines.test_engines_agree import FINE, POLICIES, expected

pytestmark = [
    without(missing() or "", missing() is not None),
    pytest.mark.xdist_group("spark"),
]
PROGRAM = Path(spark_run.__file__)
NAMES = ["people", "shared"]


def start(mode: str, address: str, folder: Path, *tasks: str) -> subprocess.Popen[str]:
    asked = [sys.executable, str(PROGRAM), mode, address, str(folder), *tasks]
    return subprocess.Popen(
        asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(mode: str, address: str, folder: Path, *tasks: str) -> dict[str, dict[str, Any]]:
    output, errors = start(mode, address, folder, *tasks).communicate(timeout=3600)
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


@pytest.mark.skipif(not THOROUGH, reason="takes a minute or two: LOOKALIKE_THOROUGH=1")
def test_in_one_process(tmp_path: Path) -> None:
    typed_ones = {"typed": typed_policy(), "own values": typed_policy(**FINE)}
    found = run("local", "local[2]", tmp_path, *POLICIES, *typed_ones, "empty", "floor")
    for name in POLICIES:
        as_expected(found[name], name)
    as_expected(found["floor"], "some rows")
    for task, asked in typed_ones.items():
        assert found[task]["certificate"] == la.anonymize(typed(), asked).certificate.to_json()
    nobody = la.anonymize(typed().slice(0, 0), typed_policy())
    assert found["empty"]["certificate"] == nobody.certificate.to_json()
    assert found["empty"]["rows"] == []


@pytest.mark.parametrize("mode", ["connect", "cluster"])
def test_on_a_cluster_that_loses_its_workers(mode: str) -> None:
    """Daily through Connect, and one policy; thoroughly from a driver of our own as well."""
    if mode == "cluster" and not THOROUGH:
        pytest.skip("takes a minute or two: LOOKALIKE_THOROUGH=1")
    tasks = [*(["starred", "typed", "table out"] if THOROUGH else []), "leaks", "lost"]
    with cluster() as running, connect(running) if mode == "connect" else nullcontext("") as at:
        found = losing_workers(running, mode, at or running.master, tasks)
    here = la.anonymize(few(), few_policy())
    assert found["lost"]["certificate"] == here.certificate.to_json()
    assert "run again; nothing was written" in found["lost"]["error"]
    assert "released" not in found["lost"]["tables"]  # no part of a release is to be seen
    assert not [name for name in found["lost"]["tables"] if "lookalike" in name]
    assert found["lost"]["again"]
    assert len(found["leaks"]["forms"]) == 6
    assert found["leaks"]["leaks"] == []
    if THOROUGH:
        as_expected(found["starred"], "starred")
        written(found["table out"])
        typed_there = la.anonymize(typed(), typed_policy()).certificate.to_json()
        assert found["typed"]["certificate"] == typed_there


def losing_workers(
    running: Cluster, mode: str, address: str, tasks: list[str]
) -> dict[str, dict[str, Any]]:
    process = start(mode, address, running.folder, *tasks)
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
    _, errors = process.communicate(timeout=600)
    assert list(found) == tasks, errors[-3000:]
    return found
