"""How long a run may take: a range, told here by a clock that the tests hold."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.problem.explanation import Expected
from lookalike.problem.problem import Problem
from lookalike.search import runtime_estimate as expected
from lookalike.search.auto_choice import choose, named
from lookalike.search.runtime_estimate import expect, in_words


def table(rows: int = 300) -> pa.Table:
    return pa.table({f"c{i}": [n * (i + 3) % 37 for n in range(rows)] for i in range(3)})


def problem(**changed: object) -> Problem:
    asked: dict[str, object] = {
        "quasi_identifiers": {f"c{i}": la.bands(2, 4, 8, 16) for i in range(3)},
        "require": la.KAnonymity(5),
        "suppress": 0.05,
    }
    return la.prepare(table(), la.Policy(**asked | changed))  # type: ignore[arg-type]


def clock(step: float) -> Callable[[], float]:
    """So much later each time one looks."""
    ticks: Iterator[int] = itertools.count()
    return lambda: next(ticks) * step


def told(one: Problem, step: float) -> Expected:
    return expect(one, choose(one)[0], clock(step))


def test_a_search_that_ends_in_the_trial_has_its_time_known() -> None:
    one = problem()
    checks = la.solve(one).checks
    found = told(one, 1e-6)
    assert "a trial run finished" in found.sentence
    assert found.low is not None
    assert found.high is not None
    search = 1e-6 * (checks + 1)  # the clock was looked at once a count, and at the end
    release = expected._release(one.rows)
    slow = search * expected.SLOWER + expected.START_SEARCH_SECONDS
    assert found.low == pytest.approx(search * expected.FASTER + release[0])
    assert found.high == pytest.approx(slow + release[1])


def test_a_search_that_does_not_end_in_the_trial_has_a_range_by_its_pace() -> None:
    one = problem()
    found = told(one, 0.2)  # looked at before each count: 0.2, 0.4, and 0.6 is too late
    trial = expected._tried(one, choose(one)[0], clock(0.2))
    assert (trial.checks, trial.ended) == (2, False)
    low, high = expected._search(one, choose(one)[0], trial)
    assert low == trial.seconds
    assert high == pytest.approx(trial.seconds / 2 * expected._max_nodes(one, choose(one)[0]) * 2)
    assert f"counted 2 of {one.nodes:,} nodes" in found.sentence
    assert "Ctrl-C" in found.sentence
    assert "--seconds" in found.sentence


def test_no_more_nodes_than_there_are_and_all_where_nothing_is_foreseen() -> None:
    flash = choose(problem())[0]
    many = problem()
    assert expected._max_nodes(many, flash) == max(expected.CLIMBS * 15, round(0.2 * many.nodes))
    few = problem(levels={"c0": (2, 3), "c1": (1, 1), "c2": (5, 5)})
    assert few.nodes == 2
    assert expected._max_nodes(few, flash) == 2
    assert expected._max_nodes(problem(metric=la.ClassSize()), flash) == many.nodes
    datafly = named("datafly")
    assert datafly is not None
    assert expected._max_nodes(many, datafly) == 15 + 1


@pytest.mark.parametrize("by", ["k-optimize", "mondrian", "cell-optimal"])
def test_of_what_nobody_can_know_that_is_said(by: str) -> None:
    algorithm = named(by)
    assert algorithm is not None
    one = problem()
    found = expect(one, algorithm, clock(1e9))
    assert (found.low, found.high) == (None, None)
    assert "cannot be known" in found.sentence
    assert f"{by} works on {one.groups:,} distinct tuples" in found.sentence
    assert "--seconds" in found.sentence


def test_branch_and_bound_has_a_gap_and_no_end() -> None:
    one, algorithm = problem(), la.BranchAndBound()
    gaps = set()
    for looks in (1, 30, 100, 300, 1000):
        trial = expected._tried(one, algorithm, clock(expected.TRIAL_SECONDS / looks))
        if not trial.ended:
            gaps.add(trial.gap)
            assert trial.gap is None or (trial.found and 0 <= trial.gap <= 1)
            found = expect(one, algorithm, clock(expected.TRIAL_SECONDS / looks))
            assert (found.low, found.high) == (None, None)
            assert "When it ends, with the optimum proved, cannot be known" in found.sentence
            assert "--seconds" in found.sentence
    assert None in gaps


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        (expected.Trial(0.5, 9, False, True, 0.46), "a lower bound, with a gap of 46%"),
        (expected.Trial(0.5, 9, False, True), "found a recoding, but no lower bound yet"),
        (expected.Trial(0.5, 9, False), "found nothing yet"),
    ],
)
def test_the_gap_of_a_trial_in_words(trial: expected.Trial, words: str) -> None:
    assert words in expected._gap_sentence(la.BranchAndBound(), trial)


def test_tuples_that_stay_on_the_engine_are_not_counted_for_this(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policy = la.Policy(
        quasi_identifiers={f"c{i}": la.bands(2, 4, 8, 16) for i in range(3)},
        require=la.KAnonymity(5),
    )
    far = la.prepare(table(), policy, hold=1)
    monkeypatch.setattr(type(far), "evaluate", None)
    found = la.explain(far).expected
    assert (found.low, found.high) == (None, None)
    assert "stay on the engine" in found.sentence


def test_more_rows_take_longer_and_the_low_end_is_below_the_high_one() -> None:
    before = (0.0, 0.0)
    for rows in (0, 1, 1_000, 1_000_000, 100_000_000):
        low, high = expected._release(rows)
        assert low < high
        assert (low, high) >= before
        before = (low, high)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        ((0.1, 0.9), "less than a second"),
        ((0.1, 1.2), "up to about 1 second"),
        ((1.9, 2.1), "about 2 seconds"),
        ((2.2, 9.7), "about 2 to 10 seconds"),
        ((3.0, 119.0), "about 3 to 120 seconds"),
        ((3.0, 160.0), "up to about 3 minutes"),
        ((60.0, 600.0), "about 1 to 10 minutes"),
        ((3600.0, 36000.0), "about 1 to 10 hours"),
        ((100.0, 7.2e6), "up to about 2,000 hours"),
    ],
)
def test_ranges_in_words(seconds: tuple[float, float], words: str) -> None:
    assert in_words(seconds) == words


def test_explain_tells_it_and_leaves_the_problem_as_it_was() -> None:
    one, other = problem(), problem()
    explained = la.explain(one)
    assert explained.expected.sentence
    assert la.explain(one).nodes == explained.nodes
    found, plain = la.solve(one), la.solve(other)
    assert (found.cost, found.checks, found.recoding) == (plain.cost, plain.checks, plain.recoding)
