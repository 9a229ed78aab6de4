"""Samarati, Incognito and the survey's hybrid, against exhaustive enumeration by the oracle."""

import math

import oracle
import pytest
import tiny
from effort import effort

import lookalike as la
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal

PROBLEMS = effort(2_400)
CHUNKS = 8


def enumerate_by_oracle(problem):
    feasible = oracle.feasible_nodes(
        problem.rows, problem.hierarchies, problem.k, problem.allowance, problem.low, problem.high
    )
    minimal = oracle.k_minimal_generalizations(
        problem.rows, problem.hierarchies, problem.k, problem.allowance, problem.low, problem.high
    )
    return set(feasible), set(minimal)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_incognito_and_samarati_equal_exhaustive_enumeration(chunk):
    for problem in tiny.tiny_problems(PROBLEMS // CHUNKS, seed=4000 + chunk):
        prepared = tiny.problem(problem, la.Loss())
        feasible, minimal = enumerate_by_oracle(problem)
        found = la.k_anonymous_generalizations(prepared)
        assert {one.recoding.levels for one in found} == feasible
        assert {one.recoding.levels for one in found if one.minimal} == minimal
        assert {one.levels for one in la.k_minimal_generalizations(prepared)} == minimal

        best, _ = problem.best(oracle.loss_cost)
        basic = la.solve(prepared, la.Incognito(super_roots=False))
        one = la.solve(prepared, la.Samarati())
        every = la.solve(prepared, la.Samarati(every=True))
        hybrid = la.solve(prepared, la.Hybrid())
        for solution in (basic, one, every, hybrid):
            claims = check_claim(
                CountedOriginal(prepared.counts, prepared.tables, prepared.policy), solution
            )
            assert all(claim.holds for claim in claims), (solution, problem)
        if not feasible:
            assert {s.status for s in (basic, one, every)} == {la.INFEASIBLE}
            continue
        height = min(map(sum, feasible))
        assert height == oracle.samarati_height(
            problem.rows, problem.hierarchies, problem.k, problem.allowance, problem.low,
            problem.high,
        )  # fmt: skip
        lowest = {node for node in feasible if sum(node) == height}
        assert {one.recoding.levels, *(a.levels for a in one.alternatives)} == lowest
        assert {hybrid.recoding.levels, *(a.levels for a in hybrid.alternatives)} == lowest
        assert {every.recoding.levels, *(a.levels for a in every.alternatives)} == minimal
        assert basic.status is la.OPTIMAL
        assert math.isclose(basic.cost, float(best), rel_tol=1e-9, abs_tol=1e-9)


def preferred_by(preference, problem, node):
    """What the rule makes least."""
    rows, trees, k = problem.rows, problem.hierarchies, problem.k
    if preference == "absolute-distance":
        return sum(node)
    if preference == "relative-distance":
        return sum(a / height for a, height in zip(node, oracle.heights(trees), strict=True))
    if preference == "distribution":
        return -len(oracle.kept_classes(rows, trees, node, k))
    return len(oracle.suppressed(rows, trees, node, k))


@pytest.mark.parametrize(
    "preference", ["absolute-distance", "relative-distance", "distribution", "suppression"]
)
def test_preferences_pick_what_they_say(preference):
    seen = 0
    for problem in tiny.tiny_problems(120, seed=21):
        prepared = tiny.problem(problem, la.Loss())
        solution = la.solve(prepared, la.Samarati(preference, every=True))
        if solution.recoding is None or not solution.alternatives:
            continue
        seen += 1
        nodes = [solution.recoding.levels, *(other.levels for other in solution.alternatives)]
        values = [preferred_by(preference, problem, node) for node in nodes]
        assert values[0] == pytest.approx(min(values))
    assert seen > 5


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


@pytest.mark.parametrize(
    "call",
    [
        la.is_k_minimal,
        la.is_k_minimal_distortion,
        lambda problem, recoding: la.release(None, problem, recoding),
        lambda problem, recoding: la.examine(None, problem, recoding),
    ],
)
def test_what_is_of_the_wrong_kind_is_named_by_its_kind_alone(call):
    prepared = tiny.problem(next(tiny.tiny_problems(1, seed=1)), la.Loss())
    for given, kind in [(None, "NoneType"), ((0,), "tuple"), ("a@b", "str"), (prepared, "Problem")]:
        with pytest.raises(la.LookalikeError, match=f"{kind} was passed") as caught:
            call(prepared, given)
        assert "a@b" not in str(caught.value)
    with pytest.raises(la.LookalikeError, match=r"Policy was passed.*\n.*la.prepare"):
        call(prepared.policy, None)


def test_a_solution_is_no_recoding_and_a_policy_no_problem():
    prepared = tiny.problem(next(tiny.tiny_problems(1, seed=1)), la.Loss())
    solution = la.solve(prepared)
    with pytest.raises(la.LookalikeError, match=r"Solution was passed.*\n.*solution.recoding"):
        la.is_k_minimal(prepared, solution)
    for call in (la.solve, la.explain, la.k_minimal_generalizations, la.k_anonymous_generalizations,
                 lambda given: la.compare(given, ["flash"])):  # fmt: skip
        with pytest.raises(la.LookalikeError, match=r"Policy was passed.*\n.*la.prepare"):
            call(prepared.policy)
    for call in (la.prepare, la.anonymize):
        with pytest.raises(la.LookalikeError, match="Problem was passed, and a Policy is needed"):
            call(None, prepared)


@pytest.mark.parametrize("by", [la.Samarati(), la.Incognito(), la.Hybrid()])
def test_searches_that_rest_on_monotony_refuse_starred_rows_with_a_sentence(by):
    starred = la.Conventions(suppressed="star")
    for problem in tiny.tiny_problems(30, seed=3):
        prepared = tiny.problem(problem, la.Loss(), starred)
        if problem.allowance:
            with pytest.raises(la.NotSuited, match="starred rows"):
                la.solve(prepared, by)
            return


def test_minimality_is_what_the_oracle_says_and_a_no_comes_with_a_witness():
    for problem in tiny.tiny_problems(60, seed=8):
        prepared = tiny.problem(problem, la.Precision())
        feasible, minimal = enumerate_by_oracle(problem)
        _, nodes = problem.best(oracle.precision_cost)
        for node in oracle.all_nodes(problem.hierarchies, problem.low, problem.high):
            levels = la.Levels(prepared.names, node)
            answer = la.is_k_minimal(prepared, levels)
            assert answer.holds == (node in minimal)
            if node in feasible and not answer:
                assert answer.witness.levels in feasible
                assert sum(answer.witness.levels) < sum(node)
            if node in feasible:
                answer = la.is_k_minimal_distortion(prepared, levels)
                assert answer.holds == (node in nodes)
                if not answer:
                    assert answer.witness.levels in nodes


def test_theorem_2_a_k_minimal_distortion_is_a_k_minimal_generalization():
    for problem in tiny.tiny_problems(100, seed=9):
        if len(set(map(float, problem.weights))) > 1 or problem.allowance:
            continue
        prepared = tiny.problem(problem, la.Precision())
        solution = la.solve(prepared)
        if solution.recoding is not None:
            assert la.is_k_minimal(prepared, solution.recoding)
