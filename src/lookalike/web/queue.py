"""The queue of jobs: one search at a time, each in its own process, and a lane for quick jobs.

If a process dies, its job has failed, and the pages are not affected. When the server starts again,
jobs that were queued are still queued, and jobs that were running are marked as interrupted.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from lookalike.errors import LookalikeError
from lookalike.web.project.job import KEY_FILE, LEDGER_FOLDER, Job

QUICK_KINDS = {"survey", "explain", "verify"}
END_SECONDS = 2.0  # that a process has to save its result and remove its temporary files
KILL_SECONDS = 5.0  # that a killed process has to end
DIED = "the process ended before the work was done"


@dataclass(frozen=True, slots=True)
class _Worker:
    """A process and its folder for temporary files, which no killed process leaves behind."""

    process: subprocess.Popen[bytes]
    temporary: Path

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    def kill(self) -> None:
        """Kill the process and its children; afterwards it does not write any more."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(KILL_SECONDS)
        self.clean_up()

    def clean_up(self) -> None:
        shutil.rmtree(self.temporary, ignore_errors=True)


@dataclass(slots=True)
class _Lane:
    waiting: deque[Job] = field(default_factory=deque)
    job: Job | None = None
    worker: _Worker | None = None


class Queue:
    """Starts the next job of a lane when the previous one has ended."""

    def __init__(self, temporary: Path, key: Path | None, ledger: Path | None) -> None:
        self.temporary = temporary
        self.environment: dict[str, str] = {}
        for name, path in ((KEY_FILE, key), (LEDGER_FOLDER, ledger)):
            if path is not None:
                self.environment[name] = str(path)
        self._lanes = {"quick": _Lane(), "long": _Lane()}
        self._changed = threading.Condition()
        self._open = True
        self._spare: _Worker | None = None  # saves the next job the time to start
        self._thread = threading.Thread(target=self._watch, name="queue", daemon=True)

    def start(self, jobs: Iterable[Job]) -> None:
        """Continue with the jobs that an earlier server left."""
        for job in jobs:
            if job.state == "running":
                job.set_state("interrupted")
            elif job.state == "queued":
                self._lane(job).waiting.append(job)
        self._spare = self._new_worker()
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
            elif lane.job == job and lane.worker:
                lane.worker.kill()
                job.set_state("cancelled")
            self._changed.notify()

    def close(self) -> None:
        """End the running jobs; queued jobs wait for the next server."""
        with self._changed:
            self._open = False
            lanes = self._lanes.values()
            _end([lane.worker for lane in lanes if lane.worker is not None])
            if self._spare is not None:
                self._spare.kill()
            for lane in lanes:
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
                busy = any(lane.worker for lane in self._lanes.values())
                self._changed.wait(0.1 if busy else 60)

    def _advance(self, lane: _Lane) -> None:
        if lane.worker is not None and lane.worker.ended:
            lane.worker.clean_up()
            job, lane.job, lane.worker = lane.job, None, None
            assert job is not None
            if job.exists and not job.over:
                fix = "try again; if it fails again, see log.txt of the job and report the problem"
                fault = {"where": job.name, "problem": DIED, "fix": fix}
                job.set_state("failed", faults=[fault])
            if job.exists and job.state == "cancelled":
                job.clear()
        while lane.worker is None and lane.waiting:
            job = lane.waiting.popleft()
            if job.exists:  # or its project was removed
                lane.job, lane.worker = job, self._start(job)

    def _start(self, job: Job) -> _Worker:
        job.clear()
        job.set_state("running", phase="Starting")
        worker = self._spare
        if worker is None or worker.ended:
            if worker is not None:
                worker.clean_up()
            worker = self._new_worker()
        assert worker.process.stdin is not None
        with suppress(BrokenPipeError):  # it died, which _advance notices
            worker.process.stdin.write(f"{job.folder}\n".encode())
            worker.process.stdin.close()
        self._spare = self._new_worker()
        return worker

    def _new_worker(self) -> _Worker:
        """A process that loads what it needs and waits for a job."""
        temporary = Path(tempfile.mkdtemp(prefix="job-", dir=self.temporary))
        process = subprocess.Popen(
            [sys.executable, "-m", "lookalike.web.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | self.environment | {"TMPDIR": str(temporary)},
            start_new_session=True,  # Ctrl-C in the terminal is for the server alone
        )
        return _Worker(process, temporary)


def _end(workers: Sequence[_Worker]) -> None:
    """Ask processes to end, and kill those that do not."""
    for worker in workers:
        worker.process.terminate()
    until = time.monotonic() + END_SECONDS
    for worker in workers:
        with suppress(subprocess.TimeoutExpired):
            worker.process.wait(max(0.0, until - time.monotonic()))
        worker.kill()
