"""K-Optimize as we run it: equal to brute force, whatever the threads, stops and starts."""

import math
import random

import numpy as np
import pandas as pd
import pytest
from cut_oracle import METRICS, many, problem
from effort import effort, thorough

import lookalike as la
from lookalike.errors import NotSuited, PolicyError
from lookalike.problem.recodings.cut_space import cut_space
from lookalike.search.cuts.greedy_descent import descend
from lookalike.search.cuts.k_optimize import KOptimize
from lookalike.search.cuts.k_optimize_layout import class_costs, lay_out
from lookalike.search.cuts.k_optimize_tree import SearchTree, explore_below
from lookalike.search.limits import Limits
from lookalike.search.solve import solve
from lookalike.solution.recoding import Cuts
from lookalike.solution.solution import Status, Stop
from lookalike.solution.solution_file import dumps
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal

TINY = many(effort(2_000), seed=4, least_k=2)


@pytest.mark.parametrize("part", range(10))
def test_k_optimize_equals_brute_force(part):
    """2,000 tables if thorough, both metrics, each with its own limit, many with none and all."""
    for number, tiny in enumerate(TINY[part::10]):
        for metric in METRICS:
            for limit in {0, tiny.limit, len(tiny.rows)} if number % 3 == 0 else {tiny.limit}:
                found = solve(problem(tiny, metric, limit), KOptimize(threads=1))
                least, _ = tiny.best(metric, limit)
                if least is None:
                    assert found.status is Status.INFEASIBLE
                else:
                    assert found.status is Status.OPTIMAL
                    assert found.cost == found.bound == least


def mid_size(seed, rows=400, k=5, metric="discernibility", suppress=20):
    """Too many cuts for brute force, few enough for a second."""
    rng = np.random.default_rng(seed)
    widths = (12, 5, 4, 6)
    columns = {
        f"q{a}": np.minimum(rng.geometric(0.25, rows) - 1, width - 1).astype(str)
        for a, width in enumerate(widths)
    }
    label = np.where(rng.random(rows) < 0.7, columns["q0"] > "3", rng.random(rows) < 0.3)
    data = pd.DataFrame({**columns, "label": label.astype(str)})
    metrics = {"discernibility": la.Discernibility(), "classification": la.Classification("label")}
    orders = {f"q{a}": la.ordered(map(str, range(w)), [2]) for a, w in enumerate(widths)}
    return la.prepare(
        data,
        la.Policy(
            quasi_identifiers=orders,
            sensitive=["label"],
            require=la.KAnonymity(k),
            suppress=suppress,
            metric=metrics[metric],
        ),
    )


@pytest.mark.parametrize("metric", METRICS)
def test_every_column_may_be_the_long_one(metric):
    posed = mid_size(1, metric=metric)
    found = {solve(posed, KOptimize(long=name)).cost for name in posed.names}
    assert len(found) == 1


@pytest.mark.parametrize("metric", METRICS)
def test_the_outcome_does_not_depend_on_the_threads(metric):
    posed = mid_size(2, metric=metric)
    one, two = (solve(posed, KOptimize(threads=threads)) for threads in (1, 2))
    assert one.recoding == two.recoding
    assert np.array_equal(one.proof.tree.marks, two.proof.tree.marks)


@thorough
def test_wide_numbers_find_the_same():
    """Large tables are counted in 64 bits: the same code, compiled once more."""
    for tiny in TINY[:40]:
        for metric in METRICS:
            narrow = lay_out(problem(tiny, metric))
            wide = narrow.with_costs_as(np.int64)
            assert narrow.table.class_cost.dtype == np.int32
            for instance in (narrow, wide):
                (node,) = SearchTree(instance).next_batch(1 << 40)
                below = explore_below(instance, node, 1 << 30, np.zeros(1, dtype=np.int64))
                found = below.cost, below.flags.tolist(), below.marks.tolist()
                if instance is narrow:
                    first = found
            assert found == first


def test_the_least_price_is_that_of_the_best_parts():
    """G of the proof, against trying every way to part and suppress so few rows."""
    for k in (2, 3, 5):
        for total in (7, 12, 40):
            cost, least = class_costs(total, k)
            best = [0]
            for n in range(1, total + 1):
                ways = [size * size + best[n - size] for size in range(k, n + 1)]
                best.append(min([total + best[n - 1], *ways]))
            assert least[1:].tolist() == best[1:]
            assert (cost[1:] >= least[1:]).all()


