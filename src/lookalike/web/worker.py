"""The process that does one job: ``python -m lookalike.web.worker``.

It loads what jobs need, waits for a line with the job's folder, does the work, writes the result to
that folder, and ends. SIGTERM, SIGHUP and Ctrl-C stop a search, save its best result as a solution,
and end the process without a release; its temporary files are removed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from importlib import import_module
from pathlib import Path

from lookalike.errors import LookalikeError
from lookalike.web.project.job import Job, State
from lookalike.web.work.termination import TERMINATION, Terminated

SERVER_CHECK_SECONDS = 1.0  # how often to check whether the server still runs
END_SECONDS = 10.0  # to save and to clean up
WORK = {  # the module that does each kind of job
    "survey": "survey_columns",
    "explain": "explain_policy",
    "run": "make_candidate",
    "verify": "verify_again",
}
BUG = "this is a bug in lookalike; see log.txt in the job's folder. Nothing was released"


def main(folder: Path) -> None:
    """Do the job, and record how it ended."""
    job = Job(folder)
    TERMINATION.handle_signals()
    threading.Thread(target=_end_with_server, args=(os.getppid(),), daemon=True).start()
    try:
        import_module(f"lookalike.web.work.{WORK[job.kind]}").work(job)
        TERMINATION.check()  # an engine may have caught it
    except Terminated:
        _record(job, "interrupted")
    except LookalikeError as error:
        if TERMINATION.asked:  # an engine may have turned it into another error
            _record(job, "interrupted")
            return
        faults = [{"where": f.where, "problem": f.problem, "fix": f.fix} for f in error.faults]
        job.set_state("failed", subject=error.subject, faults=faults)
    except Exception as error:  # the message may contain cell values
        if TERMINATION.asked:
            _record(job, "interrupted")
            return
        traceback.print_exc()
        fault = {"where": type(error).__name__, "problem": "internal error", "fix": BUG}
        job.set_state("failed", subject="lookalike", faults=[fault])
    else:
        job.set_state("done")


def _record(job: Job, state: State) -> None:
    if job.exists and not job.over:  # the server may have removed or cancelled it
        job.set_state(state)


def _end_with_server(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(SERVER_CHECK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(END_SECONDS)
    os._exit(1)


def _preload() -> None:
    """Load what every job needs while nobody is waiting."""
    import altair  # noqa: F401
    import vl_convert  # noqa: F401

    import lookalike.report.report_file
    import lookalike.verbs
    import lookalike.web.work.make_candidate  # noqa: F401
    from lookalike.pipeline import preload

    preload()


def wait() -> None:
    """Wait for the folder of a job; an empty line means that the server ended."""
    os.umask(0o077)
    os.nice(5)  # pages have priority
    _preload()
    if folder := sys.stdin.readline().rstrip("\n"):
        log = os.open(Path(folder) / "log.txt", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        os.dup2(log, sys.stdout.fileno())
        os.dup2(log, sys.stderr.fileno())
        main(Path(folder))


if __name__ == "__main__":
    wait()
