"""Random draws: the probabilities are exact, and only tests can repeat them."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np

from lookalike.releasing.randomness import (
    SecureRandomness,
    SeededRandomness,
    below,
    draw_rows,
    happens,
    happens_exp,
)

Z = 6  # standard errors


class Words:
    """Hands out given bytes, one draw after the other."""

    secret = False

    def __init__(self, data):
        self.data = data

    def random_bytes(self, count):
        head, self.data = self.data[:count], self.data[count:]
        assert len(head) == count
        return head


def test_a_row_is_drawn_exactly_for_the_numbers_below_the_probability():
    beta = 5 / 2**53
    numbers = np.array([0, 4, 5, 2**53 - 1], dtype=np.uint64)
    for low_bits in (0, 2**11 - 1):  # which do not matter
        data = ((numbers << np.uint64(11)) + np.uint64(low_bits)).tobytes()
        assert draw_rows(4, beta, Words(data)).tolist() == [True, True, False, False]


def test_rows_are_drawn_with_their_probability():
    for beta in (0.01, 0.25, 0.6321205588285577):
        drawn = draw_rows(400_000, beta, SecureRandomness()).mean()
        assert abs(drawn - beta) < Z * math.sqrt(beta * (1 - beta) / 400_000)


def test_numbers_below_a_limit_are_equally_likely():
    counts = Counter(below(5, SecureRandomness()) for _ in range(20_000))
    assert counts.keys() == set(range(5))
    assert all(abs(count - 4000) < Z * math.sqrt(3200) for count in counts.values())
    # three bits: 5, 6 and 7 are rejected, and nothing is folded back
    assert below(5, Words(bytes([7 << 5, 6 << 5, 5 << 5, 3 << 5]))) == 3
    assert below(1, SecureRandomness()) == 0


def test_a_fraction_of_one_and_of_zero():
    assert happens(Fraction(1), SecureRandomness())
    assert not happens(Fraction(0), SecureRandomness())


def test_exponentials_have_their_probability():
    for exponent in (Fraction(0), Fraction(1, 10), Fraction(1), Fraction(5, 2)):
        runs, p = 20_000, math.exp(-exponent)
        mean = sum(happens_exp(exponent, SecureRandomness()) for _ in range(runs)) / runs
        assert abs(mean - p) <= Z * math.sqrt(p * (1 - p) / runs)


def test_only_seeded_bits_repeat_and_they_are_not_secret():
    assert SeededRandomness(1).random_bytes(20) == SeededRandomness(1).random_bytes(20)
    assert SecureRandomness().random_bytes(20) != SecureRandomness().random_bytes(20)
    assert SecureRandomness().secret
    assert not SeededRandomness(1).secret
