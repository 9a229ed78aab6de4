"""The queue: one search at a time, each in a process of its own; and a lane for what is quick.

A process that dies is a job that failed, and no harm to the pages. What was queued when the server
ended is still queued when it starts again; what was running is said to be interrupted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from lookalike.errors import LookalikeError
from lookalike.web.job import KEY_FILE, LEDGER_FOLDER, Job

QUICK = {"look", "explain", "verify"}
PATIENCE = 5.0  # seconds that a process has to end in, when the server does
DIED = "the process that did the work ended before it was done"


@dataclass(slots=True)
class _Lane:
    waiting: deque[Job] = field(default_factory=deque)
    job: Job | None = None
    process: subprocess.Popen[bytes] | None = None


class Queue:
    """Starts the next job of a lane when the one before has ended."""

    def __init__(
        self, temporary: Path, key: Path | None = None, ledger: Path | None = None
    ) -> None:
        self.environment = {"TMPDIR": str(temporary)}
        for name, path in ((KEY_FILE, key), (LEDGER_FOLDER, ledger)):
            if path is not None:
                self.environment[name] = str(path)
        self._lanes = {"quick": _Lane(), "long": _Lane()}
        self._changed = threading.Condition()
        self._open = True
        self._spare: subprocess.Popen[bytes] | None = None  # the next job need not wait for it
        self._thread = threading.Thread(target=self._watch, name="queue", daemon=True)

    def begin(self, jobs: Iterable[Job]) -> None:
        """Take up what an earlier server left."""
        for job in jobs:
            if job.state == "running":
                job.set_state("interrupted")
            elif job.state == "queued":
                self._lane(job).waiting.append(job)
        self._spare = self._worker()
        self._thread.start()

    def add(self, job: Job) -> Job:
        with self._changed:
            job.set_state("queued")
            self._lane(job).waiting.append(job)
            self._changed.notify()
        return job

    def ahead(self, job: Job) -> int:
        """How many come before it."""
        with self._changed:
            lane = self._lane(job)
            waiting = [one.folder for one in lane.waiting]
            before = waiting.index(job.folder) if job.folder in waiting else 0
            return before + (lane.job is not None)

    def cancel(self, job: Job) -> None:
        """Take it out of the queue, or end it without keeping anything."""
        with self._changed:
            lane = self._lane(job)
            if any(one.folder == job.folder for one in lane.waiting):
                lane.waiting = deque(one for one in lane.waiting if one.folder != job.folder)
                job.set_state("cancelled")
            elif lane.job is not None and lane.job.folder == job.folder and lane.process:
                _kill(lane.process)
                job.set_state("cancelled")
            self._changed.notify()

    def close(self) -> None:
        """End what runs; what waits, waits for the next server."""
        with self._changed:
            self._open = False
            if self._spare is not None:
                _kill(self._spare)
            for lane in self._lanes.values():
                if lane.process is not None:
                    _kill(lane.process)
                if lane.job is not None and lane.job.exists and not lane.job.over:
                    lane.job.set_state("interrupted")
            self._changed.notify()

    def _lane(self, job: Job) -> _Lane:
        return self._lanes["quick" if job.kind in QUICK else "long"]

    def _watch(self) -> None:
        with self._changed:
            while self._open:
                for lane in self._lanes.values():
                    with suppress(OSError, LookalikeError):  # its folder was removed meanwhile
                        self._move(lane)
                self._changed.wait(0.1 if any(one.process for one in self._lanes.values()) else 60)

    def _move(self, lane: _Lane) -> None:
        if lane.process is not None and lane.process.poll() is not None:
            job, lane.job, lane.process = lane.job, None, None
            assert job is not None
            if job.exists and not job.over:
                fix = "try again; if it happens again, look into log.txt of the job, and tell us"
                job.set_state("failed", faults=[_fault(job.name, DIED, fix)])
            if job.exists and job.state == "cancelled":
                job.clear()
        while lane.process is None and lane.waiting:
            job = lane.waiting.popleft()
            if job.exists:  # else its project was removed
                lane.job, lane.process = job, self._start(job)

    def _start(self, job: Job) -> subprocess.Popen[bytes]:
        job.clear()
        job.set_state("running", phase="Starting")
        process = self._spare if self._spare and self._spare.poll() is None else self._worker()
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # it died meanwhile, which is seen like any other death
            process.stdin.write(f"{job.folder}\n".encode())
            process.stdin.close()
        self._spare = self._worker()
        return process

    def _worker(self) -> subprocess.Popen[bytes]:
        """A process that gets ready and waits for a job."""
        return subprocess.Popen(
            [sys.executable, "-m", "lookalike.web.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | self.environment,
            start_new_session=True,  # Ctrl-C in the server's terminal is the server's to heed
        )


def _kill(process: subprocess.Popen[bytes]) -> None:
    """It and what it started; when this returns, it writes nothing any more."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)


def _fault(where: str, problem: str, fix: str) -> dict[str, str]:
    return {"where": where, "problem": problem, "fix": fix}
