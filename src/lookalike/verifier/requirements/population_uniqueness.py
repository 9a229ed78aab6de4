"""Population uniques once more, for the verifier alone: the same models by other arithmetic.

Zayatz's probabilities as a running product; Pitman's likelihood by digamma functions and halving.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

HALVINGS = 200


def population_uniques(estimator: str, sizes: NDArray[np.int64], population: int) -> float:
    """The expected number of people who are one of a kind among ``population``."""
    rows, uniques = int(sizes.sum()), int((sizes == 1).sum())
    if rows >= population or not uniques:
        return float(uniques)
    if estimator == "zayatz":
        return min(_zayatz(Counter(sizes.tolist()), rows, population), float(population))
    if uniques == rows:
        return float(population)
    return min(_pitman(Counter(sizes.tolist()), rows, population), float(population))


def _zayatz(classes: Counter[int], rows: int, population: int) -> float:
    """Uniques times the chance that one is so in the population, over the sampling fraction."""
    alone, chance = 0.0, 1.0  # of a class of that size to show as one row; of one person: 1
    for size in range(1, max(classes) + 1):
        alone += classes[size] * size * chance
        chance *= max(0, population - rows - size + 1) / (population - size)
    return classes[1] * classes[1] / alone * population / rows


def _pitman(classes: Counter[int], rows: int, population: int) -> float:
    many = sum(classes.values())

    def over_classes(theta: float, alpha: float) -> float:
        """The sum of 1 / (θ + iα) for i from 1 to many − 1."""
        if alpha < 1e-10:
            return (many - 1) / theta
        return (_psi(theta / alpha + many) - _psi(theta / alpha + 1)) / alpha

    def best_theta(alpha: float) -> float:
        def rises(x: float) -> bool:
            theta = math.exp(x) - alpha
            return over_classes(theta, alpha) > _psi(theta + rows) - _psi(theta + 1)

        return math.exp(_halved(rises, -30.0, 80.0)) - alpha

    def rises(alpha: float) -> bool:
        theta = best_theta(alpha)
        if alpha < 1e-10:
            over = many * (many - 1) / 2 / theta
        else:
            over = (many - 1 - theta * over_classes(theta, alpha)) / alpha
        under = sum(c * (_psi(size - alpha) - _psi(1 - alpha)) for size, c in classes.items())
        return over > under

    alpha = _halved(rises, 1e-9, 1 - 1e-12) if rises(0.0) else 0.0
    theta = best_theta(alpha)
    if theta + alpha <= 0:
        return 0.0
    log = math.lgamma(theta + 1) - math.lgamma(theta + alpha)
    log += math.lgamma(theta + alpha + population - 1) - math.lgamma(theta + population)
    return population * math.exp(log)


def _halved(rises: Callable[[float], bool], low: float, high: float) -> float:
    """Where something stops to rise."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if rises(middle) else (low, middle)
    return (low + high) / 2


def _psi(x: float) -> float:
    """The digamma function, for x above 0."""
    found = 0.0
    while x < 12:
        found -= 1 / x
        x += 1
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return found + math.log(x) - 1 / (2 * x) - series
