"""``lookalike screen``: what do the columns that a policy keeps reveal?"""

from __future__ import annotations

from lookalike import api
from lookalike.cli import options
from lookalike.cli.input.table_address import open_location
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import PolicyError
from lookalike.events import Phase


def screen(terminal: Terminal, table: options.Table, policy: options.PolicyPath) -> None:
    """Find what the kept columns reveal. Exit code 0: nothing that is refused."""
    from lookalike.cli.input.request import request_from_file
    from lookalike.cli.output.screening import screening_facts, screening_report

    request = request_from_file(policy)
    opened = open_location(table)
    with terminal.step(Phase.SCREENING.heading):
        screening = api.screen(opened, request.policy)
    terminal.document |= {"table": opened.name, **screening_facts(screening, request.policy)}
    terminal.answer(*screening_report(screening, request.policy))
    if faults := api.gate_faults(screening, request.policy):
        raise PolicyError(faults)
