"""From k to (ε, δ): what random sampling and generalization promise together.

Li, Qardaji and Su 2012, the theorem on strongly safe k-anonymization: draw each row of a table
independently with probability β, recode it by levels that do not depend on the data, and leave out
every class of fewer than k rows. The result is (ε, δ)-differentially private (one row more or less)
for every ε ≥ −ln(1 − β), with

    γ = (e^ε − 1 + β) / e^ε = 1 − (1 − β)·e^−ε
    δ(k, β, ε) = max over n ≥ ⌈k/γ − 1⌉ of Σ_{j > γn} Binomial(j; n, β)

**Which n matter.** Let m = ⌊γn⌋ + 1, so that the sum is P(Binomial(n, β) ≥ m). For a fixed m it
grows with n, and the largest n with this m is n(m) = ⌈m/γ⌉ − 1. At n = ⌈k/γ − 1⌉ = n(k), m is k.
So δ(k, β, ε) is the largest of b(m) = P(Binomial(n(m), β) ≥ m) over m ≥ k, and it falls as k grows.

**When to stop.** Since m > γ·n(m) and γ > β, Chernoff's bound gives b(m) ≤ exp(−n(m)·D) with
D = γ·ln(γ/β) + (1 − γ)·ln((1 − γ)/(1 − β)) > 0, the divergence of two coins. n(m) never falls, so
if exp(−n(M)·D) is at most x, then b(m) ≤ x for every m ≥ M, and no m ≥ M needs to be looked at.

**Accuracy.** Decimal numbers of 60 digits. A sum of the binomial has only positive terms, each a
product of a few factors, and ends when the rest (a geometric series bounds it) is below 10^−40 of
it. Results are therefore right to a relative error of 10^−30, and k is rounded to the safe side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from functools import lru_cache

DIGITS = 60
NEGLIGIBLE = Decimal("1e-40")  # the part of a sum that may be left out
ERROR = Decimal("1e-30")  # the relative error of a result, with much to spare
UNIT = 2**53  # a probability is a multiple of 1/UNIT, so a float holds it exactly


def exact(number: float | Decimal) -> Decimal:
    """The decimal number that is printed for a float: 0.1 is one tenth."""
    return number if isinstance(number, Decimal) else Decimal(repr(number))


def sampling_probability(epsilon: float | Decimal) -> float:
    """The largest β with −ln(1 − β) ≤ ε, rounded down to a multiple of 2^−53."""
    with _precise():
        return int((1 - (-exact(epsilon)).exp()) * UNIT) / UNIT


def safe_share(beta: float, epsilon: float | Decimal) -> Decimal:
    """γ: up to this share of a class in the sample, an outsider learns at most ε."""
    with _precise():
        return _Sampling.of(beta, epsilon).gamma


@lru_cache(maxsize=256)
def delta(k: int, beta: float, epsilon: float | Decimal) -> Decimal:
    """δ(k, β, ε): the probability, at most, of learning more than ε."""
    with _precise():
        sampling = _Sampling.of(beta, epsilon)
        largest, m = Decimal(0), k
        while sampling.tail_bound(m) > largest:
            largest = max(largest, sampling.tail(m))
            m += 1
        return largest


@lru_cache(maxsize=256)
def smallest_k(epsilon: float | Decimal, delta: float | Decimal, beta: float) -> int:
    """The smallest k, 2 or more, with δ(k, β, ε) ≤ ``delta``.

    It is one more than the last m with b(m) > ``delta``. From the first m on that Chernoff's bound
    excludes, the search goes down to it.
    """
    with _precise():
        sampling, limit = _Sampling.of(beta, epsilon), exact(delta) * (1 - ERROR)
        m = sampling.excluded_from(limit)
        while m > 2 and sampling.tail(m - 1) <= limit:
            m -= 1
        return m


@dataclass(frozen=True, slots=True)
class _Sampling:
    """β and γ, and what follows for every m."""

    beta: Decimal
    gamma: Decimal
    divergence: Decimal  # D

    @classmethod
    def of(cls, beta: float, epsilon: float | Decimal) -> _Sampling:
        share, kept = Decimal(beta), 1 - Decimal(beta)  # exact: a float is a binary fraction
        at_most = (-exact(epsilon)).exp()
        if not 0 < share < 1 or kept < at_most * (1 - ERROR):
            raise ValueError("beta is not between 0 and 1 − exp(−epsilon)")
        gamma = 1 - kept * at_most
        divergence = gamma * (gamma / share).ln() + (1 - gamma) * ((1 - gamma) / kept).ln()
        return cls(share, gamma, divergence)

    def rows(self, m: int) -> int:
        """n(m): the most rows of a class of which m are more than the share γ."""
        return math.ceil(m / self.gamma + NEGLIGIBLE) - 1  # if in doubt one more, which is safe

    def tail_bound(self, m: int) -> Decimal:
        """Chernoff's bound on b(m) and on b of every larger m."""
        return (-self.rows(m) * self.divergence).exp()

    def excluded_from(self, limit: Decimal) -> int:
        """An m from which on Chernoff's bound is at most ``limit``."""
        m = max(2, math.floor(self.gamma * -limit.ln() / self.divergence))
        while self.tail_bound(m) > limit:
            m += 1
        return m

    def tail(self, m: int) -> Decimal:
        """b(m) = P(Binomial(n(m), β) ≥ m), from its largest term on."""
        n, odds = self.rows(m), self.beta / (1 - self.beta)
        term = Decimal(math.comb(n, m)) * self.beta**m * (1 - self.beta) ** (n - m)
        total = term
        for j in range(m, n):  # each term is the one before times a ratio below 1, which falls
            ratio = (n - j) * odds / (j + 1)
            term *= ratio
            total += term
            if term * ratio < total * NEGLIGIBLE * (1 - ratio):
                break
        return total


@contextmanager
def _precise() -> Iterator[None]:
    with localcontext(prec=DIGITS, Emin=MIN_EMIN, Emax=MAX_EMAX):
        yield
