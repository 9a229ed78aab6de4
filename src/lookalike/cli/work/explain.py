"""Meet the policy with the table, and show what that gives, before anything is searched."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from lookalike import api
from lookalike.cli.address import Address, open_place
from lookalike.cli.asked import Flags, SearchFlags, from_file
from lookalike.cli.holder import without_asking
from lookalike.cli.show_problem import explanation
from lookalike.cli.talk import Talk


def explain_policy(talk: Talk, table: Path | Address, policy: Path) -> None:
    asked = from_file(policy, Flags(), SearchFlags())
    with talk.doing("Counting who looks alike"):
        opened = open_place(table)
        explained = api.explain(api.prepare(opened, asked.policy), without_asking(asked.search.by))
        total = opened.rows()
    talk.document |= {"table": opened.name, "rows_of_table": total, **asdict(explained)}
    talk.answer(*explanation(explained, asked.policy, total))
