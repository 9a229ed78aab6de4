"""The queue of jobs: one search at a time, each in its own process, and a lane for quick jobs.

If a process dies, its job has failed, and the pages are not affected. When the server starts again,
jobs that were queued are still queued, and jobs that were running are marked as interrupted.
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
from lookalike.web.project.job import KEY_FILE, LEDGER_FOLDER, Job

QUICK_KINDS = {"survey", "explain", "verify"}
KILL_SECONDS = 5.0  # that a killed process has to end
DIED = "the process ended before the work was done"


@dataclass(slots=True)
class _Lane:
    waiting: deque[Job] = field(default_factory=deque)
    job: Job | None = None
    process: subprocess.Popen[bytes] | None = None


class Queue:
    """Starts the next job of a lane when the previous one has ended."""

    def __init__(self, temporary: Path, key: Path | None, ledger: Path | None) -> None:
        self.environment = {"TMPDIR": str(temporary)}
        for name, path in ((KEY_FILE, key), (LEDGER_FOLDER, ledger)):
            if path is not None:
                self.environment[name] = str(path)
        self._lanes = {"quick": _Lane(), "long": _Lane()}
        self._changed = threading.Condition()
        self._open = True
        self._spare: subprocess.Popen[bytes] | None = None  # saves the next job the time to start
        self._thread = threading.Thread(target=self._watch, name="queue", daemon=True)

    def start(self, jobs: Iterable[Job]) -> None:
        """Continue with the jobs that an earlier server left."""
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
        """How many jobs are before it."""
        with self._changed:
            lane = self._lane(job)
            before = lane.waiting.index(job) if job in lane.waiting else 0
            return before + (lane.job is not None)

    def cancel(self, job: Job) -> None:
        """Remove a job from the queue, or end it without a result."""
        with self._changed:
            lane = self._lane(job)
            if job in lane.waiting:
                lane.waiting.remove(job)
                job.set_state("cancelled")
            elif lane.job == job and lane.process:
                _kill(lane.process)
                job.set_state("cancelled")
            self._changed.notify()

    def close(self) -> None:
        """End the running jobs; queued jobs wait for the next server."""
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
        return self._lanes["quick" if job.kind in QUICK_KINDS else "long"]

    def _watch(self) -> None:
        with self._changed:
            while self._open:
                for lane in self._lanes.values():
                    with suppress(OSError, LookalikeError):  # the folder was removed meanwhile
                        self._advance(lane)
                busy = any(lane.process for lane in self._lanes.values())
                self._changed.wait(0.1 if busy else 60)

    def _advance(self, lane: _Lane) -> None:
        if lane.process is not None and lane.process.poll() is not None:
            job, lane.job, lane.process = lane.job, None, None
            assert job is not None
            if job.exists and not job.over:
                fix = "try again; if it fails again, see log.txt of the job and report the problem"
                fault = {"where": job.name, "problem": DIED, "fix": fix}
                job.set_state("failed", faults=[fault])
            if job.exists and job.state == "cancelled":
                job.clear()
        while lane.process is None and lane.waiting:
            job = lane.waiting.popleft()
            if job.exists:  # or its project was removed
                lane.job, lane.process = job, self._start(job)

    def _start(self, job: Job) -> subprocess.Popen[bytes]:
        job.clear()
        job.set_state("running", phase="Starting")
        process = self._spare if self._spare and self._spare.poll() is None else self._worker()
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # it died, which _advance notices
            process.stdin.write(f"{job.folder}\n".encode())
            process.stdin.close()
        self._spare = self._worker()
        return process

    def _worker(self) -> subprocess.Popen[bytes]:
        """A process that loads what it needs and waits for a job."""
        return subprocess.Popen(
            [sys.executable, "-m", "lookalike.web.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | self.environment,
            start_new_session=True,  # Ctrl-C in the terminal is for the server alone
        )


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children; afterwards it does not write any more."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(KILL_SECONDS)
