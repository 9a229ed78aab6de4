"""Settings for all tests: no test depends on the speed of the machine.

Long lists of cases are run in part every day, and in full with LOOKALIKE_THOROUGH=1.
"""

from __future__ import annotations

import signal
from collections import Counter

import pytest
from effort import THOROUGH
from hypothesis import HealthCheck, settings

if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:  # under nohup; tests send this signal
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

settings.register_profile(
    "lookalike",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not THOROUGH,  # every day the same cases everywhere; new ones in a thorough run
)
settings.load_profile("lookalike")

# Number of cases of one test -> run every n-th of them every day.
EVERY_NTH = {4: 2, 8: 3, 16: 5}
EVERY_NTH_OF_ENGINES = {16: 2}  # each case is another engine
# each case is another command, or another kind of frame
ALWAYS_WHOLE = ("tests/cli/", "tests/package/", "tests/releasing/test_leaks.py")
collect_ignore = ["plugin_package"]  # installed and tested by tests/package/test_plugin_package.py


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if THOROUGH or len({item.path for item in items}) == 1:  # a single file is run in full
        return
    tests = [item.nodeid.partition("[")[0] for item in items]
    cases, seen = Counter(tests), Counter[str]()
    kept, left_out = [], []
    for item, test in zip(items, tests, strict=True):
        steps = EVERY_NTH_OF_ENGINES if test.startswith("tests/engines/") else EVERY_NTH
        every = max((step for least, step in steps.items() if cases[test] >= least), default=1)
        skip = seen[test] % every and not test.startswith(ALWAYS_WHOLE)
        seen[test] += 1
        (left_out if skip else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)
