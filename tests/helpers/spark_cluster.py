"""A real Spark cluster for tests: one master and two workers, and Spark Connect on it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

PATIENCE = 900  # seconds that a process may take to say that it is there
ON_LOOPBACK = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "127.0.0.1"}


@dataclass
class Cluster:
    """Its address, the folder where its tables are, and the process of each worker."""

    master: str
    folder: Path
    workers: list[subprocess.Popen[bytes]]
    started: int = 0

    def add_worker(self) -> None:
        self.started += 1
        self.workers.append(
            _start(self.folder, f"worker{self.started}", "org.apache.spark.deploy.worker.Worker",
                   "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0",
                   self.master)
        )  # fmt: skip

    def lose_workers(self) -> None:
        """All of them at once, with all that they hold."""
        while self.workers:
            stop(self.workers.pop())


def missing() -> str | None:
    """Why Spark cannot run here, if so."""
    if find_spec("pyspark") is None:
        return "pyspark is not installed: uv sync --group spark"
    if shutil.which("java") is None:
        return "Java is not installed: apt-get install openjdk-17-jre-headless"
    return None


def _home() -> Path:
    found = find_spec("pyspark")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _start(folder: Path, name: str, *asked: str) -> subprocess.Popen[bytes]:
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            [_home() / "bin" / "spark-class", *asked], stdout=log, stderr=log, cwd=folder,
            env=os.environ | ON_LOOPBACK | {"SPARK_WORKER_DIR": str(folder / "work")},
            start_new_session=True,
        )  # fmt: skip


def _wait(folder: Path, name: str, sign: str, times: int = 1) -> None:
    until = time.monotonic() + PATIENCE
    log = folder / f"{name}.log"
    while len(re.findall(sign, log.read_text(errors="replace"))) < times:
        assert time.monotonic() < until, f"{name}: {log.read_text(errors='replace')[-2000:]}"
        time.sleep(0.1)


def stop(process: subprocess.Popen[bytes]) -> None:
    """The process and those it started, by their number."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def cluster() -> Iterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="lookalike-test-spark-"))
    port = _free_port()
    master = f"spark://127.0.0.1:{port}"
    started = Cluster(master, folder, [])
    process = _start(folder, "master", "org.apache.spark.deploy.master.Master", "--host",
                     "127.0.0.1", "--port", str(port), "--webui-port", "0")  # fmt: skip
    try:
        _wait(folder, "master", "I have been elected leader")
        started.add_worker()
        started.add_worker()
        _wait(folder, "master", "Registering worker", times=2)
        yield started
    finally:
        started.lose_workers()
        stop(process)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def connect(of: Cluster) -> Iterator[str]:
    """A Spark Connect server on the cluster; the answer is its address."""
    port = _free_port()
    process = _start(
        of.folder, "connect", "org.apache.spark.deploy.SparkSubmit", "--master", of.master,
        "--class", "org.apache.spark.sql.connect.service.SparkConnectServer",
        "--conf", f"spark.connect.grpc.binding.port={port}",
        "--conf", "spark.connect.grpc.binding.address=127.0.0.1",
        "--conf", f"spark.sql.warehouse.dir={of.folder / 'connected'}",
        "--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=2",
        "--conf", "spark.executor.memory=512m", "--conf", "spark.executor.cores=1",
        "spark-internal",
    )  # fmt: skip
    try:
        _wait(of.folder, "connect", "Spark Connect server started at")
        yield f"sc://127.0.0.1:{port}"
    finally:
        stop(process)
