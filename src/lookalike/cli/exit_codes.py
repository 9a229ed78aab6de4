"""How a command ends: one number for each way to end."""

from __future__ import annotations

from enum import IntEnum

from lookalike.errors import Infeasible, LookalikeError, NotProven, ReleaseRefused


class Exit(IntEnum):
    """Fixed, because scripts rest on them; usage errors (2) are typer's own."""

    DONE = 0
    INPUT = 1  # the policy, the table, or the choice of algorithm
    USAGE = 2
    INFEASIBLE = 3  # and that is proved
    REFUSED = 4  # verification failed, nothing written
    WEAKER = 5  # than --want
    INTERNAL = 70  # a bug of ours (EX_SOFTWARE of sysexits.h)
    INTERRUPTED = 130


def exit_of(error: LookalikeError) -> Exit:
    """The number that goes with an error."""
    if isinstance(error, Infeasible):
        return Exit.INFEASIBLE
    if isinstance(error, ReleaseRefused):
        return Exit.REFUSED
    if isinstance(error, NotProven):
        return Exit.WEAKER
    return Exit.INPUT
