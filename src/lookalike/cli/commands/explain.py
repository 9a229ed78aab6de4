"""``lookalike explain``: what a policy requires of a table, and how large the search is."""

from __future__ import annotations

from dataclasses import asdict

from lookalike.cli import options
from lookalike.cli.input.table_address import open_location
from lookalike.cli.terminal.terminal import Terminal
from lookalike.events import Phase


def explain(terminal: Terminal, table: options.Table, policy: options.PolicyPath) -> None:
    """Check a policy against a table. Shows how large the search is."""
    from lookalike import api
    from lookalike.cli.input.request import request_from_file, without_prompt
    from lookalike.cli.output.problem import explanation_report
    from lookalike.cli.output.screening import screening_facts, screening_report

    request = request_from_file(policy)
    with terminal.step("Counting who looks alike"):
        opened = open_location(table)
        problem = api.prepare(opened, request.policy)
        explained = api.explain(problem, without_prompt(request.search.by))
        total = opened.rows()
    with terminal.step(Phase.SCREENING.heading):
        screening = api.screen(opened, request.policy)
    terminal.document |= {"table": opened.name, "rows_of_table": total, **asdict(explained)}
    terminal.document["screening"] = screening_facts(screening, request.policy)
    terminal.answer(*explanation_report(explained, request.policy, total))
    terminal.answer(*screening_report(screening, request.policy))
