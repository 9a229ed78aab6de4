"""What a search is given, of the wrong kind: a fault that says what to give, and never silence."""

import pytest
import tiny

import lookalike as la
from lookalike.registry import ALGORITHMS
from lookalike.search import jit_warmup
from lookalike.search.auto_choice import named
from lookalike.search.suitability import suggested_fix


@pytest.fixture(scope="module")
def problem():
    return tiny.problem(next(tiny.tiny_problems(1, seed=6)), la.Loss())


@pytest.mark.parametrize(
    ("make", "where", "fix"),
    [
        (lambda: la.Limits(seconds="x"), "Limits(seconds=...)", "use 0 or more"),
        (lambda: la.Limits(seconds=True), "Limits(seconds=...)", "use 0 or more"),
        (lambda: la.Limits(checks=1.5), "Limits(checks=...)", "use 0 or more"),
        (lambda: la.Limits(cancelled=1), "Limits(cancelled=...)", "give a function"),
        (lambda: la.Annealing(steps="x"), "Annealing(steps=...)", "use 0 or more"),
        (lambda: la.Annealing(cold=0), "Annealing(cold=...)", "use 1e-12 to 1"),
        (lambda: la.HillClimbing(starts=-1), "HillClimbing(starts=...)", "use 0 or more"),
        (lambda: la.Genetic(children=-1), "Genetic(children=...)", "use 0 or more"),
        (lambda: la.Genetic(population=0), "Genetic(population=...)", "use 1 or more"),
        (lambda: la.Genetic(mutation="x"), "Genetic(mutation=...)", "use 0 or more"),
    ],
)
def test_numbers_that_make_no_sense_are_faults(make, where, fix):
    with pytest.raises(la.PolicyError) as raised:
        make()
    [fault] = raised.value.faults
    assert fault.where == where
    assert fault.fix.startswith(fix)


@pytest.mark.parametrize("verb", [la.solve, la.compare])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"seed": "x"}, "seed: str is not a whole number"),
        ({"seed": -1}, "seed: -1 is too small"),
        ({"seed": 2**63}, "seed: it is too large"),
        ({"limits": 60}, "use la.Limits"),
    ],
)
def test_seeds_and_limits_of_the_wrong_kind_are_faults(problem, verb, given, said):
    with pytest.raises(la.LookalikeError, match=said):
        verb(problem, "flash", **given)


@pytest.mark.parametrize("verb", [la.solve, la.compare])
@pytest.mark.parametrize(
    ("by", "said"),
    [(la.Flash, r"write Flash\(\)"), (5, "int is not an algorithm"), ("x", "use one of")],
)
def test_what_is_not_an_algorithm_is_a_fault(problem, verb, by, said):
    with pytest.raises(la.NotSuited, match=said):
        verb(problem, by)


def test_one_name_is_one_algorithm_and_all_are_all(problem, monkeypatch):
    assert [row.algorithm for row in la.compare(problem, "flash").rows] == ["flash"]
    assert [row.algorithm for row in la.compare(problem, la.Flash()).rows] == ["flash"]
    monkeypatch.setattr("lookalike.search.compare.names_to_compare", lambda: ("flash", "datafly"))
    assert [row.algorithm for row in la.compare(problem, "all").rows] == ["flash", "datafly"]


@pytest.mark.parametrize(
    ("by", "said", "fix"),
    [
        ("annealing:steps=1e3", "annealing does not take 'steps=1e3'", "steps takes a whole"),
        ("hill-climbing:starts=-5", "does not take 'starts=-5'", "starts takes a whole number"),
        ("samarati:every=yes", "does not take 'every=yes'", "every takes no value"),
        ("mondrian:cut", "does not take 'cut'", "cut takes a value: cut=…"),
        ("k-optimize:resume", "does not take 'resume'", "resume takes the file of a solution"),
        ("genetic:population=0", "genetic: 0 is too small", "use 1 or more"),
        ("annealing:heat=3", "has no option 'heat=3'", "options of annealing: steps"),
    ],
)
def test_a_bad_value_and_a_missing_option_are_different_faults(by, said, fix):
    with pytest.raises(la.NotSuited) as raised:
        named(by)
    [fault] = raised.value.faults
    assert said in fault.problem
    assert fault.fix.startswith(fix)


@pytest.mark.parametrize("name", ALGORITHMS.names)
def test_every_option_says_what_it_takes(name):
    for option in ALGORITHMS.load(name).options:
        bad = "=x" if option.takes == "no value" else ""
        with pytest.raises(la.NotSuited, match=f"{option.name} takes "):
            named(f"{name}:{option.name}{bad}")


def test_the_fix_is_what_the_refusal_says_if_it_says_one(problem):
    with pytest.raises(la.NotSuited, match="fix: do as it says, or leave the choice"):
        la.solve(problem, "greedy")  # which wants another metric than loss, and says which
    assert suggested_fix("every column has identification level 0").startswith("leave the choice")


def test_compiled_code_is_loaded_with_any_options(problem, monkeypatch):
    """The small problem that is searched for that has no column ZIP."""
    loaded = []
    monkeypatch.setattr(la.MuArgus, "search", lambda self, run: loaded.append(self.decide))
    jit_warmup.search_small_problem.cache_clear()
    la.MuArgus(decide=["ZIP"]).compile_kernels(problem)
    la.MuArgus(decide=["ZIP"]).compile_kernels(problem)
    jit_warmup.search_small_problem.cache_clear()
    assert loaded == [()]


def test_a_system_that_fails_says_why_and_the_others_are_compared(problem):
    found = la.compare(problem, ["flash", la.MuArgus(decide=["nobody"]), "datafly"])
    flash, failed, datafly = found.rows
    assert flash.solution is not None
    assert datafly.solution is not None
    assert failed.solution is None
    assert "mu-argus.decide: the choice is not one of those offered; choose" in failed.refusal
    assert "\nmu-argus: not run: mu-argus.decide" in str(found)


@pytest.mark.parametrize(
    ("made", "where", "fix"),
    [
        (lambda: la.MinGen(preferred="x"), "MinGen(preferred=...)", "fewest-suppressed"),
        (lambda: la.MinGen(preferred=5), "MinGen(preferred=...)", "fewest-suppressed"),
        (lambda: la.Samarati("prettiest"), "Samarati(preference=...)", "least-cost"),
        (lambda: la.Samarati(every="no"), "Samarati(every=...)", "True or False"),
        (lambda: la.Hybrid(preference="x"), "Hybrid(preference=...)", "least-cost"),
        (lambda: la.MuArgus(tests="x"), "MuArgus(tests=...)", "figure-13"),
        (lambda: la.MuArgus(decide="zip"), "MuArgus(decide=...)", "a list of columns"),
        (lambda: la.Mondrian(cut="x"), "Mondrian(cut=...)", "best, median"),
        (lambda: la.Datafly(complementary="no"), "Datafly(complementary=...)", "True or False"),
        (lambda: la.Incognito(super_roots=0), "Incognito(super_roots=...)", "True or False"),
    ],
)
def test_an_option_that_an_algorithm_does_not_know_is_a_fault(made, where, fix):
    with pytest.raises(la.PolicyError) as caught:
        made()
    [fault] = caught.value.faults
    assert fault.where == where
    assert fix in fault.fix
