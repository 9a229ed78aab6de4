"""Random bits for a private release: from the operating system; with a seed only in tests.

A promise of differential privacy is about the probabilities of what is drawn. It is void if
somebody can guess the random bits, so there is no seed to set in a policy or on the command line.
Tests can pass ``SeededRandomness``; a release made with it says in its certificate that it is not
private.
"""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

BITS = 53  # a probability is a multiple of 2^-53, as every float between 1/2 and 1 is


class Randomness(Protocol):
    """A source of random bytes."""

    @property
    def secret(self) -> bool:
        """Can nobody guess or repeat the bytes?"""

    def random_bytes(self, count: int) -> bytes:
        """Return this number of independent, uniformly distributed bytes."""


@dataclass(frozen=True, slots=True)
class SecureRandomness:
    """The generator of the operating system, through ``secrets``."""

    @property
    def secret(self) -> bool:
        return True

    def random_bytes(self, count: int) -> bytes:
        return secrets.token_bytes(count)


@dataclass(frozen=True, slots=True)
class SeededRandomness:
    """For tests only: anybody who knows the seed can draw the same."""

    seed: int
    generator: random.Random = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "generator", random.Random(self.seed))

    @property
    def secret(self) -> bool:
        return False

    def random_bytes(self, count: int) -> bytes:
        return self.generator.randbytes(count)


def draw_rows(rows: int, probability: float, randomness: Randomness) -> NDArray[np.bool_]:
    """(rows,) which are drawn, each independently, with exactly this probability.

    53 random bits are compared with the probability, which is a multiple of 2^-53.
    """
    limit = int(probability * 2**BITS)
    words = np.frombuffer(randomness.random_bytes(8 * rows), dtype=np.uint64)
    return np.asarray((words >> np.uint64(64 - BITS)) < np.uint64(limit))


def below(limit: int, randomness: Randomness) -> int:
    """A whole number from 0 up to, but not including, ``limit``; each is equally likely."""
    count = (limit.bit_length() + 7) // 8
    spare = 8 * count - limit.bit_length()
    while True:  # ends soon: at least half of the numbers are accepted
        number = int.from_bytes(randomness.random_bytes(count), "big") >> spare
        if number < limit:
            return number


def happens(probability: Fraction, randomness: Randomness) -> bool:
    """True with exactly this probability."""
    return below(probability.denominator, randomness) < probability.numerator


def happens_exp(exponent: Fraction, randomness: Randomness) -> bool:
    """True with probability e^−exponent, for an exponent of 0 or more (von Neumann 1951).

    Without any rounding, as Canonne, Kamath and Steinke 2020 use it: for x of at most 1, the number
    of successes in a row with probabilities x/1, x/2, x/3 … is even with probability e^−x.
    """
    while exponent > 1:
        if not happens_exp(Fraction(1), randomness):
            return False
        exponent -= 1
    successes = 0
    while happens(exponent / (successes + 1), randomness):
        successes += 1
    return successes % 2 == 0
