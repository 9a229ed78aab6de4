"""Cell-level searches with requirements on values: classes are merged until all are met."""

import random

import pyarrow as pa
import pytest
from effort import effort

import lookalike as la

BY = ("lattice-greedy", "k-member", "mdav")
RULES = (
    la.DistinctDiversity("ill", 2),
    la.DistinctDiversity("ill", 3),
    la.EntropyDiversity("ill", 1.8),
    la.TCloseness("ill", 0.4),
    la.AlphaK("ill", 0.6, 2),
)


def random_case(rng):
    rows = rng.randint(6, 30)
    ages, zips = rng.sample(range(20, 60), rng.randint(2, 8)), ["130", "131", "148", "149"]
    table = pa.table(
        {
            "age": rng.choices(ages, k=rows),
            "zip": rng.choices(zips, k=rows),
            "ill": rng.choices(["flu", "cold", "flu", "HIV", "ulcer"], k=rows),
        }
    )
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(5, 20), "zip": la.prefix()},
        sensitive="ill",
        require=(la.KAnonymity(rng.randint(2, 4)), rng.choice(RULES)),
        metric=rng.choice((la.Precision(), la.Loss(), la.Loss("geometric"))),
    )
    return table, policy


def release(table, policy, by):
    """The release, which is verified; None if no recoding was found."""
    try:
        return la.anonymize(table, policy, by=by)
    except (la.Infeasible, la.NotProven):
        return None


@pytest.mark.parametrize("by", BY)
def test_a_release_is_found_wherever_one_class_of_all_rows_meets_the_policy(by):
    rng = random.Random(31)
    for _ in range(effort(64)):
        table, policy = random_case(rng)
        exists = release(table, policy, "flash") is not None
        found = release(table, policy, by)
        assert (found is not None) == exists
        if found is not None:
            assert la.verify(found.released, found.certificate).passed
            labels = la.risk(found.released, policy.names)
            assert labels.smallest >= policy.smallest


@pytest.mark.parametrize("by", BY)
def test_classes_stay_apart_that_meet_the_policy(by):
    table = pa.table(
        {
            "age": [31, 32, 33, 34, 51, 52, 53, 54],
            "zip": ["130"] * 4 + ["148"] * 4,
            "ill": ["flu", "flu", "cold", "cold", "flu", "flu", "flu", "HIV"],
        }
    )
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(2, 20), "zip": la.prefix()},
        sensitive="ill",
        require=(la.KAnonymity(2), la.DistinctDiversity("ill", 2)),
    )
    solution = la.anonymize(table, policy, by=by).solution
    assert solution.classes > 1
    assert solution.cost < 0.5


def test_rows_held_back_and_requirements_on_values_do_not_go_together():
    table, policy = random_case(random.Random(1))
    with pytest.raises(la.NotSuited, match="rows held back"):
        la.anonymize(table, policy, by="lattice-greedy:withhold=0.1")


def test_the_rules_of_closing_are_not_applied_where_classes_were_merged():
    rng = random.Random(5)
    for _ in range(20):
        table, policy = random_case(rng)
        if (found := release(table, policy, "lattice-greedy")) is not None:
            [refinement] = found.attacks("refinement")
            assert "not examined" in refinement.sentences[0]
