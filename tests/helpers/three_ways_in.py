"""The faults of one run, through the API, the command line and the studio.

Each reads ``table.csv`` and ``policy.toml`` of the current folder.
"""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli.app import app


def faults_of(error):
    return [(fault.where, fault.problem, fault.fix) for fault in error.faults]


def through_the_api(ledger=None):
    with pytest.raises(la.LookalikeError) as caught:
        la.anonymize("table.csv", la.load_policy("policy.toml"), ledger=ledger)
    return faults_of(caught.value)


def through_the_command_line(ledger=None):
    more = ["--ledger", ledger] if ledger else []
    command = ["run", "table.csv", "policy.toml", "-o", "out.csv", "--json", *more]
    ended = CliRunner().invoke(app, command)
    assert ended.exit_code == 1
    document = json.loads(ended.stdout)
    return [(fault["where"], fault["problem"], fault["fix"]) for fault in document["faults"]]


def through_the_studio(tmp_path, monkeypatch, ledger=None):
    from lookalike.web.project.job import LEDGER_FOLDER
    from lookalike.web.worker import main as work

    folder = tmp_path / "run-1"
    folder.mkdir()
    asked = {"kind": "run", "source": str(tmp_path / "table.csv"), "called": "table.csv"}
    (folder / "job.json").write_text(json.dumps(asked))
    (folder / "policy.toml").write_text((tmp_path / "policy.toml").read_text())
    if ledger:
        monkeypatch.setenv(LEDGER_FOLDER, ledger)
    work(folder)
    state = json.loads((folder / "state.json").read_text())
    assert state["state"] == "failed"
    return [(fault["where"], fault["problem"], fault["fix"]) for fault in state["faults"]]
