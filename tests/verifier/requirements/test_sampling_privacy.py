"""The verifier's own β, k and δ: bounds that agree with the search, and what is refused."""

import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from effort import effort
from mpmath import mp, mpf

import lookalike as la
from lookalike.privacy import sampling_privacy as search
from lookalike.verifier.requirements.sampling_privacy import (
    delta_bounds,
    exp_minus,
    logarithm,
    promised,
    sampling_finding,
    tail_bounds,
)


def high_precision(x):
    return mpf(x.numerator) / x.denominator


@pytest.mark.parametrize("x", [0, "1/1000", "1/3", 1, "22/7", 17, 399, 10**6])
def test_bounds_of_the_exponential_hold_the_true_value(x):
    mp.dps = 200
    low, high = exp_minus(Fraction(x))
    assert low <= high <= 1
    assert high_precision(low) <= mp.exp(-high_precision(Fraction(x))) <= high_precision(high)
    assert Fraction(x) > 300 or high - low < Fraction(1, 10**90)


@pytest.mark.parametrize("x", [1, "1001/1000", "4/3", 2, "22/7", 1024, "123456789/1000"])
def test_bounds_of_the_logarithm_hold_the_true_value(x):
    mp.dps = 200
    low, high = logarithm(Fraction(x))
    assert high_precision(low) <= mp.log(high_precision(Fraction(x))) <= high_precision(high)
    assert high - low < Fraction(1, 10**100)


def test_bounds_of_a_tail_hold_the_exact_sum():
    rng = random.Random(2)
    for _ in range(effort(200)):
        n, beta = rng.randint(1, 60), Fraction(rng.randint(1, 999), 1000)
        first = rng.randint(int(n * beta) + 1, n) if n * beta < n - 1 else n
        ways = search.math.comb
        exact = sum(ways(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(first, n + 1))
        low, high = tail_bounds(n, first, beta)
        assert low <= exact <= high
        assert high - low < exact / 10**60


def test_verifier_and_search_agree_on_k_beta_and_delta():
    rng = random.Random(4)
    for _ in range(effort(200)):
        epsilon = round(rng.uniform(0.01, 4.0), 3)
        limit = float(f"{10 ** rng.uniform(-12, -0.5):.3g}")
        spent = round(rng.choice((0.0, 0.3)) * epsilon, 4)
        rule = la.DifferentialPrivacy(epsilon, limit, spent)
        beta, k, reached = promised(epsilon, limit, spent)
        assert (beta, k) == (rule.beta, rule.k)
        assert reached <= limit
        assert reached == pytest.approx(float(search.delta(k, beta, rule.release_epsilon)))


def test_bounds_of_delta_hold_the_value_of_the_search():
    rng = random.Random(7)
    for _ in range(effort(80)):
        epsilon, k = round(rng.uniform(0.05, 3.0), 2), rng.randint(2, 90)
        beta = search.sampling_probability(epsilon)
        low, high = delta_bounds(k, Fraction(beta), Fraction(repr(epsilon)))
        value = Fraction(search.delta(k, beta, epsilon))
        assert low * (1 - Fraction(1, 10**28)) <= value <= high * (1 + Fraction(1, 10**28))
        assert high - low <= high / 10**50


def test_a_class_below_k_is_found():
    rule = la.DifferentialPrivacy(1.0, 1e-5)
    assert sampling_finding(rule, np.array([rule.k, rule.k + 3])).holds
    finding = sampling_finding(rule, np.array([rule.k, rule.k - 1, 5]))
    assert not finding.holds
    assert finding.sentence == f"2 classes have fewer than {rule.k} rows."


@pytest.mark.parametrize(("part", "wrong"), [("smallest", 60), ("smallest", 62), ("beta", 0.7)])
def test_a_wrong_k_or_probability_of_the_search_is_refused(part, wrong, monkeypatch):
    monkeypatch.setattr(la.DifferentialPrivacy, "smallest", 61)
    monkeypatch.setattr(la.DifferentialPrivacy, part, wrong)
    finding = sampling_finding(la.DifferentialPrivacy(1.0, 1e-5), np.array([500]))
    assert not finding.holds
    assert "k = 61" in finding.sentence


def test_the_decimal_number_that_is_printed_counts():
    """0.3 − 0.1 is 0.2 here, though not in floating point."""
    assert la.DifferentialPrivacy(0.3, 1e-5, 0.1).release_epsilon == Decimal("0.2")
    assert promised(0.3, 1e-5, 0.1)[:2] == promised(0.2, 1e-5, 0.0)[:2]
