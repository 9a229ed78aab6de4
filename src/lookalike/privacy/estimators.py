"""Estimate how many people are unique in the population, from the class sizes of a sample.

Two estimators from the literature, in plain numpy. Both take the sizes of the classes of the table
and the number of people from which it was drawn, and return the expected number of people who are
unique in the population; divided by the population it is a share. Both assume that the table is a
simple random sample without replacement. They are estimates, not bounds.

Special cases are the same for both:

- an empty table, or no unique row: 0;
- a table that is the whole population: exactly the number of unique rows;
- every row unique: the whole population, for Pitman's estimator as its limit;
- no class of two rows: nothing special (other methods take starting values from such pairs).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

FIRST_TERMS = np.arange(1.0, 65.0)  # terms of a sum that are added; an integral gives the rest
MAX_STEPS = 100  # of a root search; about ten are taken


def zayatz(sizes: NDArray[np.int64], population: int) -> float:
    """Zayatz's estimator of population uniques (L. V. Zayatz, Bureau of the Census, 1991).

    A class of i people appears as a unique row with the hypergeometric probability
    h(i) = i · C(N − i, n − 1) / C(N, n). If the class sizes of the sample, c_i classes of i rows,
    are used for those of the population, a unique row is unique in the population with probability
    p = c_1 h(1) / Σ_i c_i h(i) (Bayes). A share n/N of them is in the sample, so the population
    has c_1 · p · N / n of them. The estimate tends to be too high for small sampling fractions.
    """
    n, uniques = _sample(sizes, population)
    if n == population or not uniques:
        return float(uniques)
    values, classes = np.unique(sizes, return_counts=True)
    shown = np.array([_shows_alone(int(i), n, population) for i in values])
    unique_there = uniques * (n / population) / float(classes @ shown)
    return min(float(population), uniques * unique_there * population / n)


def pitman(sizes: NDArray[np.int64], population: int) -> float:
    """Population uniques by Pitman's sampling formula (N. Hoshino, Applying Pitman's sampling
    formula to microdata disclosure risk assessment, Journal of Official Statistics 17, 2001).

    With u classes, c_j of them of j rows, the log-likelihood of the sample is

        Σ_{i<u} log(θ + iα) − Σ_{i<n} log(θ + i) + Σ_j c_j Σ_{i<j} log(i − α),

    where sums begin at 1. It is maximized over 0 ≤ α < 1 and θ > −α: for each α the root in θ, and
    over those the root in α, each by Ridders's method, which keeps the root in a bracket. The usual
    Newton's method in both at once needs good starting values. At α = 0 it is Ewens's formula. The
    population is then expected to have

        N · Γ(θ + 1) Γ(θ + α + N − 1) / (Γ(θ + α) Γ(θ + N))

    uniques, for large N about N^α Γ(θ + 1) / Γ(θ + α), which is the form that Hoshino gives.
    """
    n, uniques = _sample(sizes, population)
    if n == population or not uniques:
        return float(uniques)
    if len(sizes) == n:
        return float(population)  # the likelihood grows as α goes to 1
    theta, alpha = pitman_fit(sizes)
    return min(float(population), _expected_uniques(theta, alpha, population))


def pitman_fit(sizes: NDArray[np.int64]) -> tuple[float, float]:
    """θ and α of highest likelihood; there must be several classes, one of several rows."""
    n, u = int(sizes.sum()), len(sizes)
    if not 2 <= u < n:
        raise ValueError("needs two classes or more, and fewer classes than rows")
    values, classes = (part.tolist() for part in np.unique(sizes, return_counts=True))

    def theta(alpha: float) -> float:
        return _theta(alpha, n, u)

    def slope(alpha: float) -> float:
        """The derivative of the profile likelihood: by the envelope theorem, that in α alone.

        Times 1 − α, so that it stays finite where it ends.
        """
        others: float = sum(
            count * _reciprocals(-alpha, 1.0, size - 1)
            for size, count in zip(values, classes, strict=True)
        )
        return (1 - alpha) * (_weighted_reciprocals(theta(alpha), alpha, u - 1) - others)

    if slope(0.0) <= 0:
        return theta(0.0), 0.0
    alpha = _root(slope, 0.0, 1.0 - 1e-12)
    return theta(alpha), alpha


def _sample(sizes: NDArray[np.int64], population: int) -> tuple[int, int]:
    """The rows of the sample, and its unique rows."""
    n = int(sizes.sum())
    if len(sizes) and int(sizes.min()) < 1:
        raise ValueError("a class has at least one row")
    if population < n:
        raise ValueError(f"a population of {population} is smaller than its sample of {n}")
    return n, int((sizes == 1).sum())


def _shows_alone(size: int, n: int, population: int) -> float:
    """The probability that exactly one person of a class of ``size`` people is in the sample."""
    if n - 1 > population - size:
        return 0.0
    return size * math.exp(_log_choose(population - size, n - 1) - _log_choose(population, n))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _expected_uniques(theta: float, alpha: float, population: int) -> float:
    if theta + alpha <= 0:
        return 0.0
    log = (
        math.lgamma(theta + 1)
        - math.lgamma(theta + alpha)
        + math.lgamma(theta + alpha + population - 1)
        - math.lgamma(theta + population)
    )
    return population * math.exp(log)


def _theta(alpha: float, n: int, u: int) -> float:
    """The θ of highest likelihood for an α: where its derivative, falling from +∞, crosses 0."""

    def slope(x: float) -> float:
        """For θ = −α + exp(x), and times θ + α, so that it is finite at both ends."""
        theta = math.exp(x) - alpha
        known = _reciprocals(theta, alpha, u - 1)
        return math.exp(x) * (known - _reciprocals(theta, 1.0, n - 1))

    low, high = -30.0, 1.0
    while slope(high) > 0 and high < 80:
        high += 2
    return math.exp(_root(slope, low, high)) - alpha


def _reciprocals(start: float, step: float, count: int) -> float:
    """Σ_{i=1}^{count} 1 / (start + i · step), by Euler and Maclaurin beyond the first terms."""
    first = float((1 / (start + FIRST_TERMS[:count] * step)).sum())
    if count <= len(FIRST_TERMS):
        return first
    a, b = start + (len(FIRST_TERMS) + 1) * step, start + count * step
    steps = count - len(FIRST_TERMS) - 1
    whole = math.log1p(steps * step / a) / step if step else steps / a
    ends = (1 / a + 1 / b) / 2
    bends = step * (1 / a**2 - 1 / b**2) / 12 - step**3 * (1 / a**4 - 1 / b**4) / 120
    return first + whole + ends + bends


def _weighted_reciprocals(theta: float, alpha: float, count: int) -> float:
    """Σ_{i=1}^{count} i / (θ + i α)."""
    if alpha < 1e-4:  # the closed form would lose precision; the sum is exact
        i = np.arange(1, count + 1, dtype=np.float64)
        return float((i / (theta + i * alpha)).sum())
    plain = _reciprocals(theta, alpha, count)
    return (count - theta * plain) / alpha


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that is positive at ``low`` and not at ``high`` crosses 0.

    Ridders's method: as fast as Newton's near the root, and always within a bracket that is at
    least halved at each step.
    """
    at_low, at_high = function(low), function(high)
    if at_low <= 0 or at_high >= 0:
        return low if at_low <= 0 else high
    last = math.inf
    for _ in range(MAX_STEPS):
        middle = (low + high) / 2
        at_middle = function(middle)
        bend = math.sqrt(at_middle * at_middle - at_low * at_high)
        guess = middle + (middle - low) * at_middle / bend
        if abs(guess - last) <= 1e-13 * max(1.0, abs(guess)) or high - low <= 1e-15:
            return guess
        last, value = guess, function(guess)
        for x, at in ((middle, at_middle), (guess, value)):
            if at > 0 and x > low:
                low, at_low = x, at
            elif at < 0 and x < high:
                high, at_high = x, at
        if value == 0:
            return guess
    return last
