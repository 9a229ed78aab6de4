"""After a limit nothing goes on: counted, not timed."""

import numpy as np
import pyarrow as pa
import pytest
import tiny
from class_laws import larger

import lookalike as la
from lookalike.problem.problem import Problem
from lookalike.registry import ALGORITHMS
from lookalike.search.bounds import witness

AFTERWARDS = 3  # what was found is counted, and whether anything can be released at all


@pytest.fixture(scope="module")
def problems():
    """One with trees, one whose columns are ordered and can be cut."""
    rng = np.random.default_rng(7)
    names = [f"q{a}" for a in range(4)]
    policy = la.Policy(
        quasi_identifiers={name: la.ordered(range(8)) for name in names},
        require=la.KAnonymity(3),
        metric="discernibility",
        suppress=0.1,
    )
    table = pa.table({name: rng.integers(0, 8, 120) for name in names})
    return tiny.problem(larger(3, rows=60), la.Loss()), la.prepare(table, policy)


def suited(algorithm, problems):
    """The first problem that it can solve."""
    for problem in problems:
        try:
            la.solve(problem, algorithm, la.Limits(checks=0))
        except la.NotSuited:
            continue
        return problem
    raise AssertionError(f"no problem suits {algorithm}")


@pytest.mark.parametrize("looks", [0, 1, 2, 4, 9, 30])
@pytest.mark.parametrize("name", ALGORITHMS.builtin)
def test_an_algorithm_that_is_cancelled_counts_no_more(name, looks, problems, monkeypatch):
    problem = suited(name, problems)
    looked, counted = [], []

    def cancelled():
        looked.append(None)
        return len(looked) > looks

    def counts(method):
        def counting(self, *given, **named):
            if len(looked) > looks:
                counted.append(method.__name__)
            return method(self, *given, **named)

        return counting

    for method in (Problem.evaluate, Problem.evaluate_node, Problem.classes):
        monkeypatch.setattr(Problem, method.__name__, counts(method))
    solution = la.solve(problem, name, la.Limits(cancelled=cancelled))
    if len(looked) > looks:
        assert solution.stop is la.Stop.INTERRUPTED
        assert solution.bound <= (solution.cost or np.inf)
    assert len(counted) <= AFTERWARDS, counted


@pytest.mark.parametrize("given", [{"seconds": 0}, {"checks": 3}, {"gigabytes": 0}])
def test_the_proof_of_a_stopped_search_is_what_it_counted(given, problems, monkeypatch):
    monkeypatch.setattr(witness, "MAX_NODES", 0)
    monkeypatch.setattr(witness, "next_node", lambda *_, **__: pytest.fail("it was replayed"))
    solution = la.solve(problems[0], "flash", la.Limits(**given))
    assert solution.stop is not la.Stop.FINISHED
    assert len(solution.proof.nodes) == solution.checks


def test_a_limit_ends_the_choice_of_a_proof_too(problems, monkeypatch):
    monkeypatch.setattr(witness, "MAX_NODES", 0)
    chosen = la.solve(problems[0], "mingen").proof.nodes
    ended = []
    replay = witness._replayed

    def end_then_replay(*given):
        ended.append(None)
        return replay(*given)

    monkeypatch.setattr(witness, "_replayed", end_then_replay)
    limits = la.Limits(cancelled=lambda: bool(ended))
    solution = la.solve(problems[0], "mingen", limits)
    assert solution.status is la.OPTIMAL
    assert solution.stop is la.Stop.FINISHED
    assert len(chosen) < len(solution.proof.nodes) == solution.checks


def test_ctrl_c_while_a_proof_is_chosen_keeps_the_result(problems, monkeypatch):
    def interrupt(*given, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(witness, "MAX_NODES", 0)
    monkeypatch.setattr(witness, "next_node", interrupt)
    solution = la.solve(problems[0], "mingen")
    assert solution.status is la.OPTIMAL
    assert len(solution.proof.nodes) == solution.checks


def test_a_search_by_cells_that_ends_has_no_bound_if_there_is_no_time_for_it(problems):
    offered = []
    unlimited = la.solve(problems[0], "mondrian")
    limits = la.Limits(cancelled=lambda: bool(offered))

    def observe(event):
        if isinstance(event, la.Incumbent):
            offered.append(event)

    solution = la.solve(problems[0], "mondrian", limits, observe)
    assert solution.stop is la.Stop.INTERRUPTED
    assert solution.recoding == unlimited.recoding
    assert solution.bound < unlimited.bound


def test_a_limit_of_recodings_does_not_cost_a_search_by_cells_its_bound(problems):
    unlimited = la.solve(problems[0], "mondrian")
    limited = la.solve(problems[0], "mondrian", la.Limits(checks=unlimited.checks))
    assert (limited.stop, limited.bound) == (la.Stop.FINISHED, unlimited.bound)
