"""Ungeneralize on random tiny problems: against Flash, a brute force over cells, the verifier."""

import dataclasses
import math

import numpy as np
import pyarrow as pa
import pytest
import tiny
from effort import effort

import lookalike as la
from lookalike.problem.problem import Problem
from lookalike.search.cells.ungeneralize import Ungeneralize
from lookalike.search.run import Run

PROBLEMS = effort(1_600)
CHUNKS = 4
METRICS = [name for name in tiny.METRICS if name != "height"]


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


def least_cost_over_cells(problem):
    """1 − Prec of the best cell-level recoding, by trying every partition of the rows."""
    tall = [len(next(iter(tree.values()))) - 1 for tree in problem.hierarchies]
    total = sum(problem.weights)

    def row_cost(lot):
        cost = 0
        for a, tree in enumerate(problem.hierarchies):
            level = problem.low[a]
            while len({tree[problem.rows[row][a]][level] for row in lot}) > 1:
                level += 1
            if level > problem.high[a]:
                return math.inf
            cost += problem.weights[a] * level / tall[a]
        return cost / total

    best = math.inf
    most = min(problem.allowance, len(problem.rows) - 1)
    for lots in partitions(list(range(len(problem.rows)))):
        gone = sum(len(lot) for lot in lots if len(lot) < problem.k)
        if gone <= most:
            kept = sum(len(lot) * row_cost(lot) for lot in lots if len(lot) >= problem.k)
            best = min(best, (kept + gone) / len(problem.rows))
    return best


def check_fits(prepared, solution):
    """Meets k, covers the rows, stays within the levels: counted here, by label."""
    recoding = solution.recoding
    groups = prepared.canonical
    held = np.bincount(recoding.group, recoding.rows, len(groups))
    assert (held == prepared.counts.counts[groups]).all()
    kept = ~recoding.gone
    assert (recoding.levels[kept] >= prepared.low).all()
    assert (recoding.levels[kept] <= prepared.high).all()
    assert recoding.rows[~kept].sum() == solution.suppressed <= prepared.allowance
    alike = {}
    for piece in np.flatnonzero(kept):
        leaves = prepared.counts.codes[groups[recoding.group[piece]]]
        shown = tuple(
            table.labels[level][table.codes[leaf, level]]
            for table, leaf, level in zip(
                prepared.tables, leaves, recoding.levels[piece], strict=True
            )
        )
        alike[shown] = alike.get(shown, 0) + recoding.rows[piece]
    assert min(alike.values()) >= prepared.smallest


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_it_meets_k_and_never_costs_more_than_the_best_node(chunk):
    finer = 0
    for i, problem in enumerate(tiny.tiny_problems(PROBLEMS // CHUNKS, seed=700 + chunk)):
        for metric in ("precision", METRICS[i % len(METRICS)]):
            prepared = tiny.problem(problem, tiny.METRICS[metric][0])
            node = la.solve(prepared, la.Flash())
            solution = la.solve(prepared, Ungeneralize())
            assert (solution.recoding is None) == (node.recoding is None)
            if solution.recoding is not None:
                check_fits(prepared, solution)
                assert solution.cost <= node.cost + 1e-9
                finer += solution.cost < node.cost - 1e-9
    assert finer > PROBLEMS / CHUNKS / 10


def test_it_is_never_below_the_optimum_and_often_at_it():
    tried = reached = 0
    for problem in tiny.tiny_problems(PROBLEMS, seed=31):
        if len(problem.rows) > 7:
            continue
        least = least_cost_over_cells(problem)
        solution = la.solve(tiny.problem(problem, la.Precision()), Ungeneralize())
        assert (solution.recoding is None) == math.isinf(least)
        if solution.recoding is not None:
            assert solution.cost >= least - 1e-9
            tried += 1
            reached += solution.cost <= least + 1e-9
    assert tried > PROBLEMS / 10
    assert reached > 0.8 * tried


@pytest.fixture
def offered(monkeypatch):
    """Every recoding offered to a run: the node, the node refined, and so on."""
    found = []
    offer = Run.offer
    monkeypatch.setattr(Run, "offer", lambda *asked: found.append(offer(*asked)) or found[-1])
    return found


@pytest.mark.parametrize("metric", ["precision", "loss", "loss-geometric", "entropy"])
def test_refining_itself_never_costs_more(metric, offered):
    for problem in tiny.tiny_problems(100, seed=12):
        offered.clear()
        la.solve(tiny.problem(problem, tiny.METRICS[metric][0]), Ungeneralize())
        node, refined, *_ = offered
        assert refined.meets == node.meets
        assert refined.cost <= node.cost + 1e-12


@pytest.mark.parametrize("model", [None, "CG_", "CG_CS"])
def test_its_releases_pass_the_verifier(model):
    for problem in tiny.tiny_problems(5, seed=5):
        policy = tiny.policy(problem, la.Precision())
        if model is not None:
            policy = dataclasses.replace(policy, suppress=0, model=model)
        table = tiny.table(problem)
        prepared = la.prepare(table, policy)
        solution = la.solve(prepared, Ungeneralize())
        if solution.recoding is not None:
            la.release(table, prepared, solution)


def test_no_row_comes_back_if_too_few_would_stay_starred(offered):
    """Five rows are starred; three of them could come back at level 1, and two may not stay."""
    rows = ["a1"] * 9 + ["b1", "b2", "b3", "c1", "d1"]
    tree = la.tree([[leaf, leaf[0], "*"] for leaf in sorted(set(rows))])
    policy = la.Policy(
        quasi_identifiers={"q": tree},
        require=la.KAnonymity(3),
        suppress=1.0,
        levels={"q": (0, 1)},
        conventions=la.Conventions(suppressed="star"),
    )
    solution = la.solve(la.prepare(pa.table({"q": rows}), policy), Ungeneralize())
    assert solution.suppressed == 5
    assert all(found.meets for found in offered)


def test_rows_left_out_come_back_where_k_of_them_share_labels():
    """Two lots of three that share nothing with the rest: at a node they would be left out."""
    rows = ["a1"] * 9 + ["b1", "b2", "b3"]
    tree = la.tree([[leaf, leaf[0], "*"] for leaf in ("a1", "b1", "b2", "b3")])
    policy = la.Policy(quasi_identifiers={"q": tree}, require=la.KAnonymity(3), suppress=1.0)
    prepared = la.prepare(pa.table({"q": rows}), policy)
    node = la.solve(prepared, la.Flash())
    solution = la.solve(prepared, Ungeneralize())
    assert node.suppressed == 3
    assert solution.suppressed == 0
    assert solution.recoding.levels.tolist() == [[0], [1], [1], [1]]


def test_the_order_of_the_groups_does_not_matter():
    for problem in tiny.tiny_problems(60, seed=9):
        prepared = tiny.problem(problem, la.Loss())
        again = Problem(prepared.policy, tiny.shuffled(prepared.counts), prepared.tables)
        one, other = la.solve(prepared, Ungeneralize()), la.solve(again, Ungeneralize())
        assert one.recoding == other.recoding
        assert one.cost == other.cost


def test_a_stopped_run_keeps_the_best_so_far():
    problem = tiny.problem(next(tiny.tiny_problems(1, seed=11)), la.Loss())
    for checks in range(6):
        solution = la.solve(problem, Ungeneralize(), la.Limits(checks=checks))
        if checks < 1:
            assert solution.recoding is None
            assert solution.stop is la.Stop.CHECKS
        if solution.recoding is not None:
            check_fits(problem, solution)
    assert solution.recoding is not None
