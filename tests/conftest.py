"""Long lists of cases are tried in part every day, and whole with LOOKALIKE_THOROUGH=1."""

from __future__ import annotations

from collections import Counter

import pytest

from effort import THOROUGH

LONG = 10  # cases of one test; of so many every other one is enough for a day
WHOLE = ("tests/engines/", "tests/cli/", "tests/package/")  # each case is another engine or command


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if THOROUGH or len({item.path for item in items}) == 1:  # who asks for one file gets it whole
        return
    tests = [item.nodeid.partition("[")[0] for item in items]
    many, seen = Counter(tests), Counter[str]()
    kept, left = [], []
    for item, test in zip(items, tests, strict=True):
        seen[test] += 1
        skip = many[test] >= LONG and seen[test] % 2 == 0 and not test.startswith(WHOLE)
        (left if skip else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)
