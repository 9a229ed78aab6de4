"""Star cells on random tiny problems: the model, k, tuple suppression, a brute force, releases."""

import dataclasses
import itertools
import math

import numpy as np
import pyarrow as pa
import pytest
import tiny
from effort import effort

import lookalike as la
from lookalike.problem.prepare import tabulate
from lookalike.problem.problem import Problem
from lookalike.search.cells.cell_suppression import star_cells
from lookalike.search.cells.cell_suppression.star_cells import StarCells

PROBLEMS = effort(1_600)
CHUNKS = 4
METRICS = [name for name in tiny.METRICS if name != "height"]


def asked(problem, model, metric="precision", levels=False):
    policy = tiny.policy(problem, tiny.METRICS[metric][0])
    bounds = policy.levels if levels else {}
    return dataclasses.replace(policy, suppress=0, model=model, levels=bounds)


def prepare(problem, model, metric="precision", levels=False):
    policy = asked(problem, model, metric, levels)
    counts = tiny.counts(problem)
    tables, faults = tabulate(policy, counts)
    assert not faults
    return Problem(policy, counts, tables)


def check_fits(prepared, solution):
    """Nobody left out, k rows alike by label, each column at one level besides the top."""
    recoding = solution.recoding
    groups = prepared.canonical
    held = np.bincount(recoding.group, recoding.rows, len(groups))
    assert (held == prepared.counts.counts[groups]).all()
    alike = {}
    for piece, levels in enumerate(recoding.levels):
        leaves = prepared.counts.codes[groups[recoding.group[piece]]]
        shown = tuple(
            table.labels[level][table.codes[leaf, level]]
            for table, leaf, level in zip(prepared.tables, leaves, levels, strict=True)
        )
        alike[shown] = alike.get(shown, 0) + recoding.rows[piece]
    assert min(alike.values()) >= prepared.smallest
    for a, table in enumerate(prepared.tables):
        used = set(recoding.levels[:, a].tolist()) - {table.height}
        assert len(used) <= 1
        assert all(prepared.low[a] <= level <= prepared.high[a] for level in used)


def partitions(rows):
    """Every way to put rows into lots."""
    if not rows:
        yield []
        return
    first, *rest = rows
    for lots in partitions(rest):
        yield [[first], *lots]
        for i, lot in enumerate(lots):
            yield [*lots[:i], [first, *lot], *lots[i + 1 :]]


def least_cost(problem, model):
    """1 − Prec of the best recoding of the model, by trying every node and every partition."""
    trees = problem.hierarchies
    tall = [len(next(iter(tree.values()))) - 1 for tree in trees]
    if model == "CS":
        trees = [{leaf: (leaf, "*") for leaf in tree} for tree in trees]
        tall = [1] * len(trees)
    total = sum(problem.weights)
    rows = range(len(problem.rows))
    lots_of_k = [
        lots for lots in partitions(list(rows)) if all(len(lot) >= problem.k for lot in lots)
    ]
    best = math.inf
    for node in itertools.product(*(range(height if model == "AG_CS" else 1) for height in tall)):
        shown = [
            [tree[problem.rows[row][a]][node[a]] for a, tree in enumerate(trees)] for row in rows
        ]

        def cost(lot, node=node, shown=shown):
            paid = [
                node[a] / tall[a] if len({shown[row][a] for row in lot}) == 1 else 1
                for a in range(len(tall))
            ]
            weighted = zip(problem.weights, paid, strict=True)
            return len(lot) * sum(w * p for w, p in weighted) / total

        best = min([best, *(sum(map(cost, lots)) / len(problem.rows) for lots in lots_of_k)])
    return best


