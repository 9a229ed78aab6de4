"""δ(k, β, ε) from the theorem as printed (Li, Qardaji and Su 2012), in mpmath, row by row of n.

The search over n ends by the bound that SafePub prints (Bild, Kuhn and Prasser 2018), which is
weaker than the one in ``lookalike``: c(n) = exp(−n·(γ·ln(γ/β) − (γ − β))).
"""

from __future__ import annotations

import math

from mpmath import mp, mpf

DIGITS = 60


def gamma(beta: float, epsilon: float) -> mpf:
    mp.dps = DIGITS
    power = mp.exp(mpf(repr(epsilon)))
    return (power - 1 + mpf(beta)) / power


def binomial_tail(n: int, more_than: mpf, beta: float) -> mpf:
    """The sum of Binomial(j; n, β) for j > ``more_than``, term by term from the definition."""
    share, first = mpf(beta), int(mp.floor(more_than)) + 1
    ways = math.comb(n, first)
    total = mpf(0)
    for j in range(first, n + 1):
        term = ways * share**j * (1 - share) ** (n - j)
        total += term
        ways = ways * (n - j) // (j + 1)
        if term < total * mpf(10) ** -20:  # the terms fall, and there are fewer than 10^6
            break
    return total


def delta(k: int, beta: float, epsilon: float) -> mpf:
    share = gamma(beta, epsilon)
    rate = share * mp.log(share / mpf(beta)) - (share - mpf(beta))
    n = int(mp.ceil(mpf(k) / share - 1))
    largest = mpf(0)
    while True:
        largest = max(largest, binomial_tail(n, share * n, beta))
        if mp.exp(-n * rate) <= largest:
            return largest
        n += 1
