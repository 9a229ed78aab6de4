"""Estimators of population uniques: against exact arithmetic, simulation, and their limits."""

from fractions import Fraction
from math import comb, lgamma, log

import numpy as np
import pytest

from lookalike.privacy.estimators import _reciprocals, pitman, pitman_fit, zayatz


def drawn(rng, population, share):
    """Class sizes of a simple random sample of a population, given as a class for each person."""
    sample = rng.choice(population, round(share * len(population)), replace=False)
    sizes = np.bincount(sample)
    return sizes[sizes > 0]


def zipf(rng, classes, people, exponent):
    weights = 1 / np.arange(1, classes + 1) ** exponent
    return rng.choice(classes, people, p=weights / weights.sum())


def restaurant(rng, people, theta, alpha):
    """A population drawn by Pitman's formula itself: the two-parameter Chinese restaurant."""
    tables = []
    at = np.empty(people, dtype=np.int64)
    for i in range(people):
        new = (theta + alpha * len(tables)) / (theta + i) if i else 1.0
        if rng.random() < new:
            tables.append(1)
            at[i] = len(tables) - 1
        else:
            j = at[rng.integers(i)]  # in proportion to size, then corrected for α by refusal
            while rng.random() * tables[j] < alpha:
                j = at[rng.integers(i)]
            tables[j] += 1
            at[i] = j
    return at


def zayatz_exactly(sizes, population):
    """Bayes over class sizes with whole numbers, one class at a time."""
    n = sum(sizes)
    alone = [size for size in sizes if size == 1]
    chance = {
        size: Fraction(size * comb(population - size, n - 1), comb(population, n))
        for size in set(sizes)
    }
    total = sum(chance[size] for size in sizes)
    return len(alone) * Fraction(len(alone)) * chance[1] / total * Fraction(population, n)


@pytest.mark.parametrize("seed", range(20))
def test_zayatz_is_bayes_in_exact_arithmetic(seed):
    rng = np.random.default_rng(seed)
    sizes = np.append(rng.integers(1, 7, size=rng.integers(1, 30)), 1)
    population = int(sizes.sum() * rng.integers(2, 9))
    exactly = float(zayatz_exactly(sizes.tolist(), population))
    assert zayatz(sizes, population) == pytest.approx(exactly, rel=1e-9)


@pytest.mark.parametrize("count", [0, 1, 64, 65, 66, 500, 20_000])
@pytest.mark.parametrize(
    ("start", "step"), [(3.0, 0.5), (-0.3, 0.31), (-0.5, 1.0), (2.0, 0.0), (1e6, 1e-3), (-0.9, 1.0)]
)
def test_long_sums_are_those_added_one_by_one(start, step, count):
    plain = sum(1 / (start + i * step) for i in range(1, count + 1))
    assert _reciprocals(start, step, count) == pytest.approx(plain, rel=1e-11)


def log_likelihood(sizes, theta, alpha):
    """Pitman's sampling formula, term by term."""
    total = sum(log(theta + i * alpha) for i in range(1, len(sizes)))
    total -= sum(log(theta + i) for i in range(1, sum(sizes)))
    return total + sum(log(i - alpha) for size in sizes for i in range(1, size))


@pytest.mark.parametrize("seed", range(12))
def test_the_fit_is_the_highest_of_the_likelihood(seed):
    rng = np.random.default_rng(seed)
    sizes = drawn(rng, zipf(rng, 300, 2000, rng.choice([0.3, 0.8, 1.2])), 0.1)
    theta, alpha = pitman_fit(sizes)
    assert 0 <= alpha < 1
    assert theta > -alpha
    best = log_likelihood(sizes.tolist(), theta, alpha)
    for a in np.linspace(0, 0.98, 25):
        for t in np.concatenate([-a + np.geomspace(1e-3, 1, 8), np.geomspace(1, 3000, 25)]):
            assert log_likelihood(sizes.tolist(), t, a) <= best + 1e-6
    for step in (-1e-3, 1e-3):  # and close by
        assert log_likelihood(sizes.tolist(), theta * (1 + step), alpha) <= best + 1e-9
        if 0 <= alpha + step < 1:
            assert log_likelihood(sizes.tolist(), theta, alpha + step) <= best + 1e-9


