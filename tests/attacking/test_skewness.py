"""Skewness: the paper's examples, and every number by brute force."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import release_attack_oracle as oracle
from effort import effort
from release_views import of_classes

from lookalike.attacking.skewness import attack_by_skewness

NUMBERS = (
    "certain", "improved", "largest_posterior", "largest_gain", "largest_ratio", "value_gain",
    "doubled", "nearly_sure",
)  # fmt: skip


def random_rows(rng: random.Random) -> list[tuple[str, str]]:
    places, values = "abcd"[: rng.randint(1, 4)], "uvwx"[: rng.randint(1, 4)]
    return [(rng.choice(places), rng.choice(values)) for _ in range(rng.randint(1, 20))]


def test_the_papers_example_of_a_rare_disease():
    # Li et al. 2007, section 3.1: one percent of 10,000 people are positive, and half of a class
    rows = [("even", "+")] * 25 + [("even", "-")] * 25 + [("rest", "+")] * 75
    rows += [("rest", "-")] * 9875
    [found] = attack_by_skewness(of_classes(rows)).columns
    assert found.value_gain == pytest.approx(0.49)  # from 1% to 50%
    assert found.largest_ratio == pytest.approx(50)
    assert found.doubled == 50
    assert found.certain == 0


def test_the_papers_class_of_49_positives_and_one_negative():
    # the class is as 2-diverse as one of 1 positive and 49 negatives, at 98% instead of 2%
    rows = [("a", "+")] * 49 + [("a", "-")] + [("b", "+")] * 51 + [("b", "-")] * 9899
    [found] = attack_by_skewness(of_classes(rows)).columns
    assert found.value_gain == pytest.approx(0.97)
    assert found.largest_ratio == pytest.approx(98)
    assert found.nearly_sure == 10_000  # the other class is nearly surely negative, above 99%
    [worst, *_] = found.by_class
    assert worst.rows == 9950
    assert worst.labels == ("b",)


@pytest.mark.parametrize("seed", range(effort(500)))
def test_every_number_equals_brute_force(seed: int):
    rows = random_rows(random.Random(seed))
    [found] = attack_by_skewness(of_classes(rows)).columns
    expected = oracle.skewness(rows)
    for name in NUMBERS:
        assert getattr(found, name) == pytest.approx(float(expected[name])), name
    assert found.rows == len(rows)


def test_classes_with_the_rates_of_the_release_tell_nothing():
    found = attack_by_skewness(of_classes([(c, v) for c in "ab" for v in "xxy"]))
    assert (found.certain, found.improved, found.largest_gain) == (0, 0, 0)
    assert found.sentences == ("ill: every class has the same rates as the whole release.",)


def test_a_statement_shows_no_values():
    found = attack_by_skewness(of_classes([("secretplace", "syphilis")] * 3 + [("b", "flu")] * 5))
    assert found.certain == 3 + 5
    assert found.largest_gain == pytest.approx(float(1 - Fraction(5, 8)))
    for text in (repr(found), *found.sentences):
        assert "syphilis" not in text
        assert "secretplace" not in text
    assert "8 of 8 people" in found.sentences[0]
