"""Contracts for packages that add to lookalike: test classes to inherit, which run with pytest.

Each contract tests laws that hold for everything of its kind, on small random tables. Inherit one,
override its fixture, and run pytest:

    class TestMine(AlgorithmContract):
        @pytest.fixture
        def algorithm(self):
            return Mine()
"""

import pytest

_MODULES = ("algorithm", "metric", "requirement", "hierarchy", "engine")
pytest.register_assert_rewrite(*(f"{__name__}.{name}_contract" for name in _MODULES))

from lookalike.testing.algorithm_contract import AlgorithmContract  # noqa: E402
from lookalike.testing.engine_contract import EngineContract  # noqa: E402
from lookalike.testing.hierarchy_contract import HierarchyContract  # noqa: E402
from lookalike.testing.metric_contract import MetricContract  # noqa: E402
from lookalike.testing.requirement_contract import RequirementContract  # noqa: E402

__all__ = [
    "AlgorithmContract",
    "EngineContract",
    "HierarchyContract",
    "MetricContract",
    "RequirementContract",
]
