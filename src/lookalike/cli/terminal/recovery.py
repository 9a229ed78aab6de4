"""What is kept of a search that was cut short, and how to go on from it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lookalike.cli.input.locations import Locations
from lookalike.cli.input.output_check import UNSEEN, mark
from lookalike.cli.input.output_files import unused_path, write_private
from lookalike.cli.input.request import Request, portable_policy
from lookalike.cli.input.table_address import Address
from lookalike.cli.output.claim import best_so_far
from lookalike.cli.terminal.interrupt import Interrupted
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import LookalikeError, TableError
from lookalike.pipeline import Pipeline
from lookalike.policy import policy_file
from lookalike.solution import solution_file
from lookalike.solution.solution import Solution


def save_best(
    terminal: Terminal, locations: Locations, request: Request, solution: Solution, more: str = ""
) -> Interrupted:
    """Save the best so far, and the policy if no file holds it; the exception says how to go on."""
    if solution.recoding is None:
        return Interrupted("interrupted before anything was found that meets the policy")
    how = _save(terminal, locations, request, solution)
    return Interrupted(f"interrupted; {best_so_far(solution, request.policy.metric)}\n{how}{more}")


def _save(terminal: Terminal, locations: Locations, request: Request, solution: Solution) -> str:
    """Save what is needed to go on; the answer says where it is, and how."""
    kept = locations.solution
    if kept is None:  # else it was written when the search ended
        kept = unused_path(locations.private_path(".solution.json"))
        write_private(kept, solution_file.dumps(solution), force=locations.force)
    policy = locations.policy
    if policy is None or request.changed:
        policy = locations.save_policy or unused_path(locations.private_path(".policy.toml"))
        text = policy_file.dumps(portable_policy(request), request.search)
        write_private(policy, text, force=locations.force)
    finish = locations.resume_command(policy, kept)
    terminal.document |= {"solution_file": kept, "policy_file": policy, "finish_with": finish}
    password = "\nwith the password in PGPASSWORD or ~/.pgpass" if locations.has_password else ""
    return (
        f"  {kept}\n  private: it belongs with the original table\n"
        f"finish with:\n  {finish}{password}"
    )


def save_solution(terminal: Terminal, locations: Locations, solution: Solution) -> None:
    """As soon as a search has ended: what it found was paid for, whatever comes of it."""
    if locations.solution is not None and solution.recoding is not None:
        write_private(locations.solution, solution_file.dumps(solution), force=locations.force)
        terminal.document["solution_file"] = locations.solution


@contextmanager
def recover_on_interrupt(
    terminal: Terminal, locations: Locations, request: Request, run: Pipeline
) -> Iterator[None]:
    """Run the pipeline in this block: after the search, Ctrl-C keeps the solution, no release."""
    before = _marks(locations.out)
    try:
        yield
        terminal.interrupt.check()  # an engine may have swallowed it
    except BaseException as error:
        solution = run.solution
        if solution is None:
            raise
        if terminal.interrupt.pressed or isinstance(error, KeyboardInterrupt):
            terminal.interrupt.raised = False  # from here on a fault is a fault
            unseen = _take_back(locations, before)
            raise save_best(terminal, locations, request, solution, unseen) from None
        if _server_failed(error, locations) and solution.recoding is not None:
            with suppress(LookalikeError):
                terminal.note(
                    f"what was found is kept:\n{_save(terminal, locations, request, solution)}"
                )
        elif "solution_file" in terminal.document:
            terminal.note(f"{locations.solution} holds what was found; nothing was released")
        raise


def _server_failed(error: BaseException, locations: Locations) -> bool:
    """Or we did, when talking to it: other than a file's folder, nobody can look at all of it."""
    far = isinstance(locations.table, Address) or isinstance(locations.out, Address)
    ours = isinstance(error, LookalikeError) and not isinstance(error, TableError)
    return far and isinstance(error, Exception) and not ours


def _take_back(locations: Locations, before: object) -> str:
    """What was written when all but done: a file goes, a table that others saw stays.

    The answer says so if it cannot be seen whether there is one.
    """
    after = _marks(locations.out)
    if not isinstance(locations.out, Address):
        if after != before:
            locations.out.unlink(missing_ok=True)
            if locations.certificate is not None:
                locations.certificate.unlink(missing_ok=True)
        return ""
    check = shlex.join(["lookalike", "verify", str(locations.out)])
    if UNSEEN in (before, after):
        unknown = f"whether {locations.release_name} was written cannot be seen now"
        return f"\n{unknown}; look with:\n  {check}"
    if after not in (None, before):
        raise Interrupted(
            f"interrupted, but {locations.release_name} was there by then; look with:\n  {check}"
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
