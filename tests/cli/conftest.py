"""A small hospital on disk, and the program, called in this process."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_program import Ended, Program
from typer.testing import CliRunner

from lookalike.cli.app import app
from lookalike.demo_data.patients import patients, write_csv
from lookalike.demo_data.policy import policy_text


@pytest.fixture
def lookalike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """The program, run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*typed: object) -> Ended:
        result = CliRunner().invoke(app, [str(one) for one in typed])
        assert "Traceback" not in result.output
        return Ended(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    """The folder, with patients.csv and policy.toml in it."""
    write_csv(tmp_path / "patients.csv", patients(400, seed=1))
    (tmp_path / "policy.toml").write_text(policy_text(3), encoding="utf-8")
    return tmp_path
