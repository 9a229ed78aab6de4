"""K-Optimize by loss and entropy: equal to brute force, stopped and resumed, refused with a reason.

The oracle counts row by row; it shares no code with the package.
"""

import itertools
import math
import random
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from cut_oracle import column_names, many, problem
from effort import effort

import lookalike as la
from lookalike.errors import NotSuited
from lookalike.search.cuts.k_optimize import KOptimize
from lookalike.search.limits import Limits
from lookalike.search.solve import solve
from lookalike.solution.proof import LEFT
from lookalike.solution.solution import Status

LOSSES = ("loss", "entropy")
TINY = many(effort(400), seed=41, least_k=2, most_cuts=8)


def outcomes(tiny, weights):
    """Of every set of cuts that is allowed: the suppressed rows, and both costs."""
    widths = [len(names) for names in tiny.names]
    held = [Counter(row[a] for row in tiny.rows) for a in range(len(widths))]
    share = [weights.get(name, 1.0) for name in column_names(tiny)]
    share = [one / sum(share) for one in share]
    size = len(tiny.rows)
    free = sorted(tiny.allowed - tiny.forced)
    for made in itertools.product([False, True], repeat=len(free)):
        cuts = tiny.forced | {cut for cut, is_made in zip(free, made, strict=True) if is_made}
        places = [[0, *sorted(p for a, p in cuts if a == b), w] for b, w in enumerate(widths)]
        lost = []  # per column and value, by loss and by entropy
        for a, own in enumerate(places):
            each = {}
            for i, j in itertools.pairwise(own):
                rows = sum(held[a][v] for v in range(i, j))
                leaves = (j - i - 1) / max(1, widths[a] - 1)
                each |= {v: (i, leaves, math.log2(rows / held[a][v])) for v in range(i, j)}
            lost.append(each)
        shown = [tuple(lost[a][v][0] for a, v in enumerate(row)) for row in tiny.rows]
        sizes = Counter(shown)
        suppressed, loss, entropy = 0, 0.0, 0.0
        for row, seen in zip(tiny.rows, shown, strict=True):
            gone = sizes[seen] < tiny.k
            suppressed += gone
            for a, v in enumerate(row):
                _, leaves, bits = lost[a][v]
                loss += share[a] * (1.0 if gone else leaves)
                entropy += share[a] * (math.log2(size / held[a][v]) if gone else bits)
        yield suppressed, {"loss": loss / size, "entropy": entropy / size}


def close(one, other):
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize(("part", "work"), [(0, 1 << 24), (1, 1 << 24), (2, 0), (3, 3_000)])
def test_it_equals_brute_force(part, work, monkeypatch):
    """With all columns nested, none, or some; with any limit, weights and levels."""
    monkeypatch.setattr("lookalike.search.cuts.loss.nested_recodings.MAX_BOXES", work)
    for number, tiny in enumerate(TINY[part::4]):
        weights = {"q0": 3.0, "q1": 0.5} if number % 2 else {}
        every = list(outcomes(tiny, weights))
        for limit in {0, tiny.limit, len(tiny.rows)} if number % 3 == 0 else {tiny.limit}:
            most = min(limit, len(tiny.rows) - 1)
            for metric in LOSSES:
                found = solve(problem(tiny, metric, limit, weights), KOptimize())
                within = [costs[metric] for suppressed, costs in every if suppressed <= most]
                if not within:
                    assert found.status is Status.INFEASIBLE
                else:
                    assert found.status is Status.OPTIMAL
                    assert close(found.cost, min(within))


def mid_size(seed, metric, k=5, suppress=20, weights=None):
    """Too many cuts for brute force, few enough for a moment."""
    rng = np.random.default_rng(seed)
    widths = (12, 6, 4, 3)
    columns = {
        f"q{a}": np.minimum(rng.geometric(0.25, 400) - 1, width - 1).astype(str)
        for a, width in enumerate(widths)
    }
    policy = la.Policy(
        quasi_identifiers={f"q{a}": la.ordered(map(str, range(w))) for a, w in enumerate(widths)},
        require=la.KAnonymity(k),
        suppress=suppress,
        metric=metric,
        weights=weights,
    )
    return la.prepare(pd.DataFrame(columns), policy)


@pytest.mark.parametrize("metric", LOSSES)
def test_every_column_may_be_the_long_one(metric):
    posed = mid_size(1, metric)
    costs = [solve(posed, KOptimize(long=name)).cost for name in posed.names]
    assert max(costs) - min(costs) < 1e-9


@pytest.mark.parametrize("metric", LOSSES)
def test_a_stopped_search_has_a_bound_and_goes_on_from_there(metric):
    posed = mid_size(2, metric, k=4)
    whole = solve(posed, KOptimize())
    assert whole.status is Status.OPTIMAL
    unfinished = 0
    for checks in (1, 4, 8, 16, 32):
        stopped = solve(posed, KOptimize(), Limits(checks=checks))
        assert stopped.bound <= whole.cost + 1e-9
        assert stopped.cost is None or whole.cost <= stopped.cost + 1e-9
        tree = stopped.proof.tree
        if tree is None or LEFT not in tree.marks:
            continue
        unfinished += 1
        resumed = solve(posed, KOptimize(resume=stopped))
        assert resumed.status is Status.OPTIMAL
        assert close(resumed.cost, whole.cost)
    assert unfinished >= 2
    again = solve(posed, KOptimize(resume=whole))  # all closed, below its cost
    assert again.status is Status.OPTIMAL
    assert close(again.cost, whole.cost)


