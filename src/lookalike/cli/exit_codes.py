"""The exit codes of commands."""

from __future__ import annotations

from enum import IntEnum

from lookalike.errors import Infeasible, LookalikeError, NotProven, ReleaseRefused


class Exit(IntEnum):
    """Fixed, because scripts rely on them; usage errors (2) come from typer."""

    DONE = 0
    INPUT = 1  # the policy, the table, or the choice of algorithm
    USAGE = 2
    INFEASIBLE = 3  # proved
    REFUSED = 4  # verification failed, nothing written
    WEAKER = 5  # than --want
    INTERNAL = 70  # a bug in lookalike (EX_SOFTWARE of sysexits.h)
    INTERRUPTED = 130  # by Ctrl-C; by another signal 128 and its number, as shells have it


def exit_code(error: LookalikeError) -> Exit:
    """The exit code of an error."""
    codes = {Infeasible: Exit.INFEASIBLE, ReleaseRefused: Exit.REFUSED, NotProven: Exit.WEAKER}
    return next((code for kind, code in codes.items() if isinstance(error, kind)), Exit.INPUT)


def signal_exit_code(number: int) -> int:
    """The exit code after a signal: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP."""
    return 128 + number
