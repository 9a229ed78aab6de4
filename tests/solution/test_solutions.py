"""Claims that cannot be true cannot be built; files come back as they went."""

import dataclasses
import json
import math

import pytest
import tiny

import lookalike as la
from lookalike.solution import solution_file as file


@pytest.fixture
def solution():
    return la.solve(tiny.problem(next(tiny.tiny_problems(1, seed=11)), la.Loss()))


def test_optimal_with_a_bound_below_its_cost_cannot_be_built(solution):
    with pytest.raises(ValueError, match="below the cost"):
        dataclasses.replace(solution, bound=solution.cost - 0.1)


def test_a_bound_above_the_cost_cannot_be_built(solution):
    with pytest.raises(ValueError, match="above the cost"):
        dataclasses.replace(solution, bound=solution.cost + 0.1)


def test_feasible_without_a_recoding_cannot_be_built(solution):
    with pytest.raises(ValueError, match="recoding"):
        dataclasses.replace(solution, recoding=None)


def test_infeasible_with_a_finite_bound_cannot_be_built(solution):
    with pytest.raises(ValueError, match="infeasible"):
        dataclasses.replace(solution, status=la.INFEASIBLE, recoding=None, cost=None, bound=1.0)


def test_the_gap_is_what_might_still_be_saved(solution):
    half = dataclasses.replace(solution, status=la.FEASIBLE, bound=solution.cost / 2)
    assert half.gap == pytest.approx(0.5)
    assert solution.gap == 0
    nothing = dataclasses.replace(solution, status=la.UNKNOWN, recoding=None, cost=None, bound=0.0)
    assert math.isinf(nothing.gap)


def test_a_small_gap_is_not_called_none(solution):
    near = dataclasses.replace(solution, status=la.FEASIBLE, bound=solution.cost * (1 - 1e-5))
    assert near.claim().endswith("less than 0.1% could be saved.")
    far = dataclasses.replace(solution, status=la.FEASIBLE, bound=solution.cost * 0.9)
    assert far.claim().endswith("at most 10.0% could be saved.")


def test_a_solution_survives_its_file(solution):
    assert file.loads(file.dumps(solution)) == solution
    none = dataclasses.replace(
        solution, status=la.INFEASIBLE, recoding=None, cost=None, bound=math.inf
    )
    assert file.loads(file.dumps(none)) == none


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"format": "lookalike certificate 3"}'])
def test_what_is_no_solution_file_is_refused_in_a_sentence(text):
    with pytest.raises(la.FileError, match="not a solution file"):
        file.loads(text)


def test_a_number_that_json_does_not_have_is_refused(solution):
    good = file.dumps(solution)
    with pytest.raises(la.FileError, match="not a solution file"):
        file.loads(good.replace(f'"cost": {solution.cost}', '"cost": NaN'))


def test_a_solution_file_that_contradicts_itself_is_refused_as_a_release_would_be(solution):
    good = file.dumps(solution)
    for old, new in [
        (f'"cost": {solution.cost}', '"cost": -1'),
        ('"status": "optimal"', '"status": "perfect"'),
        (f'"bound": {solution.bound}', '"bound": 1e9'),
        ('"proof": {', '"proof": null, "rest": {'),
    ]:
        assert old in good
        with pytest.raises(la.ReleaseRefused, match="altered"):
            file.loads(good.replace(old, new))


@pytest.mark.parametrize("part", ["cost", "bound"])
def test_a_cost_or_bound_that_is_no_number_cannot_be_built(solution, part):
    with pytest.raises(ValueError, match="not a number"):
        dataclasses.replace(solution, **{part: math.nan})


def altered(solution, **parts):
    return json.dumps({**json.loads(file.dumps(solution)), **parts})


def test_a_solution_file_with_a_number_that_json_does_not_have_is_refused(solution):
    text = file.dumps(solution).replace(f'"cost": {solution.cost}', '"cost": NaN')
    with pytest.raises(la.FileError, match="not a solution file"):
        file.loads(text)


def test_a_key_that_a_solution_file_does_not_have_is_named(solution):
    proof = json.loads(file.dumps(solution))["proof"]
    for parts, key in [
        ({"signed_by": "nobody"}, "signed_by"),
        ({"pieces\x1b[2J": []}, "'pieces\\x1b[2J'"),
        ({"proof": {**proof, "trust": "me"}}, "proof.trust"),
    ]:
        with pytest.raises(la.ReleaseRefused) as caught:
            file.loads(altered(solution, **parts))
        [fault] = caught.value.faults
        assert fault.where == f"solution: {key}"
        assert "no such key" in fault.problem


def test_levels_and_counts_that_are_no_whole_numbers_are_refused_and_not_cut_down(solution):
    levels = json.loads(file.dumps(solution))["levels"]
    name = next(iter(levels))
    for parts in [
        {"levels": {**levels, name: levels[name] + 0.5}},
        {"levels": {**levels, name: True}},
        {"rows": solution.rows + 0.5},
        {"suppressed": str(solution.suppressed)},
        {"alternatives": [[0.5] * len(levels)]},
        {"seed": None},
    ]:
        with pytest.raises(la.ReleaseRefused, match="altered"):
            file.loads(altered(solution, **parts))


@pytest.mark.parametrize("name", ["", "x" * 81, "fl\x1b[31mash", "flash\nVerified.", 5, None])
def test_an_algorithms_name_is_short_and_printable(solution, name):
    with pytest.raises(la.ReleaseRefused, match="altered"):
        file.loads(altered(solution, algorithm=name))
    assert file.loads(altered(solution, algorithm="at-random")).algorithm == "at-random"
