"""``lookalike explain``: what a policy asks of a table."""

from __future__ import annotations

from lookalike.cli import options
from lookalike.cli.terminal.terminal import Terminal


def explain(terminal: Terminal, table: options.Table, policy: options.PolicyPath) -> None:
    """Check a policy against a table. Says how large the search would be."""
    from lookalike.cli.work.explain import explain_policy

    explain_policy(terminal, table, policy)