@pytest.mark.parametrize("model", ["AG_CS", "CS"])
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_it_meets_k_within_the_model_and_leaves_nobody_out(model, chunk):
    for i, problem in enumerate(tiny.tiny_problems(PROBLEMS // CHUNKS, seed=800 + chunk)):
        for metric in ("precision", METRICS[i % len(METRICS)]):
            prepared = prepare(problem, model, metric)
            solution = la.solve(prepared, StarCells())
            assert solution.suppressed == 0
            check_fits(prepared, solution)


@pytest.mark.parametrize("model", ["AG_CS", "CS"])
def test_it_never_costs_more_than_leaving_the_same_rows_out(model):
    compared = 0
    for problem in tiny.tiny_problems(PROBLEMS, seed=41):
        prepared = prepare(problem, model)
        free = dataclasses.replace(
            prepared.policy, suppress=1.0, model="TS" if model == "CS" else None
        )
        best = la.solve(Problem(free, prepared.counts, prepared.tables), la.Flash())
        if best.recoding is not None and (not best.suppressed or best.suppressed >= problem.k):
            compared += 1
            assert la.solve(prepared, StarCells()).cost <= best.cost + 1e-9
    assert compared > PROBLEMS / 10


def test_giving_a_node_up_early_never_changes_the_outcome(monkeypatch):
    problems = [prepare(problem, "AG_CS") for problem in tiny.tiny_problems(100, seed=44)]
    early = [la.solve(problem, StarCells()) for problem in problems]
    monkeypatch.setattr(star_cells, "_adds_up", lambda problem: False)
    late = [la.solve(problem, StarCells()) for problem in problems]
    assert [one.recoding for one in early] == [one.recoding for one in late]
    assert sum(one.checks for one in early) < sum(one.checks for one in late)


@pytest.mark.parametrize("model", ["AG_CS", "CS"])
def test_it_is_never_below_the_optimum_and_often_at_it(model):
    tried = reached = 0
    for problem in tiny.tiny_problems(PROBLEMS, seed=32):
        if len(problem.rows) > 7:
            continue
        least = least_cost(problem, model)
        found = la.solve(prepare(problem, model), StarCells()).cost
        assert found >= least - 1e-9
        tried += 1
        reached += found <= least + 1e-9
    assert tried > PROBLEMS / 10
    assert reached > 0.8 * tried


@pytest.mark.parametrize("model", ["AG_CS", "CS"])
def test_its_releases_pass_the_verifier(model):
    for problem in tiny.tiny_problems(5, seed=6):
        table = tiny.table(problem)
        prepared = la.prepare(table, asked(problem, model))
        la.release(table, prepared, la.solve(prepared, StarCells()))


def test_levels_bound_the_columns_and_not_the_stars():
    for problem in tiny.tiny_problems(150, seed=43):
        prepared = prepare(problem, "AG_CS", levels=True)
        check_fits(prepared, la.solve(prepared, StarCells()))


def test_few_rows_that_stand_out_borrow_company_and_spoil_no_large_class():
    """One row among 100 equal ones: only k − 1 of those are starred with it."""
    policy = la.Policy(
        quasi_identifiers={"q": la.flat(), "r": la.flat()}, require=la.KAnonymity(4), model="CS"
    )
    table = pa.table({"q": ["a"] * 100 + ["b"], "r": ["c"] * 101})
    prepared = la.prepare(table, policy)
    solution = la.solve(prepared, StarCells())
    assert solution.recoding.group.tolist() == [0, 0, 1]
    assert solution.recoding.rows.tolist() == [97, 3, 1]
    assert solution.recoding.levels.tolist() == [[0, 0], [1, 0], [1, 0]]
    la.release(table, prepared, solution)


def test_the_order_of_the_groups_does_not_matter():
    for problem in tiny.tiny_problems(60, seed=9):
        prepared = prepare(problem, "AG_CS", "loss")
        again = Problem(prepared.policy, tiny.shuffled(prepared.counts), prepared.tables)
        one, other = la.solve(prepared, StarCells()), la.solve(again, StarCells())
        assert one.recoding == other.recoding
        assert one.cost == other.cost


def test_it_refuses_too_many_columns_and_columns_that_may_not_be_starred():
    names = [f"q{a}" for a in range(17)]
    table = pa.table({name: ["x"] * 5 for name in names})
    policy = la.Policy(quasi_identifiers=dict.fromkeys(names, la.flat()), require=la.KAnonymity(2))
    with pytest.raises(la.NotSuited, match="17 columns"):
        la.solve(la.prepare(table, policy), StarCells())
    bounded = la.Policy(
        quasi_identifiers={"q": la.flat()}, require=la.KAnonymity(2), levels={"q": (0, 0)}
    )
    with pytest.raises(la.NotSuited, match="forbid"):
        la.solve(la.prepare(pa.table({"q": ["x"] * 5}), bounded), StarCells())


def test_a_stopped_run_keeps_the_best_so_far():
    problem = prepare(next(tiny.tiny_problems(1, seed=11)), "AG_CS")
    for checks in range(4):
        solution = la.solve(problem, StarCells(), la.Limits(checks=checks))
        assert (solution.recoding is None) == (checks == 0)
        if checks:
            check_fits(problem, solution)
    assert solution.stop is la.Stop.CHECKS
