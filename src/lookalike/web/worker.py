"""What a job does, in a process of its own: ``python -m lookalike.web.worker``.

It loads what it will need, waits to be told the job's folder on a line, calls the library as any
program would, leaves what it found in the folder, and ends.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from lookalike.errors import LookalikeError
from lookalike.web.job import Job

ORPHAN = 1.0  # seconds between looks at whether the server is still there
BUG = "this is a bug of lookalike; log.txt in the job's folder says more, and nothing was released"


def main(folder: Path) -> None:
    job = Job(folder)
    threading.Thread(target=_end_with_the_server, args=(os.getppid(),), daemon=True).start()
    try:
        _work(job.kind)(job)
    except LookalikeError as error:
        faults = [
            {"where": one.where, "problem": one.problem, "fix": one.fix} for one in error.faults
        ]
        job.set_state("failed", subject=error.subject, faults=faults)
    except Exception as error:  # its message may hold cell values, so only its kind is shown
        traceback.print_exc()
        fault = {"where": type(error).__name__, "problem": "internal error", "fix": BUG}
        job.set_state("failed", subject="lookalike", faults=[fault])
    else:
        job.set_state("done")


def _work(kind: str) -> Callable[[Job], None]:
    from lookalike.web.work import explain_policy as explain
    from lookalike.web.work import make_candidate as run
    from lookalike.web.work import survey_columns as look
    from lookalike.web.work import verify_again as verify

    works = {"look": look.work, "explain": explain.work, "run": run.work, "verify": verify.work}
    return works[kind]


def _end_with_the_server(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(ORPHAN)
    os._exit(1)


def _warm() -> None:
    """Load now what every job needs, while nobody waits for it."""
    import altair  # noqa: F401
    import vl_convert  # noqa: F401

    import lookalike.counts.counting_kernels
    import lookalike.tables.files.file_reading
    import lookalike.web.work.make_candidate  # noqa: F401


def wait() -> None:
    """For a folder; without one, as when the server ends, there is nothing to do."""
    os.umask(0o077)
    os.nice(5)  # pages come first
    _warm()
    if folder := sys.stdin.readline().rstrip("\n"):
        log = os.open(Path(folder) / "log.txt", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        os.dup2(log, sys.stdout.fileno())
        os.dup2(log, sys.stderr.fileno())
        main(Path(folder))


if __name__ == "__main__":
    wait()
