"""What is kept of a search that was cut short, and how to go on from it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lookalike.cli.input.locations import Places
from lookalike.cli.input.output_check import UNSEEN, mark
from lookalike.cli.input.output_files import free, write_private
from lookalike.cli.input.request import Asked, portable
from lookalike.cli.input.table_address import Address
from lookalike.cli.output.claim import so_far
from lookalike.cli.terminal.interrupt import Interrupted
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import LookalikeError, TableError
from lookalike.policy import policy_file
from lookalike.solution import solution_file
from lookalike.solution.solution import Solution


def keep_best(
    terminal: Terminal, places: Places, asked: Asked, solution: Solution, more: str = ""
) -> Interrupted:
    """Save the best so far, and the policy if no file holds it; the exception says how to go on."""
    if solution.recoding is None:
        return Interrupted("interrupted before anything was found that meets the policy")
    how = _keep(terminal, places, asked, solution)
    return Interrupted(f"interrupted; {so_far(solution, asked.policy.metric)}\n{how}{more}")


def _keep(terminal: Terminal, places: Places, asked: Asked, solution: Solution) -> str:
    """Save what is needed to go on; the answer says where it is, and how."""
    kept = places.solution
    if kept is None:  # else it was written when the search ended
        kept = free(places.private(".solution.json"))
        write_private(kept, solution_file.dumps(solution), force=places.force)
    policy = places.policy
    if policy is None or asked.changed:
        policy = places.save_policy or free(places.private(".policy.toml"))
        text = policy_file.dumps(portable(asked), asked.search)
        write_private(policy, text, force=places.force)
    finish = places.finish(policy, kept)
    terminal.document |= {"solution_file": kept, "policy_file": policy, "finish_with": finish}
    password = "\nwith the password in PGPASSWORD or ~/.pgpass" if places.secret else ""
    return (
        f"  {kept}\n  private: it belongs with the original table\n"
        f"finish with:\n  {finish}{password}"
    )


def keep_if_asked(terminal: Terminal, places: Places, solution: Solution) -> None:
    """As soon as a search has ended: what it found was paid for, whatever comes of it."""
    if places.solution is not None and solution.recoding is not None:
        write_private(places.solution, solution_file.dumps(solution), force=places.force)
        terminal.document["solution_file"] = places.solution


@contextmanager
def never_lost(
    terminal: Terminal, places: Places, asked: Asked, solution: Solution
) -> Iterator[None]:
    """Recode, verify and write in this block: Ctrl-C then keeps the solution, and no release."""
    before = _marks(places.out)
    try:
        yield
        terminal.interrupt.check()  # an engine may have swallowed it
    except BaseException as error:
        if terminal.interrupt.pressed or isinstance(error, KeyboardInterrupt):
            terminal.interrupt.raised = False  # from here on a fault is a fault
            unseen = _take_back(places, before)
            raise keep_best(terminal, places, asked, solution, unseen) from None
        if _server_failed(error, places) and solution.recoding is not None:
            with suppress(LookalikeError):
                terminal.note(
                    f"what was found is kept:\n{_keep(terminal, places, asked, solution)}"
                )
        elif "solution_file" in terminal.document:
            terminal.note(f"{places.solution} holds what was found; nothing was released")
        raise


def _server_failed(error: BaseException, places: Places) -> bool:
    """Or we did, when talking to it: other than a file's folder, nobody can look at all of it."""
    far = isinstance(places.table, Address) or isinstance(places.out, Address)
    ours = isinstance(error, LookalikeError) and not isinstance(error, TableError)
    return far and isinstance(error, Exception) and not ours


def _take_back(places: Places, before: object) -> str:
    """What was written when all but done: a file goes, a table that others saw stays.

    The answer says so if it cannot be seen whether there is one.
    """
    after = _marks(places.out)
    if not isinstance(places.out, Address):
        if after != before:
            places.out.unlink(missing_ok=True)
            if places.certificate is not None:
                places.certificate.unlink(missing_ok=True)
        return ""
    check = shlex.join(["lookalike", "verify", str(places.out)])
    if UNSEEN in (before, after):
        return f"\nwhether {places.called} was written cannot be seen now; look with:\n  {check}"
    if after not in (None, before):
        raise Interrupted(
            f"interrupted, but {places.called} was there by then; look with:\n  {check}"
        )
    return ""


def _marks(out: Path | Address) -> object:
    """By which a release that was replaced is known."""
    if isinstance(out, Address):
        return mark(out)
    try:
        found = out.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns
