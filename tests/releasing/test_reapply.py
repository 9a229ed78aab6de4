"""The recoding of one quarter on the table of the next: what is new is handled, and told."""

import pyarrow as pa
import pytest

import lookalike as la

TREE = {"health": ["nurse", "doctor"], "trade": ["baker", "smith"]}


def table(jobs, ages):
    return pa.table({"job": jobs, "age": ages, "ill": ["flu", "cold"] * (len(jobs) // 2)})


def policy(**more):
    given = {"suppress": 0.2, **more}
    return la.Policy(
        quasi_identifiers={"job": la.tree(TREE), "age": la.bands(10)},
        sensitive="ill",
        require=la.KAnonymity(2),
        **given,
    )


BEFORE = table(["nurse", "doctor", "baker", "smith"] * 2, [31, 32, 33, 34, 35, 36, 37, 38])


def test_the_same_levels_are_applied_and_the_gap_is_reported():
    before = la.anonymize(BEFORE, policy())
    again = la.reapply(BEFORE, policy(), before.solution)
    assert again.release.solution.recoding == before.solution.recoding
    assert again.release.solution.status is la.OPTIMAL
    assert again.unseen == ()
    coarse = la.solve(la.prepare(BEFORE, policy(levels={"job": (2, 2), "age": (2, 2)})))
    dear = la.reapply(BEFORE, policy(), coarse).release.solution
    assert dear.recoding.levels == (2, 2)
    assert dear.bound == pytest.approx(before.solution.cost)
    assert dear.status is la.FEASIBLE


def test_new_values_form_a_group_and_are_reported():
    before = la.anonymize(BEFORE, policy(levels={"job": (1, 1)})).solution
    assert before.recoding.levels == (1, 1)
    after = table(["nurse", "doctor", "pilot", "diver"] * 2, [31, 32, 33, 34, 35, 36, 37, 38])
    found = la.reapply(after, policy(), before)
    [unseen] = found.unseen
    assert (unseen.column, unseen.values, unseen.rows) == ("job", 2, 4)
    assert "pilot" not in unseen.sentence()
    shown = set(found.release.table.column("job").to_pylist())
    assert shown == {"health", "not listed"}
    verdict = la.verify(
        found.release.table, original=after, policy=found.policy, solution=found.release.solution
    )
    assert verdict.passed


def test_rows_whose_lookalikes_are_gone_are_suppressed_within_the_allowance():
    before = la.anonymize(BEFORE, policy(levels={"job": (1, 1)})).solution
    after = table(["nurse", "doctor"] * 4 + ["baker", "nurse"], [31] * 10)
    found = la.reapply(after, policy(), before)
    assert found.release.solution.suppressed == 1
    assert found.release.table.num_rows == 9
    with pytest.raises(la.Infeasible, match="would now suppress 1 of 10 rows") as error:
        la.reapply(after, policy(suppress=0), before)
    assert "set suppress to 1 or more" in str(error.value)


def test_recodings_that_belong_to_one_table_are_refused():
    by_cell = la.solve(la.prepare(BEFORE, policy()), "mondrian")
    with pytest.raises(la.NotSuited, match="fits only the table it was made for"):
        la.reapply(BEFORE, policy(), by_cell)


def test_a_column_that_is_new_has_no_role():
    before = la.anonymize(BEFORE, policy()).solution
    more = BEFORE.append_column("phone", pa.array(["1"] * 8))
    with pytest.raises(la.PolicyError, match="no role"):
        la.reapply(more, policy(), before)
