"""Every built-in algorithm keeps the contract that other packages inherit."""

import pytest
from effort import effort

from lookalike.registry import ALGORITHMS
from lookalike.testing import AlgorithmContract

CUTS = {"k-optimize", "k-optimize-printed", "hill-climbing", "genetic", "annealing", "greedy"}
SHORT = {  # randomized searches with fewer steps: what they find is checked, not how good it is
    "hill-climbing": {"starts": 2},
    "genetic": {"children": 50, "population": 10},
    "annealing": {"steps": 200},
}


class TestBuiltIn(AlgorithmContract):
    count = effort(16)

    @pytest.fixture(params=ALGORITHMS.builtin)
    def algorithm(self, request):
        self.metrics = ("discernibility",) if request.param in CUTS else ("precision", "loss")
        return ALGORITHMS.load(request.param)(**SHORT.get(request.param, {}))
