"""Runs: what is said on the way, how they stop, what they refuse."""

import pytest
import tiny

import lookalike as la
from lookalike.search.auto_choice import choose


@pytest.fixture
def problem():
    return tiny.problem(next(tiny.tiny_problems(1, seed=11)), la.Loss())


def test_a_run_says_when_it_starts_improves_and_ends(problem):
    said = []
    solution = la.solve(problem, observer=said.append)
    said = [event for event in said if not isinstance(event, la.Compiling)]
    assert isinstance(said[0], la.Started)
    assert isinstance(said[-1], la.Finished)
    costs = [event.cost for event in said if isinstance(event, la.Incumbent)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == solution.cost == said[-1].cost
    bounds = [event.bound for event in said if isinstance(event, la.Incumbent)]
    assert bounds == sorted(bounds)


def test_events_can_be_written_as_lines_of_json(problem, tmp_path):
    import json

    path = tmp_path / "events.jsonl"
    la.solve(problem)  # compiles
    with path.open("w") as file:
        la.solve(problem, observer=la.jsonl(file))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["event"] == "started"
    assert lines[-1]["event"] == "finished"


def test_a_run_says_when_it_compiles_and_only_the_first_time(problem, monkeypatch):
    monkeypatch.setattr("lookalike.search.jit_warmup._used", set())
    for first, algorithm in [(True, "flash"), (False, "flash"), (True, "mondrian")]:
        said = []
        la.solve(problem, algorithm, observer=said.append)
        compiling = [isinstance(event, la.Compiling) for event in said]
        assert compiling == [first] + [False] * (len(said) - 1)
        assert isinstance(said[first], la.Started)


def test_a_cancelled_run_keeps_the_best_so_far(problem):
    seen = []
    limits = la.Limits(cancelled=lambda: len(seen) >= 1)
    solution = la.solve(
        problem,
        limits=limits,
        observer=lambda e: seen.append(e) if isinstance(e, la.Incumbent) else None,
    )
    assert solution.stop is la.Stop.INTERRUPTED
    assert solution.recoding is not None
    assert solution.bound <= solution.cost


def test_ctrl_c_keeps_the_best_so_far(problem):
    def interrupt(event):
        if isinstance(event, la.Incumbent):
            raise KeyboardInterrupt

    solution = la.solve(problem, observer=interrupt)
    assert solution.stop is la.Stop.INTERRUPTED
    assert solution.recoding is not None


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), ValueError()])
def test_ctrl_c_while_compiled_code_returns_is_ctrl_c_and_other_errors_are_not(problem, cause):
    """Numba makes a SystemError of whatever is raised then."""

    def fail(event):
        if isinstance(event, la.Incumbent):
            error, outer = SystemError(), SystemError()
            error.__cause__, outer.__cause__ = cause, error
            raise outer

    if isinstance(cause, KeyboardInterrupt):
        solution = la.solve(problem, observer=fail)
        assert solution.stop is la.Stop.INTERRUPTED
        assert solution.recoding is not None
    else:
        with pytest.raises(SystemError):
            la.solve(problem, observer=fail)


def test_no_time_at_all_is_unknown_with_a_bound(problem):
    solution = la.solve(problem, limits=la.Limits(seconds=0))
    assert solution.status is la.UNKNOWN
    assert solution.stop is la.Stop.TIME
    with pytest.raises(la.NotProven):
        solution.expect(la.FEASIBLE)


def test_the_same_seed_gives_the_same_solution(problem):
    one, two = la.solve(problem, seed=3), la.solve(problem, seed=3)
    assert (one.recoding, one.cost, one.proof) == (two.recoding, two.cost, two.proof)


def test_auto_says_why(problem):
    algorithm, why = choose(problem)
    assert algorithm.name == "flash"
    assert "because" in why
    assert la.solve(problem).why == why


def test_a_lattice_too_large_is_refused_with_a_sentence_and_auto_takes_boxes(problem, monkeypatch):
    monkeypatch.setattr("lookalike.search.lattice.flash.MAX_NODES", 0)
    monkeypatch.setattr("lookalike.search.run.MAX_NODES", 0)
    with pytest.raises(la.NotSuited, match="nodes"):
        la.solve(problem, la.Flash())
    algorithm, why = choose(problem)
    assert algorithm.name == "branch-and-bound"
    assert "without looking at every node" in why
    assert la.solve(problem).status is la.OPTIMAL


