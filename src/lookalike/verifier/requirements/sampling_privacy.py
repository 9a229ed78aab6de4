"""Differential privacy, checked again: β, k and δ from the parameters, in exact arithmetic.

Nothing is taken from ``privacy/sampling_privacy.py``. Every number is a pair of fractions, or of
integers in fixed point, between which the true value lies; each step is rounded outward. A promise
is confirmed only if the upper end of δ is within the limit. The search over n ends by Chernoff's
bound, which falls in n; since 1 − γ = (1 − β)·e^−ε, it needs a single logarithm:

    Σ_{j > γn} Binomial(j; n, β) ≤ exp(−n·(γ·ln(γ/β) − (1 − γ)·ε))

What no table shows is listed in ``NOT_CHECKED``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.sensitive_counts import Whole

if TYPE_CHECKING:
    import lookalike as la

Bounds = tuple[Fraction, Fraction]  # the true value lies between them
BITS = 400  # of a rounded number; the bounds of δ end up closer than 10^-60 of it
UNIT = 1 << BITS
NOT_CHECKED = (
    "that each row was drawn with the stated probability by random bits that nobody knows, that "
    "the levels were given, or chosen by the exponential mechanism, without other looks at the "
    "data, and that no other release of the same people was made"
)


def sampling_finding(rule: la.DifferentialPrivacy, sizes: Whole) -> Finding:
    """Do the parameters promise what the rule says, and has every class k rows?"""
    beta, k, delta = promised(rule.epsilon, rule.delta, rule.search_epsilon)
    small = int((sizes < k).sum())
    if (rule.beta, rule.smallest) != (beta, k):
        sentence = f"The parameters give k = {k} and the probability {beta:.6g}, not those stated."
        return Finding(rule.name, False, sentence)
    if small:
        few = "1 class has" if small == 1 else f"{small:,} classes have"
        return Finding(rule.name, False, f"{few} fewer than {k} rows.")
    least = "the table is empty"
    if len(sizes):
        least = f"the smallest of {len(sizes):,} classes has {sizes.min():,} rows"
    return Finding(rule.name, True, f"{rule.sentence()}; k = {k} gives δ = {delta:.4g}; {least}.")


@lru_cache(maxsize=64)
def promised(epsilon: float, delta: float, search_epsilon: float) -> tuple[float, int, float]:
    """β, the smallest k, and the δ of this k (its upper bound), for the printed decimal numbers."""
    left = Fraction(repr(epsilon)) - Fraction(repr(search_epsilon))
    beta = math.floor((1 - exp_minus(left)[1]) * 2**53) / 2**53
    limit = Fraction(repr(delta))

    def enough(k: int) -> bool:
        return delta_bounds(k, Fraction(beta), left, limit)[1] <= limit

    k = _first(enough)
    return beta, k, float(delta_bounds(k, Fraction(beta), left)[1])


def _first(enough: Callable[[int], bool]) -> int:
    """The smallest k from 2 up that is enough; every larger one is, too."""
    high = 2
    while not enough(high):
        high *= 2
    low = high // 2  # not enough, unless high is 2
    while high - low > 1 and high > 2:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def delta_bounds(
    k: int, beta: Fraction, epsilon: Fraction, limit: Fraction = Fraction(0)
) -> Bounds:
    """The largest sum over n ≥ ⌈k/γ − 1⌉, between two fractions.

    With a ``limit``, only whether the upper one is above it is right.
    """
    low, high = (1 - (1 - beta) * end for end in reversed(exp_minus(epsilon)))  # γ
    rate = low * logarithm(low / beta)[0] - (1 - low) * epsilon  # it grows with γ above β
    least, most = Fraction(0), Fraction(0)
    n = max(0, math.ceil(k / high - 1))
    while (not limit or most <= limit) and exp_minus(n * rate)[1] > max(least, limit):
        first = math.floor(low * n) + 1  # rows of the sample that are too many
        n = max(n, math.ceil(first / high) - 1)  # the sum grows with n while this number stays
        tail = tail_bounds(n, max(first, k), beta)
        surely = tail if math.floor(high * n) + 1 == first else (Fraction(0), tail[1])
        least, most = max(least, surely[0]), max(most, surely[1])
        n += 1
    return least, most


def tail_bounds(n: int, first: int, beta: Fraction) -> Bounds:
    """P(Binomial(n, β) ≥ ``first``), term by term; the terms have to fall."""
    ways, scale = math.comb(n, first), BITS
    while True:  # until the first term has enough bits
        scale += ways.bit_length() + BITS
        low, high = (
            ways * _power(beta, first, scale, up) * _power(1 - beta, n - first, scale, up)
            for up in (0, 1)
        )
        if low >> scale:
            break
    low, high = low >> scale, (high >> scale) + 1
    sums, odds = [low, high], beta / (1 - beta)
    for j in range(first, n):
        step = odds * (n - j) / (j + 1)
        low = low * step.numerator // step.denominator
        high = -(-high * step.numerator // step.denominator)
        sums = [sums[0] + low, sums[1] + high]
        if high < sums[1] >> BITS and step < 1:  # what follows is below a geometric series
            sums[1] += math.ceil(high * step / (1 - step))
            break
    return Fraction(sums[0], 1 << scale), Fraction(sums[1], 1 << scale)


def _power(base: Fraction, exponent: int, scale: int, up: int) -> int:
    """base^exponent · 2^scale, for a base up to 1, rounded up or down."""

    def rounded(number: int) -> int:
        return -(-number >> scale) if up else number >> scale

    square = (base.numerator << scale) // base.denominator
    square += up if Fraction(square, 1 << scale) != base else 0
    result = 1 << scale
    while exponent:
        if exponent & 1:
            result = rounded(result * square)
        square, exponent = rounded(square * square), exponent >> 1
    return result


def exp_minus(x: Fraction) -> Bounds:
    """e^−x for x ≥ 0: the alternating series at y = x / 2^s ≤ 1/2, squared s times."""
    halvings = math.ceil(x).bit_length() + 1 if x else 0
    least, most = _scaled(x / 2**halvings)
    low = high = term_low = term_high = UNIT
    j = 0
    while term_high > 1:
        j += 1
        term_low = term_low * least // (j * UNIT)
        term_high = -(-term_high * most // (j * UNIT))
        low, high = (
            (low - term_high, high - term_low) if j % 2 else (low + term_low, high + term_high)
        )
    low, high = max(0, low - term_high), high + term_high  # the rest is below the last term
    for _ in range(halvings):
        low, high = low * low // UNIT, -(-high * high // UNIT)
    return Fraction(low, UNIT), Fraction(high, UNIT)


def logarithm(x: Fraction) -> Bounds:
    """ln x for x ≥ 1: 2·artanh((y − 1)/(y + 1)) for y = x / 2^e up to 2, and e·ln 2."""
    doublings = 0
    while x > 2:
        x, doublings = x / 2, doublings + 1
    own, two = _artanh((x - 1) / (x + 1)), _artanh(Fraction(1, 3))
    return 2 * own[0] + 2 * doublings * two[0], 2 * own[1] + 2 * doublings * two[1]


def _artanh(z: Fraction) -> Bounds:
    """z + z³/3 + z⁵/5 + … for z from 0 to 1/3; the rest is below a geometric series."""
    least, most = _scaled(z)
    low, high, power_low, power_high, j = 0, 0, least, most, 1
    while power_high > 1:
        low, high = low + power_low // j, high - (-power_high // j)
        power_low = power_low * least * least // UNIT**2
        power_high = -(-power_high * most * most // UNIT**2)
        j += 2
    return Fraction(low, UNIT), Fraction(high + 2 * power_high, UNIT)


def _scaled(number: Fraction) -> tuple[int, int]:
    """In units of 2^−BITS, rounded down and up."""
    scaled = number.numerator << BITS
    return scaled // number.denominator, -(-scaled // number.denominator)
