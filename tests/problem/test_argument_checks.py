"""What is of the wrong kind is refused, named by its kind alone."""

import pytest
import tiny

import lookalike as la


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


def test_a_solution_is_not_a_recoding_and_a_policy_not_a_problem():
    prepared = tiny.problem(next(tiny.tiny_problems(1, seed=1)), la.Loss())
    solution = la.solve(prepared)
    with pytest.raises(la.LookalikeError, match=r"Solution was passed.*\n.*solution.recoding"):
        la.is_k_minimal(prepared, solution)
    for call in (la.solve, la.explain, la.k_minimal_generalizations, la.k_anonymous_generalizations,
                 lambda given: la.compare(given, ["flash"])):  # fmt: skip
        with pytest.raises(la.LookalikeError, match=r"Policy was passed.*\n.*la.prepare"):
            call(prepared.policy)
    for call in (la.prepare, la.anonymize):
        with pytest.raises(la.LookalikeError, match="Problem was passed, but a Policy is needed"):
            call(None, prepared)
