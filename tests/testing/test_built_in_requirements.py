"""Every built-in requirement keeps the contract that other packages inherit.

Those that look at a population have tests of their own (tests/privacy/test_requirements.py). So has
differential privacy, which only a random sample keeps (tests/releasing/test_private_sample.py).
"""

import pytest
from effort import effort

import lookalike as la
from lookalike.registry import REQUIREMENTS
from lookalike.testing import RequirementContract

BUILT_IN = {
    "k_anonymity": [la.KAnonymity(3)],
    "max_risk": [la.MaximumRisk(0.4)],
    "average_risk": [la.AverageRisk(0.4)],
    "l_diversity": [
        la.DistinctDiversity("ill", 2),
        la.EntropyDiversity("ill", 1.7),
        la.RecursiveDiversity("ill", 2.0, 2),
    ],
    "t_closeness": [
        la.TCloseness("ill", 0.4),
        la.TCloseness("ill", 0.4, la.Ordered(("ache", "cold", "flu"))),
        la.TCloseness("ill", 0.4, la.Hierarchical(la.tree({"a": ["ache"], "c": ["cold", "flu"]}))),
    ],
    "alpha_k": [la.AlphaK("ill", 0.6, 2), la.AlphaK("ill", 0.4, 2, "flu")],
    "beta_likeness": [la.BetaLikeness("ill", 1.0), la.BetaLikeness("ill", 1.0, "enhanced")],
    "delta_disclosure": [la.DeltaDisclosure("ill", 1.2)],
    "population_uniqueness": [la.PopulationUniqueness(0.02, 100)],
}
NO_NULLS = (la.Ordered, la.Hierarchical)


def test_every_requirement_is_tried_here_or_looks_at_a_population():
    elsewhere = {"anonymity_level", "k_map", "delta_presence", "differential_privacy"}
    assert BUILT_IN.keys() | elsewhere == set(REQUIREMENTS.builtin)


class TestBuiltIn(RequirementContract):
    count = effort(320)

    @pytest.fixture(params=[rule for rules in BUILT_IN.values() for rule in rules], ids=repr)
    def requirement(self, request):
        if isinstance(getattr(request.param, "distance", None), NO_NULLS):
            self.values = ("flu", "cold", "ache")
        return request.param
