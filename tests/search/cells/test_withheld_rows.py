"""Rows held back until secret nodes: the release keeps k, and proves nothing beyond its labels."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import tiny
from effort import effort

import lookalike as la
from lookalike.errors import NotSuited, PolicyError
from lookalike.events import silent
from lookalike.search.bounds.cell_layout import lay_out
from lookalike.search.cells import lattice_greedy
from lookalike.search.cells.withheld_rows import WithheldRows, withhold_rows
from lookalike.search.limits import Limits
from lookalike.search.run import Run
from lookalike.solution.recoding import Space
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal


@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("metric", [la.Precision(), la.Loss(), la.Loss(aggregate="geometric")])
def test_releases_what_can_be_released_and_the_verifier_accepts_it(metric, share):
    for one in itertools.islice(tiny.tiny_problems(2_000, 611), effort(160)):
        problem = tiny.problem(one, metric)
        plain = la.solve(problem, "lattice-greedy")
        solution = la.solve(problem, la.LatticeGreedy(withhold=share))
        assert (solution.cost is None) == (plain.cost is None)
        assert solution.suppressed == plain.suppressed
        if solution.cost is None:
            continue
        original = CountedOriginal(problem.counts, problem.tables, problem.policy)
        findings = check_claim(original, solution)
        assert all(finding.holds for finding in findings), findings


def test_every_table_that_the_release_covers_can_lead_to_it():
    """The theorem: hold back each row until the node at which its class was closed."""
    rng = random.Random(612)
    tables = 0
    for one in itertools.islice(tiny.tiny_problems(2_000, 613), effort(400)):
        metric = rng.choice([la.Precision(), la.Loss()])
        classes = shown(one, metric)
        for _ in range(4 if classes else 0):
            other = another_table(one, classes, rng)
            assert closed_and_shown(one, other, metric) == other
            tables += 1
    assert tables > effort(600)


def shown(one, metric):
    """Each released row and its labels, by the algorithm with its own draws; None if none is."""
    problem = tiny.problem(one, metric)
    solution = la.solve(problem, la.LatticeGreedy(withhold=0.5))
    if solution.recoding is None:
        return None
    pieces = solution.recoding
    rows = []
    for group, count, levels in zip(pieces.group, pieces.rows, pieces.levels, strict=True):
        if levels[0] < 0:
            continue
        leaf = problem.counts.codes[problem.canonical[group]]
        row = tuple(problem.counts.values[a][code] for a, code in enumerate(leaf))
        labels = tuple(
            one.hierarchies[a][value][level]
            for a, (value, level) in enumerate(zip(row, levels, strict=True))
        )
        rows += [(row, labels)] * int(count)
    return rows


def another_table(one, classes, rng):
    """A table of which every row fits its class: each cell any value that may show its label."""
    return [
        (
            tuple(
                rng.choice(
                    [
                        value
                        for value, path in one.hierarchies[a].items()
                        if label in path[one.low[a] : one.high[a] + 1]
                    ]
                )
                for a, label in enumerate(labels)
            ),
            labels,
        )
        for _, labels in classes
    ]


def closed_and_shown(one, other, metric):
    """The same rows with the labels that they get, each held back until its class can be closed."""
    rows = [row for row, _ in other]
    held = replace(one, rows=rows, classes=["x"] * len(rows), allowance=0)
    problem = tiny.problem(held, metric)
    layout = lay_out(problem)
    nodes = lattice_greedy._nodes_by_cost(layout)
    group = {
        tuple(problem.counts.values[a][code] for a, code in enumerate(codes)): number
        for number, codes in enumerate(problem.counts.codes)
    }
    of_row = np.array([group[row] for row in rows])
    place = np.array([first_node(one, nodes, other, labels) for _, labels in other])
    pieces = WithheldRows(of_row, np.ones(len(rows), dtype=np.int64), place)
    run = Run(problem, Limits(), silent, 0, Space.CELL_LEVEL)
    of, closed_at = lattice_greedy.close(pieces.lay_out(layout), run, nodes, place)
    levels = nodes[closed_at[of]] + np.array(one.low)
    return [
        (row, tuple(path(one, a, row[a])[level] for a, level in enumerate(own)))
        for row, own in zip(rows, levels.tolist(), strict=True)
    ]


def first_node(one, nodes, other, labels):
    """The place of the first node at which all rows of a class show its labels."""
    members = [row for row, shown in other if shown == labels]
    for place, node in enumerate((nodes + np.array(one.low)).tolist()):
        if all(
            path(one, a, row[a])[level] == labels[a]
            for row in members
            for a, level in enumerate(node)
        ):
            return place
    raise AssertionError("a class is closed at a node")


def path(one, a, value):
    return one.hierarchies[a][value]


TABLE = pa.table({"age": [age for age in range(30, 60) for _ in range(3)], "sick": ["x"] * 90})
POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(5, 10, 20)}, sensitive="sick", require=la.KAnonymity(4)
)


def test_the_draws_are_secret():
    """They do not follow the seed; the certificate states the share, and holds no draw."""
    runs = [la.anonymize(TABLE, POLICY, by="lattice-greedy:withhold=0.3", seed=7) for _ in range(8)]
    assert len({tuple(run.table["age"].to_pylist()) for run in runs}) > 1
    [text] = {json.dumps(run.solution.promise) for run in runs}
    assert "0.3 of the rows" in text
    assert all(finding.holds for finding in runs[0].certificate.findings)


def test_the_share_is_held_back_and_all_nodes_are_possible():
    rows = np.full(2_000, 5)
    pieces = withhold_rows(rows, 0.2, 10, np.random.default_rng(1))
    assert np.array_equal(np.bincount(pieces.group, pieces.rows), rows)
    assert pieces.rows.min() > 0
    held = np.bincount(pieces.place, pieces.rows, 10) / 10_000
    assert 0.18 < held[1:].sum() + 0.2 * 10**-0.5 < 0.22  # a part of those held joins at once
    assert held.min() > 0


@pytest.mark.parametrize("share", [-0.1, 1.5, "many", True, float("nan")])
def test_a_share_is_a_number_from_0_to_1(share):
    with pytest.raises(PolicyError, match="withhold"):
        la.LatticeGreedy(withhold=share)


def test_a_wrong_share_after_the_name_is_a_fault():
    with pytest.raises(NotSuited, match="out of range"):
        la.anonymize(TABLE, POLICY, by="lattice-greedy:withhold=2")
