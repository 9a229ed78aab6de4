"""Check an output table of a database before the work begins."""

from __future__ import annotations

from pathlib import Path

from lookalike.cli.input.table_address import Address
from lookalike.errors import Fault, FileError, LookalikeError

UNREACHABLE = "the server does not answer"


def check_output(out: Address, table: Path | Address, *, force: bool) -> None:
    """Find out now what would prevent writing the release at the end."""
    given = table.check() if isinstance(table, Address) else None
    exists, is_input = out.check().find_existing(given)
    if is_input:
        problem = "this is the input table or part of it, and is never replaced"
        raise FileError(Fault(out.name, problem, "write to another table"))
    if exists and not force:
        fix = "choose another name, or add --force"
        raise FileError(Fault(out.name, "the table exists", fix))


def table_version(out: Address) -> object:
    """Changes when a table is replaced; None if there is no table, or UNREACHABLE."""
    try:
        return out.check().mark()
    except LookalikeError:
        return UNREACHABLE
