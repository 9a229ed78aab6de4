"""Parts of a policy that are of the wrong kind are faults, all at once, not Python errors."""

import numpy as np
import pytest

import lookalike as la

GOOD = {"quasi_identifiers": {"age": la.flat()}, "require": la.KAnonymity(2)}


@pytest.mark.parametrize(
    ("part", "given"),
    [
        ("metric", "beauty"),
        ("metric", la.Precision),
        ("require", 5),
        ("require", la.KAnonymity),
        ("conventions", "refuse"),
        ("conventions", la.Conventions),
        ("quasi_identifiers", ["age"]),
        ("levels", {"age": 3}),
        ("levels", [("age", 1)]),
        ("weights", 2.0),
        ("suppress", "2%"),
    ],
)
def test_a_part_of_the_wrong_kind_is_a_fault_with_a_fix(part, given):
    with pytest.raises(la.PolicyError) as caught:
        la.Policy(**(GOOD | {part: given}))
    assert any(fault.where.startswith(part) for fault in caught.value.faults)
    assert all(fault.fix for fault in caught.value.faults)


@pytest.mark.parametrize(
    ("column", "said", "fix"),
    [
        ("age", "age is a quasi-identifier", "name another column, or move it from quasi_id"),
        ("name", "name is an identifier", "name another column, or move it from identifiers"),
        ("shoe", "the class column shoe is not kept unchanged", "add it to sensitive"),
    ],
)
def test_a_class_column_has_no_other_part_to_play(column, said, fix):
    with pytest.raises(la.PolicyError) as caught:
        la.Policy(**GOOD, identifiers="name", metric=la.Classification(column))
    [fault] = caught.value.faults
    assert said in fault.problem
    assert fault.fix.startswith(fix)


def test_several_wrong_parts_are_reported_together():
    with pytest.raises(la.PolicyError) as caught:
        la.Policy(**(GOOD | {"metric": 7, "conventions": 1, "weights": 3}))
    assert len(caught.value.faults) == 3


def test_whole_numbers_of_numpy_are_whole_numbers():
    assert la.Policy(**GOOD, suppress=np.int64(3)).allowance(10) == 3


def test_a_metric_may_be_given_by_its_name():
    assert la.Policy(**GOOD, metric="loss-geometric").metric == la.Loss(aggregate="geometric")