@pytest.mark.parametrize("metric", METRICS)
def test_a_stopped_search_has_a_bound_and_goes_on_from_there(metric, monkeypatch):
    monkeypatch.setattr("lookalike.search.cuts.k_optimize_tree.MAX_STEPS", 2_000)
    posed = mid_size(3, metric=metric, k=4)
    whole = solve(posed, KOptimize())
    assert whole.status is Status.OPTIMAL
    stopped = solve(posed, KOptimize(), Limits(checks=25))
    assert stopped.status is Status.FEASIBLE
    assert stopped.bound <= whole.cost <= stopped.cost
    assert (stopped.proof.tree.marks == -3).any()
    resumed = solve(posed, KOptimize(resume=stopped))
    assert resumed.status is Status.OPTIMAL
    assert resumed.cost == whole.cost
    assert resumed.checks < whole.checks
    again = solve(posed, KOptimize(resume=whole))  # all of it closed, below its cost
    assert (again.status, again.cost, again.bound) == (Status.OPTIMAL, whole.cost, whole.cost)
    short = solve(posed, KOptimize(resume=stopped), Limits(checks=3))
    assert short.cost <= stopped.cost
    assert short.bound >= stopped.bound
    found = check_claim(CountedOriginal(posed.counts, posed.tables, posed.policy), short)
    assert all(finding.holds for finding in found)


def test_too_little_memory_stops_it_with_what_it_has():
    posed = mid_size(3, k=4)
    stopped = solve(posed, KOptimize(start=posed.cut_space.recoding([])), Limits(gigabytes=0.001))
    assert stopped.stop is Stop.MEMORY
    assert stopped.bound <= solve(posed, KOptimize(), Limits(gigabytes=1000)).cost
    with pytest.raises(PolicyError, match="gigabytes"):
        Limits(gigabytes=-1)


@pytest.mark.parametrize("given", [{"threads": 0}, {"threads": "x"}, {"below": "x"}, {"below": -1},
                                   {"below": math.nan}, {"resume": "x"}])  # fmt: skip
def test_what_it_is_given_is_looked_at(given):
    with pytest.raises(PolicyError, match="KOptimize"):
        KOptimize(**given)


def test_bounds_never_fall_and_costs_never_rise():
    found = solve(mid_size(5, k=3), KOptimize())
    costs = [step.cost for step in found.trace if step.cost is not None]
    bounds = [step.bound for step in found.trace]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert bounds[-1] == costs[-1] == found.cost


def test_seeds():
    """A recoding or a cost to begin with; nothing below the optimum is found."""
    posed = mid_size(6)
    best = solve(posed, KOptimize())
    again = solve(posed, KOptimize(start=best.recoding))
    assert again.cost == best.cost
    assert again.recoding == best.recoding
    below = solve(posed, KOptimize(below=best.cost))
    assert below.bound == best.cost
    assert solve(posed, KOptimize(below=best.cost + 1)).cost == best.cost


def test_a_larger_k_is_never_cheaper():
    costs = [solve(mid_size(7, k=k, suppress=0), KOptimize()).cost for k in (3, 5, 8, 13)]
    assert costs == sorted(costs)


def test_descending_offers_what_it_says():
    for tiny in TINY[:60]:
        for metric in METRICS:
            asked = problem(tiny, metric)
            instance = lay_out(asked)
            last = math.inf
            for cost, flags in descend(instance):
                counted = asked.evaluate(instance.recoding(flags))
                assert counted.meets
                assert counted.cost == cost < last
                last = cost


@pytest.mark.parametrize("seed", range(12))
def test_siblings(seed):
    """Only recodings whose intervals are unions of siblings are searched, and the best is found."""
    rng = random.Random(seed)
    names = {a: [f"{a}{v}" for v in range(rng.randint(4, 6))] for a in "pq"}
    cut = {a: rng.randint(1, len(own) - 1) for a, own in names.items()}
    data = pd.DataFrame({a: [rng.choice(own) for _ in range(30)] for a, own in names.items()})
    policy = la.Policy(
        quasi_identifiers={
            a: la.tree([(v, f"{a} low" if i < cut[a] else f"{a} high") for i, v in enumerate(own)])
            for a, own in names.items()
        },
        require=la.KAnonymity(rng.randint(2, 4)),
        suppress=rng.choice([0, 3, 30]),
        metric="discernibility",
        conventions=la.Conventions(cuts="siblings"),
    )
    posed = la.prepare(data, policy)
    space = cut_space(posed)
    every = [
        posed.evaluate(space.recoding([c for c in range(len(space.column)) if bits >> c & 1]))
        for bits in range(1 << len(space.column))
    ]
    best = min(one.cost for one in every if one.meets)
    free = la.prepare(
        data,
        la.Policy(
            quasi_identifiers=policy.quasi_identifiers,
            require=policy.require,
            suppress=policy.suppress,
            metric="discernibility",
        ),
    )
    for name in posed.names:
        assert solve(posed, KOptimize(long=name)).cost == best
    assert solve(free, KOptimize()).cost <= best


