"""Before and after: every row of the original, and what the release shows of it."""

from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest
import tiny
from cell_maps import AtRandom
from cut_recodings import GivenCuts
from effort import effort

import lookalike as la
from lookalike.problem.problem import Problem
from lookalike.report.facts.before_after import before_after


def rows(found, mark, names):
    """Tuples as text, each as often as it has rows."""
    held = Counter()
    for one in found.to_pylist():
        held[tuple(one[f"{mark}{a}"] for a in range(len(names)))] += one["rows"]
    return held


def text_histogram(table, names):
    columns = [table.column(name).cast(pa.string()).to_pylist() for name in names]
    return Counter(zip(*columns, strict=True))


ALGORITHMS = {
    "flash": la.Flash(),
    "cells": AtRandom(left_out=1),
    "cuts": GivenCuts(share=0.5),
}


@pytest.mark.parametrize("by", ALGORITHMS)
@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_it_is_the_original_and_the_release(by, suppressed):
    tried = 0
    for number, one in enumerate(tiny.tiny_problems(effort(48), seed=510)):
        policy = tiny.policy(one, la.Loss())
        conventions = la.Conventions(suppressed=suppressed, stars="wildcard")
        policy = replace(policy, conventions=conventions, suppress=1.0, levels={})
        table = tiny.table(one)
        problem = la.prepare(table, policy)
        if by == "cuts" and not problem.can_be_cut:
            continue
        solution = la.solve(problem, ALGORITHMS[by], seed=number)
        if solution.recoding is None or solution.status is la.Status.UNMET:
            continue
        tried += 1
        check(problem, solution, table)
    assert tried > effort(48) / 10


def check(problem: Problem, solution, table) -> None:
    found = before_after(problem, solution)
    assert rows(found, "b", problem.names) == text_histogram(table, problem.names)
    released = la.release(table, problem, solution).table
    shown = found.filter(pa.compute.invert(found.column("suppressed")))
    star = problem.policy.conventions.suppressed == "star"
    expected = text_histogram(released, problem.names)
    assert rows(found if star else shown, "a", problem.names) == expected
    gone = [one for one in found.to_pylist() if one["suppressed"]]
    assert sum(one["rows"] for one in gone) == solution.suppressed
    for one in (found if star else shown).to_pylist():
        alike = tuple(one[f"a{a}"] for a in range(len(problem.names)))
        assert one["alike"] == expected[alike]
    if not star:
        assert all(one["alike"] == 0 for one in gone)
    last = [one["suppressed"] for one in found.to_pylist()]
    assert last == sorted(last)
