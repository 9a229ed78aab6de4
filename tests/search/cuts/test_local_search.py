"""The rivals of K-Optimize: what they count is true, what they offer is safe, seeds repeat."""

import numpy as np
import pytest
from cut_oracle import METRICS, many, outcome, problem

import lookalike as la
from lookalike.search.cuts.local_search import Steps
from lookalike.search.limits import Limits
from lookalike.search.solve import solve
from lookalike.solution.solution import Status

TINY = many(120, seed=9, least_k=2)
RIVALS = {
    "hill-climbing": la.HillClimbing(starts=4),
    "genetic": la.Genetic(population=12, children=150),
    "annealing": la.Annealing(steps=200),
    "greedy": la.Greedy(),
}


def test_every_step_is_worth_what_the_look_says():
    """The value of a set, and of every neighbour, against counting row by row."""
    rng = np.random.default_rng(3)
    for tiny in TINY:
        for metric in METRICS:
            steps = Steps.of(problem(tiny, metric))
            flags = steps.at_random(rng, rng.random())

            def valued(flags, tiny=tiny, metric=metric, steps=steps):
                cuts = {tiny.cuts[cut] for cut in np.flatnonzero(flags)}
                suppressed, costs = outcome(tiny, cuts)
                over = max(0, suppressed - min(tiny.limit, len(tiny.rows) - 1))
                return costs[metric] + over * steps._fine

            value, changed = steps.around(flags)
            assert value == steps.value(flags) == valued(flags)
            for cut in steps.free:
                other = flags.copy()
                other[cut] = not other[cut]
                assert changed[cut] == valued(other)


@pytest.mark.parametrize("name", RIVALS)
def test_rivals_are_safe_and_never_below_the_optimum(name):
    reached = 0
    for tiny in TINY[:60]:
        for metric in METRICS:
            found = solve(problem(tiny, metric), RIVALS[name])
            least, _ = tiny.best(metric)
            if least is None:
                assert found.status is Status.UNKNOWN
                continue
            if found.cost is not None:
                assert found.cost >= least >= found.bound
                reached += found.cost == least
    assert reached > 40


@pytest.mark.parametrize("name", RIVALS)
def test_seeds_repeat(name):
    posed = problem(TINY[0], "discernibility")
    one, two = (solve(posed, RIVALS[name], seed=5) for _ in range(2))
    assert one.recoding == two.recoding
    assert one.checks == two.checks


@pytest.mark.parametrize("name", RIVALS)
def test_limits_end_them(name):
    found = solve(problem(TINY[1], "classification"), RIVALS[name], Limits(checks=1))
    assert found.checks <= 4
    assert found.status in (Status.FEASIBLE, Status.UNKNOWN, Status.OPTIMAL)


def test_siblings_are_kept():
    """No rival offers cuts that lack those around their group."""
    tree = la.tree([(v, "low" if v < "c" else "high") for v in "abcdef"])
    rng = np.random.default_rng(1)
    import pandas as pd

    data = pd.DataFrame({"p": rng.choice(list("abcdef"), 60), "q": rng.choice(list("abcdef"), 60)})
    policy = la.Policy(
        quasi_identifiers={"p": tree, "q": tree},
        require=la.KAnonymity(3),
        suppress=10,
        metric="discernibility",
        conventions=la.Conventions(cuts="siblings"),
    )
    posed = la.prepare(data, policy)
    best = solve(posed, la.KOptimize())
    for rival in RIVALS.values():
        found = solve(posed, rival)
        assert posed.evaluate(found.recoding).meets
        assert found.cost >= best.cost