def test_auto_takes_boxes_where_they_were_measured_to_be_faster(problem, monkeypatch):
    monkeypatch.setattr("lookalike.search.auto_choice.FLASH_NODES", 0)
    assert choose(problem)[0].name == "branch-and-bound"
    by_classes = tiny.problem(next(tiny.tiny_problems(1, seed=11)), la.ClassSize())
    assert choose(by_classes)[0].name == "flash"


def test_compare_judges_all_by_one_bound(problem):
    table = la.compare(problem, [la.Datafly(), la.Flash(), la.MinGen()])
    assert [row.algorithm for row in table.rows] == ["datafly", "flash", "mingen"]
    assert table.rows[1].gap == 0
    assert table.rows[0].gap >= 0
    assert table.bounds == {la.Space.FULL_DOMAIN: table.rows[1].solution.cost}


@pytest.mark.parametrize("bad", [{"seconds": -1}, {"checks": -1}, {"seconds": float("nan")}])
def test_limits_that_make_no_sense_are_refused(bad):
    with pytest.raises(la.PolicyError, match="use 0 or more"):
        la.Limits(**bad)


def test_ctrl_c_at_any_point_leaves_a_bound_that_holds(problem, monkeypatch):
    from lookalike.search.bounds.node_bounds import Lattice
    from lookalike.verifier.claim.optimality import check_claim
    from lookalike.verifier.counted_original import CountedOriginal

    optimum = la.solve(problem).cost
    learn = Lattice.learn
    for moment in range(1, 12):
        left = [moment]

        def learn_then_stop(self, found, left=left):
            learn(self, found)
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(Lattice, "learn", learn_then_stop)
            solution = la.solve(problem, la.MinGen())
        assert solution.bound <= optimum + 1e-9
        findings = check_claim(
            CountedOriginal(problem.counts, problem.tables, problem.policy), solution
        )
        assert all(finding.holds for finding in findings)


def test_algorithms_may_be_given_by_their_names(problem):
    assert la.solve(problem, "datafly").algorithm == "datafly"
    assert la.solve(problem, "auto").algorithm == "flash"
    assert [row.algorithm for row in la.compare(problem, ["datafly", "auto"]).rows] == [
        "datafly",
        "flash",
    ]
    with pytest.raises(la.NotSuited, match="use one of: auto, flash"):
        la.solve(problem, "magic")


def test_compare_measures_every_recoding_by_every_metric():
    import oracle

    for one in tiny.tiny_problems(20, seed=6):
        prepared = tiny.problem(one, la.Height())
        for row in la.compare(prepared, ["flash", "datafly"]).rows:
            if row.solution is None or row.solution.recoding is None:
                assert row.measures == {}
                continue
            levels = row.solution.recoding.levels
            for name, (_, cost) in tiny.METRICS.items():
                told = "precision_loss" if name == "precision" else name
                if told in row.measures:
                    assert row.measures[told] == pytest.approx(float(one.cost(cost, levels)))
            assert set(row.measures) >= {"precision_loss", "loss", "discernibility", "class-size"}
            assert row.measures["prec"] == pytest.approx(1 - row.measures["precision_loss"])
            assert oracle.feasible(one.rows, one.hierarchies, levels, one.k, one.allowance)


def test_a_comparison_prints_as_a_table():
    one = next(tiny.tiny_problems(1, seed=6))
    found = la.compare(tiny.problem(one, la.Loss()), ["flash", "mondrian", la.MuArgus()])
    assert repr(found) == str(found)
    title, head, *lines = str(found).splitlines()
    assert title == "Algorithms on the same problem, loss minimized"
    assert head.split()[:4] == ["algorithm", "result", "k", "held"]
    assert [line.split()[0].rstrip(":") for line in lines[:3]] == ["flash", "mondrian", "mu-argus"]
    assert "array" not in str(found)
    assert "array" not in repr(found.rows[1])


def test_a_comparison_says_who_did_not_run_and_why():
    one = next(tiny.tiny_problems(1, seed=6))
    found = la.compare(tiny.problem(one, la.Height()), ["flash", "mondrian"])
    assert "\nmondrian: not run: height is defined for whole columns" in str(found)