BASE = pd.DataFrame({"a": list("xyzxyz"), "b": [1, 2, 1, 2, 1, 2], "y": list("nnmmnn")})


def request(**changes):
    return {
        "quasi_identifiers": {"a": la.ordered(["x", "y", "z"]), "b": la.bands(2)},
        "sensitive": ["y"],
        "require": la.KAnonymity(2),
        "metric": "discernibility",
    } | changes


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"quasi_identifiers": {"a": la.flat(), "b": la.bands(2)}}, "a have no order"),
        ({"metric": "precision"}, "no bound for precision"),
        ({"suppress": 1, "conventions": la.Conventions(suppressed="star")}, "none or at least k"),
    ],
)
def test_what_it_cannot_work_with(changes, said):
    posed = la.prepare(BASE, la.Policy(**request(**changes)))
    with pytest.raises(NotSuited, match=said):
        la.solve(posed, "k-optimize")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"metric": la.Classification("z")}, "class column z is not kept unchanged"),
        (
            {"metric": la.Classification("b")},
            "class column b is a quasi-identifier",
        ),
        (
            {"metric": la.Classification("y"), "quasi_identifiers": dict.fromkeys("ya", la.flat())},
            "in quasi_identifiers and sensitive",
        ),
        ({"suppress": -1}, "-1 rows"),
        ({"suppress": 7}, "7 rows may be suppressed, but the table has 6"),
        ({"quasi_identifiers": {"a": la.ordered(["x", "y"]), "b": la.flat()}}, "1 distinct value"),
    ],
)  # fmt: skip
def test_bad_input_is_a_fault_before_any_search(changes, said):
    with pytest.raises(PolicyError, match=said):
        la.prepare(BASE, la.Policy(**request(**changes)))


def test_too_many_places_are_refused_before_memory_runs_out():
    rows = 13_000
    data = pd.DataFrame({"id": range(rows), "sex": ["f", "m"] * (rows // 2)})
    columns = {"id": la.bands(10), "sex": la.flat()}
    posed = la.prepare(
        data,
        la.Policy(
            quasi_identifiers=columns, require=la.KAnonymity(5), metric="discernibility", suppress=9
        ),
    )
    with pytest.raises(NotSuited, match="raise the lowest level of columns with many"):
        la.solve(posed, "k-optimize")


@pytest.mark.parametrize("metric", [la.Discernibility(), la.Classification("y")])
def test_nothing_to_cut(metric):
    """Columns of one value each, and a column of one value beside others."""
    one = pd.DataFrame({"a": ["x"] * 4, "b": [1] * 4, "y": list("nnmm")})
    found = la.solve(la.prepare(one, la.Policy(**request(metric=metric))), "k-optimize")
    assert found.status is Status.OPTIMAL
    assert found.recoding.cuts == ((), ())
    two = pd.DataFrame({"a": ["x"] * 6, "b": [1, 1, 2, 2, 3, 3], "y": list("nnmmnn")})
    best = la.solve(la.prepare(two, la.Policy(**request(metric=metric))), "k-optimize")
    assert best.status is Status.OPTIMAL
    assert best.recoding.cuts[1] in ((1, 2), (1,), (2,))


def test_bad_options():
    posed = la.prepare(BASE, la.Policy(**request()))
    with pytest.raises(NotSuited, match="no column nobody"):
        la.solve(posed, "k-optimize:long=nobody")
    with pytest.raises(NotSuited, match="does not take"):
        la.solve(posed, "k-optimize:threads=many")
    wrong = Cuts(("a",), ((1,),))
    with pytest.raises(NotSuited, match="start"):
        la.solve(posed, KOptimize(start=wrong))


def test_resumed_from_a_file(tmp_path, monkeypatch):
    """A stopped search is its own saved state, and knows the problem it was made for."""
    monkeypatch.setattr("lookalike.search.cuts.k_optimize_tree.MAX_STEPS", 2_000)
    posed = mid_size(3, k=4)
    stopped = solve(posed, KOptimize(), Limits(checks=25))
    path = tmp_path / "stopped.json"
    path.write_text(dumps(stopped), encoding="utf-8")
    resumed = la.solve(posed, f"k-optimize:resume={path}")
    whole = la.solve(posed, f"k-optimize:start={path}")
    assert resumed.cost == whole.cost == solve(posed, KOptimize()).cost
    with pytest.raises(NotSuited, match="another table or policy"):
        la.solve(mid_size(3, k=5), f"k-optimize:resume={path}")
    with pytest.raises(NotSuited, match="not one by cuts"):
        la.solve(la.prepare(BASE, la.Policy(**request())), f"k-optimize:start={path}")
