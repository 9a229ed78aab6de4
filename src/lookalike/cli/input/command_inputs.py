"""Read what a command works on: table, policy and solution. The faults of all come in one error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import lookalike as la
from lookalike import api
from lookalike.cli.input.locations import Locations
from lookalike.cli.input.request import Request
from lookalike.cli.input.table_address import open_location
from lookalike.errors import FaultCollector, PolicyError

ReadRequest = Callable[[api.Table | None], Request | None]


@dataclass(frozen=True, slots=True)
class CommandInputs:
    """The inputs of a command that makes a release."""

    table: api.Table
    request: Request
    solution: la.Solution | None = None


def read_inputs(
    locations: Locations, read_request: ReadRequest, solution: Path | None = None
) -> CommandInputs:
    """Check the outputs, and read every input.

    ``read_request`` gets the table, or None if it cannot be opened; it may then return None. The
    key and the ledger are checked here only if something else is wrong. Otherwise the pipeline
    checks them, together with the roles of the columns.
    """
    faults = FaultCollector()
    table = request = loaded = None
    with faults.check():
        locations.check()
    with faults.check():
        if not faults.errors or isinstance(locations.table, Path):  # a database is left alone
            table = open_location(locations.table)
    with faults.check():
        request = read_request(table)
    with faults.check():
        loaded = api.load_solution(solution) if solution is not None else None
    if faults.errors:
        policy = None if request is None else request.policy
        _collect_later_faults(faults, locations, policy, table)
    faults.raise_faults()
    assert table is not None
    assert request is not None
    return CommandInputs(table, request, loaded)


def _collect_later_faults(
    faults: FaultCollector, locations: Locations, policy: la.Policy | None, table: api.Table | None
) -> None:
    """What the pipeline would check next. A fault that is known already is reported once."""
    with faults.check():
        if policy is None and locations.policy is not None:
            policy = api.load_policy_file(locations.policy).policy
    with faults.check():
        if policy is None:
            api.read_key(locations.key)
        else:
            api.needed_key(policy, locations.key)
    with faults.check():
        if policy is not None and table is not None and (roles := policy.faults(table.columns)):
            raise PolicyError(roles)
    with faults.check():
        if locations.ledger is not None:
            la.Ledger(locations.ledger)
