"""Every built-in metric keeps the contract that other packages inherit."""

import pytest
from effort import effort

from lookalike.registry import METRICS
from lookalike.testing import MetricContract


class TestBuiltIn(MetricContract):
    count = effort(40)

    @pytest.fixture(params=METRICS.builtin)
    def metric(self, request):
        kind = METRICS.load(request.param)
        return kind.from_policy(request.param, "ill" if kind.parameter else None)
