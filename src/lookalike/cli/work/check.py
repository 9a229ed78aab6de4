"""Count who looks alike, and hold it against what is required."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from lookalike import api
from lookalike.cli.input.column_list import split_columns
from lookalike.cli.input.request import K
from lookalike.cli.input.requirement_flag import read_requirements
from lookalike.cli.input.table_address import Address, open_place
from lookalike.cli.output.solution import verdict_summary
from lookalike.cli.terminal.terminal import Terminal
from lookalike.policy.policy_file import load
from lookalike.privacy.k_anonymity import KAnonymity
from lookalike.privacy.requirement import Requirement


def check_table(
    terminal: Terminal,
    table: Path | Address,
    by: Sequence[str],
    policy: Path | None,
    k: int | None,
    require: Sequence[str],
) -> None:
    rules: list[Requirement] = list(read_requirements(require))
    asked = load(policy).policy if policy is not None else None
    if k is not None or not (rules or asked):
        rules.insert(0, KAnonymity(k or K))
    with terminal.doing("Counting who looks alike"):
        opened = open_place(table)
        columns = split_columns(by, opened.columns) or (asked.names if asked else ())
        verdict = api.check(opened, columns, rules or None, policy=asked)
    terminal.document |= {
        "table": opened.name,
        "columns": columns,
        "passed": verdict.passed,
        "findings": [asdict(finding) for finding in verdict.findings],
        "not_checked": verdict.not_checked,
    }
    bad = "It does not keep what was asked, as it is."
    terminal.answer(*verdict_summary(verdict, opened.name, bad, ""))
    verdict.expect_passed()
