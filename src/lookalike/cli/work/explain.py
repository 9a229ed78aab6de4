"""Meet the policy with the table, and show what that gives, before anything is searched."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from lookalike import api
from lookalike.cli.input.request import Flags, SearchFlags, from_file
from lookalike.cli.input.table_address import Address, open_place
from lookalike.cli.output.problem import explanation
from lookalike.cli.terminal.mu_argus_prompt import without_asking
from lookalike.cli.terminal.terminal import Terminal


def explain_policy(terminal: Terminal, table: Path | Address, policy: Path) -> None:
    asked = from_file(policy, Flags(), SearchFlags())
    with terminal.doing("Counting who looks alike"):
        opened = open_place(table)
        explained = api.explain(api.prepare(opened, asked.policy), without_asking(asked.search.by))
        total = opened.rows()
    terminal.document |= {"table": opened.name, "rows_of_table": total, **asdict(explained)}
    terminal.answer(*explanation(explained, asked.policy, total))