def test_bounds_never_fall_and_costs_never_rise():
    found = solve(mid_size(3, "loss"), KOptimize())
    steps = found.trace[:-1]  # the last is rounded
    costs = [step.cost for step in steps if step.cost is not None]
    bounds = [step.bound for step in steps]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)


@pytest.mark.parametrize("metric", LOSSES)
def test_seeds(metric):
    posed = mid_size(4, metric)
    best = solve(posed, KOptimize())
    again = solve(posed, KOptimize(start=best.recoding))
    assert again.recoding == best.recoding
    assert solve(posed, KOptimize(below=best.cost)).bound == best.cost
    assert close(solve(posed, KOptimize(below=best.cost * 1.01)).cost, best.cost)


def test_another_weight_is_another_search():
    stopped = solve(mid_size(2, "loss", weights={"q0": 2.0}), KOptimize(), Limits(checks=8))
    with pytest.raises(NotSuited, match="another table or policy"):
        solve(mid_size(2, "loss"), KOptimize(resume=stopped))


@pytest.mark.parametrize("seed", range(8))
def test_siblings_levels_and_leaves_that_do_not_occur(seed):
    """Against every set of cuts, as the problem itself counts it."""
    rng = random.Random(seed)
    names = {a: [f"{a}{v}" for v in range(rng.randint(4, 6))] for a in "pqr"}
    ends = {a: rng.randint(1, len(own) - 1) for a, own in names.items()}
    occur = {a: rng.sample(own, min(len(own), 4 if a != "r" else 2)) for a, own in names.items()}
    data = pd.DataFrame({a: [rng.choice(own) for _ in range(30)] for a, own in occur.items()})
    policy = {
        "quasi_identifiers": {
            a: la.tree([(v, f"{a} low" if i < ends[a] else f"{a} high") for i, v in enumerate(own)])
            for a, own in names.items()
        },
        "require": la.KAnonymity(rng.randint(2, 4)),
        "suppress": rng.choice([0, 3, 30]),
        "weights": {"p": rng.choice([1.0, 4.0])},
        "levels": {"q": rng.choice([(0, 2), (0, 1), (1, 2)])},
        "conventions": la.Conventions(cuts=rng.choice(["siblings", "siblings", "free"])),
    }
    for metric in LOSSES:
        posed = la.prepare(data, la.Policy(**policy, metric=metric))
        space = posed.cut_space
        every = (
            posed.evaluate(space.recoding(itertools.compress(range(len(made)), made)))
            for made in itertools.product([0, 1], repeat=len(space.column))
        )
        best = min((one.cost for one in every if one.meets), default=None)
        for name in posed.names:
            found = solve(posed, KOptimize(long=name))
            assert found.cost is None if best is None else close(found.cost, best)


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        (la.Loss(aggregate="geometric"), "logarithms does not add up row by row"),
        (la.Precision(), "does not have a level; use discernibility, .* loss or entropy"),
        (la.Height(), "no bound for height over cuts: an interval does not have a level"),
        (la.ClassSize(), "no bound for class-size"),
    ],
)
def test_other_metrics_are_refused_with_a_reason(metric, said):
    with pytest.raises(NotSuited, match=said):
        solve(mid_size(1, metric), KOptimize())


def test_rivals_and_the_printed_algorithm_refuse_loss():
    posed = mid_size(1, "loss")
    for name in ("hill-climbing", "genetic", "annealing", "greedy"):
        with pytest.raises(NotSuited, match="depends only on classes, and loss does not"):
            solve(posed, name)
    with pytest.raises(NotSuited, match="only the metrics discernibility and classification"):
        solve(posed, "k-optimize-printed")


def test_a_column_with_too_many_values_is_refused():
    data = pd.DataFrame({"id": range(5_000), "sex": ["f", "m"] * 2_500})
    policy = la.Policy(
        quasi_identifiers={"id": la.bands(10), "sex": la.flat()},
        require=la.KAnonymity(5),
        metric="loss",
    )
    with pytest.raises(NotSuited, match="id has 5,000 values"):
        la.solve(la.prepare(data, policy), "k-optimize")


@pytest.mark.parametrize("metric", LOSSES)
def test_nothing_to_cut(metric):
    one = pd.DataFrame({"a": ["x"] * 4, "b": [1] * 4})
    policy = la.Policy(
        quasi_identifiers={"a": la.ordered(["x", "y", "z"]), "b": la.bands(2)},
        require=la.KAnonymity(2),
        metric=metric,
    )
    found = la.solve(la.prepare(one, policy), "k-optimize")
    assert found.status is Status.OPTIMAL
    assert found.recoding.cuts == ((), ())
    alone = la.Policy(
        quasi_identifiers={"a": la.ordered(["x", "y", "z"])},
        require=la.KAnonymity(2),
        metric=metric,
    )
    three = pd.DataFrame({"a": list("xxyyzz")})
    found = la.solve(la.prepare(three, alone), "k-optimize")
    assert found.recoding.cuts == ((1, 2),)
    assert found.cost == found.bound == 0
