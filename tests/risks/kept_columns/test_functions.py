"""Functional dependencies: the fit is the best function, and chance is not evidence."""

import math
import random
from collections import Counter

import numpy as np
import pytest
from effort import effort

from lookalike.risks.kept_columns.functions import fit_function


def fitted(source, target, counts=None):
    counts = [1] * len(source) if counts is None else counts
    return fit_function(
        np.array(source), np.array(target), max(target) + 1, np.array(counts, dtype=np.int64)
    )


def test_the_fit_is_the_most_frequent_target_of_each_source():
    rng = random.Random(0)
    for _ in range(effort(400)):
        n = rng.randint(1, 30)
        source = [rng.randrange(6) for _ in range(n)]
        target = [rng.randrange(4) for _ in range(n)]
        counts = [rng.randint(1, 4) for _ in range(n)]
        fit = fitted(source, target, counts)
        rows = Counter()
        for x, t, count in zip(source, target, counts, strict=True):
            rows[x, t] += count
        best = {x: max(c for (y, _), c in rows.items() if y == x) for x in set(source)}
        assert fit.errors == sum(counts) - sum(best.values())
        assert fit.sources == len(best)
        for x, predicted in zip(source, fit.predicted.tolist(), strict=True):
            assert rows[x, predicted] == best[x]


def test_a_column_of_different_values_says_nothing():
    rng = random.Random(1)
    fit = fitted(list(range(200)), [rng.randrange(9) for _ in range(200)])
    assert fit.errors == 0
    assert fit.above_chance == 0
    assert fit.evidence < 1


def test_without_repeated_sources_exactly_the_cost_of_stating_the_exceptions_is_lost():
    fit = fitted([0, 1, 2, 3], [0, 0, 1, 1])
    assert fit.evidence == pytest.approx(-math.log(2))


def test_a_renamed_column_has_evidence_even_if_most_rows_agree():
    target = [0] * 197 + [1, 2, 3]
    fit = fitted(target, target)
    assert fit.above_chance == 1
    assert fit.evidence > 12


def test_shuffled_targets_have_little_evidence():
    rng = random.Random(2)
    worst = -math.inf
    for _ in range(effort(4000)):
        n = rng.randint(4, 40)
        source = [rng.randrange(rng.randint(1, n)) for _ in range(n)]
        target = [rng.randrange(rng.randint(1, 8)) for _ in range(n)]
        worst = max(worst, fitted(source, target).evidence)
    assert worst < math.log(4000) + math.log(100)  # Kraft: e^-b of all tables save b nats


@pytest.mark.parametrize(("errors", "sure"), [(0, True), (1, True), (2, False)])
def test_a_correlation_that_is_right_by_luck_is_not_sure(errors, sure):
    source = [i // 2 for i in range(20)]
    target = list(source)
    for i in range(errors):
        target[2 * i] = 11 + i
    assert fitted(source, target).is_sure == sure
