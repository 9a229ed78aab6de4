"""What is kept of a search that was cut short, and how to go on from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lookalike.cli.asked import Asked, portable
from lookalike.cli.files import beside, free, write_private
from lookalike.cli.interrupt import Interrupted
from lookalike.cli.places import Places
from lookalike.cli.show_claim import so_far
from lookalike.cli.talk import Talk
from lookalike.policy import file as policy_file
from lookalike.solution import file as solution_file
from lookalike.solution.solution import Solution


def keep_best(talk: Talk, places: Places, asked: Asked, solution: Solution) -> Interrupted:
    """Save the best so far, and the policy if no file holds it; the exception says how to go on."""
    if solution.recoding is None:
        return Interrupted("interrupted before anything was found that meets the policy")
    kept = places.solution
    if kept is None:  # else it was written when the search ended
        kept = free(beside(places.out, ".solution.json"))
        write_private(kept, solution_file.dumps(solution), force=places.force)
    policy = places.policy
    if policy is None or asked.changed:
        policy = places.save_policy or free(beside(places.out, ".policy.toml"))
        text = policy_file.dumps(portable(asked), asked.search)
        write_private(policy, text, force=places.force)
    finish = places.finish(policy, kept)
    talk.document |= {"solution_file": kept, "policy_file": policy, "finish_with": finish}
    return Interrupted(
        f"interrupted; {so_far(solution, asked.policy.metric)}\n"
        f"  {kept}\n  private: it belongs with the original table\n"
        f"finish with:\n  {finish}"
    )


def keep_if_asked(talk: Talk, places: Places, solution: Solution) -> None:
    """As soon as a search has ended: what it found was paid for, whatever comes of it."""
    if places.solution is not None and solution.recoding is not None:
        write_private(places.solution, solution_file.dumps(solution), force=places.force)
        talk.document["solution_file"] = places.solution


@contextmanager
def never_lost(talk: Talk, places: Places, asked: Asked, solution: Solution) -> Iterator[None]:
    """Recode, verify and write in this block: Ctrl-C then keeps the solution, and no release."""
    before = _marks(places.out)
    try:
        yield
        talk.interrupt.check()  # an engine may have swallowed it
    except BaseException as error:
        if talk.interrupt.pressed or isinstance(error, KeyboardInterrupt):
            talk.interrupt.raised = False  # from here on a fault is a fault
            if _marks(places.out) != before:  # pressed when all but done
                places.out.unlink(missing_ok=True)
                places.certificate.unlink(missing_ok=True)
            raise keep_best(talk, places, asked, solution) from None
        if "solution_file" in talk.document:
            talk.note(f"{places.solution} holds what was found; nothing was released")
        raise


def _marks(path: Path) -> tuple[int, int] | None:
    """By which a file that was replaced is known."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns
