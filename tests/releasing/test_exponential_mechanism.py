"""The exponential mechanism against its definition."""

import math
from collections import Counter
from fractions import Fraction

from lookalike.releasing.exponential_mechanism import choose
from lookalike.releasing.randomness import SecureRandomness

RUNS = 30_000


def test_candidates_are_chosen_with_the_probabilities_of_the_definition():
    for scores, epsilon, sensitivity in (
        ([0, 1, 2, 5], Fraction(1, 2), Fraction(1)),
        ([3, 3, 3], Fraction(2), Fraction(1)),
        ([10, 12], Fraction(1), Fraction(2)),
        ([7], Fraction(1), Fraction(1)),
    ):
        weights = [math.exp(epsilon * score / sensitivity) for score in scores]
        given = [Fraction(score) for score in scores]
        counts = Counter(
            choose(given, epsilon, sensitivity, SecureRandomness()) for _ in range(RUNS)
        )
        for place, weight in enumerate(weights):
            p = weight / sum(weights)
            assert abs(counts[place] / RUNS - p) < 6 * math.sqrt(p * (1 - p) / RUNS) + 1e-12


def test_scores_far_apart_leave_only_the_best():
    scores = [Fraction(0), Fraction(10**9), Fraction(5)]
    assert {choose(scores, Fraction(1), Fraction(1), SecureRandomness()) for _ in range(20)} == {1}
