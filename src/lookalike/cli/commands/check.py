"""``lookalike check``: does a table already meet requirements? Scripts can use the exit code."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import lookalike as la
from lookalike import api
from lookalike.cli import options
from lookalike.cli.input.table_address import open_location
from lookalike.cli.options import option
from lookalike.cli.terminal.terminal import Terminal

Columns = Annotated[
    list[str] | None,
    option(
        "--by COLUMNS", "The quasi-identifiers: columns an outsider could know. May be repeated."
    ),
]
PolicyFile = Annotated[
    Path | None, option("--policy FILE", "Use the columns and requirements of a policy.")
]


def check(
    terminal: Terminal,
    table: options.Table,
    by: Columns = None,
    policy: PolicyFile = None,
    k: options.K = None,
    require: options.Require = None,
) -> None:
    """Check whether a table already meets requirements. Exit code 0: yes; 4: no."""
    from lookalike.cli.input.column_list import split_columns
    from lookalike.cli.input.requirement_flag import read_requirements
    from lookalike.cli.output.solution import verdict_summary

    if policy is None and not by:
        raise typer.BadParameter("name the quasi-identifiers with --by, or give a --policy")
    rules: list[api.Requirement] = list(read_requirements(require or ()))
    loaded = api.load_policy(policy) if policy is not None else None
    if k is not None:
        rules.insert(0, la.KAnonymity(k))
    with terminal.step("Counting who looks alike"):
        opened = open_location(table)
        columns = split_columns(by or (), opened.columns) or (loaded.names if loaded else ())
        verdict = api.check(opened, columns, rules or None, policy=loaded)
    terminal.document |= {
        "table": opened.name,
        "columns": columns,
        "passed": verdict.passed,
        **asdict(verdict),
    }
    bad = "The table does not meet the requirements."
    terminal.answer(*verdict_summary(verdict, opened.name, bad))
    verdict.expect_passed()
