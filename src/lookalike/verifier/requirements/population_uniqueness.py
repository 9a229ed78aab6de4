"""Estimates of population uniques, implemented again for the verifier by other arithmetic.

Zayatz's probabilities are a running product; Pitman's likelihood is maximized with digamma
functions and bisection.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

MAX_HALVINGS = 200


def population_uniques(estimator: str, sizes: NDArray[np.int64], population: int) -> float:
    """The expected number of people who are unique among ``population`` people."""
    rows, uniques = int(sizes.sum()), int((sizes == 1).sum())
    if rows >= population or not uniques:
        return float(uniques)
    if estimator == "zayatz":
        return min(_zayatz(Counter(sizes.tolist()), rows, population), float(population))
    if uniques == rows:
        return float(population)
    return min(_pitman(Counter(sizes.tolist()), rows, population), float(population))


def _zayatz(classes: Counter[int], rows: int, population: int) -> float:
    """Uniques times the chance that one is unique in the population, over the sampling fraction."""
    alone, chance = 0.0, 1.0  # that a class of this size shows as one row; 1 for one person
    for size in range(1, max(classes) + 1):
        alone += classes[size] * size * chance
        chance *= max(0, population - rows - size + 1) / (population - size)
    return classes[1] * classes[1] / alone * population / rows


def _pitman(classes: Counter[int], rows: int, population: int) -> float:
    count = sum(classes.values())

    def over_classes(theta: float, alpha: float) -> float:
        """The sum of 1 / (θ + iα) for i from 1 to count − 1."""
        if alpha < 1e-10:
            return (count - 1) / theta
        return (_psi(theta / alpha + count) - _psi(theta / alpha + 1)) / alpha

    def best_theta(alpha: float) -> float:
        def rises(x: float) -> bool:
            theta = math.exp(x) - alpha
            return over_classes(theta, alpha) > _psi(theta + rows) - _psi(theta + 1)

        return math.exp(_bisect(rises, -30.0, 80.0)) - alpha

    def rises(alpha: float) -> bool:
        theta = best_theta(alpha)
        if alpha < 1e-10:
            over = count * (count - 1) / 2 / theta
        else:
            over = (count - 1 - theta * over_classes(theta, alpha)) / alpha
        under = sum(c * (_psi(size - alpha) - _psi(1 - alpha)) for size, c in classes.items())
        return over > under

    alpha = _bisect(rises, 1e-9, 1 - 1e-12) if rises(0.0) else 0.0
    theta = best_theta(alpha)
    if theta + alpha <= 0:
        return 0.0
    log = math.lgamma(theta + 1) - math.lgamma(theta + alpha)
    log += math.lgamma(theta + alpha + population - 1) - math.lgamma(theta + population)
    return population * math.exp(log)


def _bisect(rises: Callable[[float], bool], low: float, high: float) -> float:
    """Where a function stops rising, by bisection."""
    for _ in range(MAX_HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if rises(middle) else (low, middle)
    return (low + high) / 2


def _psi(x: float) -> float:
    """The digamma function, for x above 0."""
    shift = 0.0
    while x < 12:
        shift -= 1 / x
        x += 1
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return shift + math.log(x) - 1 / (2 * x) - series