def test_uniques_expected_of_a_fit_are_those_of_the_chance_to_sit_alone():
    sizes = np.array([1] * 30 + [2] * 12 + [3] * 5 + [9, 14])
    theta, alpha = pitman_fit(sizes)
    people = 1000
    alone = 1.0  # the first guest stays alone while each of the others sits elsewhere
    for i in range(1, people):
        alone *= (theta + alpha + i - 1) / (theta + i)
    assert pitman(sizes, people) == pytest.approx(people * alone, rel=1e-9)
    hoshino = people**alpha * np.exp(lgamma(theta + 1) - lgamma(theta + alpha))
    assert pitman(sizes, people) == pytest.approx(hoshino, rel=0.1)


@pytest.mark.parametrize(("theta", "alpha"), [(5.0, 0.6), (40.0, 0.3), (0.5, 0.8)])
def test_pitman_finds_the_uniques_of_a_population_drawn_by_its_own_formula(theta, alpha):
    rng = np.random.default_rng(7)
    population = restaurant(rng, 20_000, theta, alpha)
    truth = int((np.bincount(population) == 1).sum())
    estimate = pitman(drawn(rng, population, 0.1), len(population))
    assert estimate == pytest.approx(truth, rel=0.35)


@pytest.mark.parametrize("exponent", [0.8, 1.0, 1.3])
def test_both_are_of_the_right_order_on_populations_with_a_long_tail(exponent):
    rng = np.random.default_rng(3)
    population = zipf(rng, 50_000, 60_000, exponent)
    truth = int((np.bincount(population) == 1).sum())
    for share, factor in ((0.05, 4), (0.2, 2.5), (0.5, 1.8)):
        sizes = drawn(rng, population, share)
        for estimator in (zayatz, pitman):
            assert truth / factor < estimator(sizes, len(population)) < truth * factor


def test_the_more_is_seen_the_closer_zayatz_gets():
    rng = np.random.default_rng(5)
    population = zipf(rng, 20_000, 50_000, 1.0)
    truth = int((np.bincount(population) == 1).sum())
    off = [
        abs(zayatz(drawn(rng, population, s), len(population)) - truth) for s in (0.05, 0.3, 0.9)
    ]
    assert off[0] > off[1] > off[2]
    assert off[2] < 0.05 * truth


@pytest.mark.parametrize("estimator", [zayatz, pitman])
class TestEdges:
    def test_nobody_is_unique_who_is_not_in_the_sample(self, estimator):
        assert estimator(np.array([2, 3, 5]), 1000) == 0

    def test_an_empty_table(self, estimator):
        assert estimator(np.array([], dtype=np.int64), 1000) == 0

    def test_all_unique_is_the_whole_population(self, estimator):
        assert estimator(np.ones(20, dtype=np.int64), 1000) == pytest.approx(1000)

    def test_one_row(self, estimator):
        assert estimator(np.array([1]), 50) == pytest.approx(50)

    def test_the_whole_population_is_counted_exactly(self, estimator):
        assert estimator(np.array([1, 1, 1, 2, 9]), 14) == 3

    def test_no_pairs(self, estimator):
        assert 0 < estimator(np.array([1] * 10 + [3] * 5 + [20]), 450) <= 450

    def test_one_unique_row_and_one_large_class(self, estimator):
        assert 0 < estimator(np.array([1, 99]), 1000) <= 1000

    def test_a_large_population(self, estimator):
        sizes = np.array([1] * 1000 + [2] * 200 + [50] * 40)
        assert 0 < estimator(sizes, 330_000_000) <= 330_000_000

    def test_a_population_smaller_than_its_sample_is_refused(self, estimator):
        with pytest.raises(ValueError, match="smaller"):
            estimator(np.array([2, 3]), 4)
