"""What stands at an address already: looked at before the work begins, as files are."""

from __future__ import annotations

from pathlib import Path

from lookalike.cli.input.table_address import Address
from lookalike.errors import Fault, FileError, LookalikeError

UNSEEN = "the server does not answer"


def check_output(out: Address, table: Path | Address, *, force: bool) -> None:
    """Whatever can be seen now of what would keep the release from being written at the end."""
    given = table.check() if isinstance(table, Address) else None
    exists, is_input = out.check().stands(given)
    if is_input:
        problem = "this is the input table, or part of it, which is never written over"
        raise FileError(Fault(out.name, problem, "write to another table"))
    if exists and not force:
        fix = "choose another name, or add --force"
        raise FileError(Fault(out.name, "the table exists", fix))


def mark(out: Address) -> object:
    """By which a table that was replaced is known; None if there is none, or UNSEEN."""
    try:
        return out.check().mark()
    except LookalikeError:
        return UNSEEN
