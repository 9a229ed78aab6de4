"""Long lists of cases are tried in part every day, and whole with LOOKALIKE_THOROUGH=1."""

from __future__ import annotations

from collections import Counter

import pytest
from effort import THOROUGH

# Of so many cases of one test every second, third, fifth is enough for a day.
LONG = {4: 2, 8: 3, 16: 5}
OF_ENGINES = {16: 2}  # each case is another engine
WHOLE = ("tests/cli/", "tests/package/")  # each case is another command


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if THOROUGH or len({item.path for item in items}) == 1:  # who asks for one file gets it whole
        return
    tests = [item.nodeid.partition("[")[0] for item in items]
    many, seen = Counter(tests), Counter[str]()
    kept, left = [], []
    for item, test in zip(items, tests, strict=True):
        steps = OF_ENGINES if test.startswith("tests/engines/") else LONG
        every = max((step for least, step in steps.items() if many[test] >= least), default=1)
        skip = seen[test] % every and not test.startswith(WHOLE)
        seen[test] += 1
        (left if skip else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)
