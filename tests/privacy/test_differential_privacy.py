"""The requirement: its numbers, its form in a policy file, and what it cannot be combined with."""

from decimal import Decimal

import pytest

import lookalike as la
from lookalike.policy.policy_file import dumps, loads
from lookalike.policy.requirement_names import requirements_from, requirements_to

RULE = la.DifferentialPrivacy(1.0, 1e-5, 0.1)
USUAL = {
    "quasi_identifiers": {"age": la.bands(10), "zip": la.prefix(length=5)},
    "require": RULE,
    "suppress": 1.0,
}


def test_a_policy_file_holds_it():
    policy = la.Policy(**USUAL)
    assert loads(dumps(policy)).policy == policy
    assert requirements_from(requirements_to([RULE])) == (RULE,)
    section = {"differential_privacy": {"epsilon": 2, "delta": 1e-6}}
    assert requirements_from(section) == (la.DifferentialPrivacy(2, 1e-6),)


def test_the_numbers_of_one_setting():
    rule = la.DifferentialPrivacy(1.0, 1e-5)
    assert (rule.k, rule.smallest, rule.release_epsilon) == (61, 61, Decimal("1.0"))
    assert rule.beta == pytest.approx(0.6321205588)
    assert RULE.release_epsilon == Decimal("0.9")
    assert RULE.beta < rule.beta


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((0.0001, 1e-5), "epsilon is 0.0001"),
        ((11, 1e-5), "at most 10"),
        ((1.0, 0), "delta is 0"),
        ((1.0, 0.9), "at most 0.5"),
        ((1.0, 1e-5, -0.1), "search_epsilon"),
        ((1.0, 1e-5, 1.0), "leaves less than 0.001"),
    ],
)
def test_numbers_out_of_range_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        la.DifferentialPrivacy(*given)


FAULTS = {
    "require (average risk)": {"require": (RULE, la.AverageRisk(0.1))},
    "require": {"require": (RULE, la.DifferentialPrivacy(0.5, 1e-5, 0.1))},
    "sensitive.ill": {"sensitive": "ill"},
    "insensitive.ward": {"insensitive": "ward"},
    "pseudonyms.id": {"pseudonyms": "id"},
    "quasi_identifiers.zip": {"quasi_identifiers": {"age": la.bands(10), "zip": la.prefix()}},
    "suppress": {"suppress": 0.9},
    "metric": {"metric": "loss"},
    "conventions.stars": {"conventions": la.Conventions(stars="wildcard")},
    "conventions.suppressed": {"conventions": la.Conventions(suppressed="star")},
    "model": {"model": "AG_TS"},
    "linking": {"linking": {"one": ["age"]}},
    "show": {"show": {"age": "interval"}},
    "eligible": {"eligible": {"age": ["30"]}},
    "require.differential_privacy": {"require": la.DifferentialPrivacy(1.0, 1e-5)},
}


@pytest.mark.parametrize("where", FAULTS)
def test_what_the_theorem_does_not_cover_is_a_fault(where):
    with pytest.raises(la.PolicyError) as raised:
        la.Policy(**USUAL | FAULTS[where])
    assert where in [fault.where for fault in raised.value.faults]


def test_levels_are_given_or_chosen_and_not_both():
    levels = {"age": (1, 1), "zip": (2, 2)}
    la.Policy(**USUAL | {"require": la.DifferentialPrivacy(1.0, 1e-5), "levels": levels})
    with pytest.raises(la.PolicyError, match="nothing to choose"):
        la.Policy(**USUAL | {"levels": levels})


def test_requirements_on_the_size_of_classes_can_be_added():
    assert la.Policy(**USUAL | {"require": (RULE, la.KAnonymity(200))}).smallest == 200
