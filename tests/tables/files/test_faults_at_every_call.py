"""A fault at every call to the system: the old pair or the new pair, and nothing left over.

A release and its certificate are written as CSV, Parquet and folder, with and without force. At the
n-th call below the output and temporary folders the shim

fail                lets the call fail once,
broken              lets this call and all later ones fail,
kill                kills the process,
kill-without-links  kills the process, on a disk without hard links,

for every n until the run completes (a part of them every day). Then the program is started again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from effort import THOROUGH, without

HELPERS = Path(__file__).parents[2] / "helpers"
SRC = Path(__file__).parents[3] / "src"
MODES = ("fail", "broken", "kill", "kill-without-links")
STEP = 1 if THOROUGH else 12
MIN_CALLS = 30  # of a run; fewer would mean that the shim does not see them

pytestmark = without("no gcc here to build the shim with", shutil.which("gcc") is None)


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("shim") / "fault_shim.so"
    source = HELPERS / "fault_shim.c"
    command = ["gcc", "-O1", "-shared", "-fPIC", "-o", built, source, "-ldl"]
    subprocess.run(command, check=True)
    return built


@pytest.mark.parametrize("force", ["new", "force"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "folder"])
def test_after_a_fault_at_any_call_the_old_or_the_new_pair_is_there(shim, tmp_path, kind, force):
    # other calls in each mode, so that a part has many of them
    cases = [f"{kind}:{force}:{mode}:{1 + 5 * i % STEP}:{STEP}" for i, mode in enumerate(MODES)]
    done = subprocess.run(
        [sys.executable, HELPERS / "fault_driver.py", tmp_path, *cases],
        env={**os.environ, "PYTHONPATH": str(SRC), "LD_PRELOAD": str(shim)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for case, result in json.loads(done.stdout).items():
        assert result["problems"] == [], (case, result, done.stderr)
        assert result["calls"] > MIN_CALLS, case
