"""Save the result of an interrupted search, and say how to continue from it."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import lookalike as la
from lookalike import api
from lookalike.cli.input.locations import Locations
from lookalike.cli.input.output_files import unused_path, write_private
from lookalike.cli.input.request import Request, portable_policy
from lookalike.cli.input.table_address import Address
from lookalike.cli.output.claim import best_so_far
from lookalike.cli.output.solution_facts import solution_facts
from lookalike.cli.terminal.interrupt import NOTHING_FOUND, Interrupted
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import LookalikeError, TableError
from lookalike.pipeline import Pipeline

UNREACHABLE = "the server does not answer"


def _save(terminal: Terminal, locations: Locations, request: Request, solution: la.Solution) -> str:
    """Save the solution, and the policy if no file has it; the text says how to continue."""
    kept = locations.solution
    if kept is None:  # otherwise it was written when the search ended
        kept = unused_path(locations.private_path(".solution.json"))
        write_private(kept, api.solution_text(solution), force=locations.force)
    policy = locations.policy
    if policy is None or request.changed:
        policy = locations.save_policy or unused_path(locations.private_path(".policy.toml"))
        text = api.policy_file_text(portable_policy(request), request.search)
        write_private(policy, text, force=locations.force)
    finish = locations.resume_command(policy, kept)
    terminal.document |= {"solution_file": kept, "policy_file": policy, "finish_with": finish}
    password = "\nand put the password in PGPASSWORD or ~/.pgpass" if locations.has_password else ""
    return (
        f"  {kept}\n  private: keep it with the original table\nfinish with:\n  {finish}{password}"
    )


def save_solution(terminal: Terminal, locations: Locations, solution: la.Solution) -> None:
    """Report the solution as soon as the search has ended, and save it if wanted."""
    terminal.document["solution"] = solution_facts(solution)
    if locations.solution is not None and solution.recoding is not None:
        write_private(locations.solution, api.solution_text(solution), force=locations.force)
        terminal.document["solution_file"] = locations.solution


@contextmanager
def recover_on_interrupt(
    terminal: Terminal, locations: Locations, request: Request, run: Pipeline
) -> Iterator[None]:
    """Run the pipeline in this block: after the search, Ctrl-C saves only the solution."""
    before = _version(locations.out)
    try:
        yield
        terminal.interrupt.check()  # an engine may have caught it
    except BaseException as error:
        solution = run.solution
        if solution is None:
            raise
        if terminal.interrupt.pressed or isinstance(error, KeyboardInterrupt):
            terminal.interrupt.raised = False  # errors from here on are real errors
            unknown = _remove_release(locations, before)
            if solution.recoding is None:
                raise Interrupted(NOTHING_FOUND) from None
            best = best_so_far(solution, request.policy.metric)
            how = _save(terminal, locations, request, solution)
            raise Interrupted(f"interrupted; {best}\n{how}{unknown}") from None
        if _server_failed(error, locations) and solution.recoding is not None:
            with suppress(LookalikeError):
                terminal.note(
                    f"the result is saved:\n{_save(terminal, locations, request, solution)}"
                )
        elif "solution_file" in terminal.document:
            terminal.note(f"{locations.solution} has the result; nothing was released")
        raise


def _server_failed(error: BaseException, locations: Locations) -> bool:
    """Whether a database may be the cause: unlike a folder, it cannot be checked completely."""
    remote = isinstance(locations.table, Address) or isinstance(locations.out, Address)
    refused = isinstance(error, LookalikeError) and not isinstance(error, TableError)
    return remote and isinstance(error, Exception) and not refused


def _remove_release(locations: Locations, before: object) -> str:
    """Remove files that were just written; a table that others may have seen stays.

    What has replaced an earlier release stays too: the earlier one is gone. The text says so if it
    is not known whether there is a table.
    """
    after = _version(locations.out)
    if isinstance(locations.out, Path) and before is None:
        if after is not None:
            _remove_files(locations.out, locations.certificate_path)
        return ""
    check = shlex.join(["lookalike", "verify", str(locations.out)])
    if UNREACHABLE in (before, after):
        unknown = f"it is not known whether {locations.release_name} was written"
        return f"\n{unknown}; check with:\n  {check}"
    if after not in (None, before):
        raise Interrupted(
            f"interrupted, but {locations.release_name} was already written; check with:\n  {check}"
        )
    return ""


def _remove_files(release: Path, certificate: Path | None) -> None:
    shutil.rmtree(release) if release.is_dir() else release.unlink(missing_ok=True)
    if certificate is not None:
        certificate.unlink(missing_ok=True)


def _version(out: Path | Address) -> object:
    """Changes when a release is replaced; None if there is none, or UNREACHABLE."""
    try:
        if isinstance(out, Address):
            return out.check().mark()
        status = out.stat()
    except LookalikeError:
        return UNREACHABLE
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns
