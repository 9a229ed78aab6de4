"""Several quasi-identifiers, eligible rows, Datafly's weights: against the slow plain way."""

import itertools
import json
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import oracle
import pyarrow as pa
import pytest
import tiny
from effort import effort

import lookalike as la
from lookalike.problem.prepare import tabulate
from lookalike.problem.problem import Problem
from lookalike.solution.proof import By
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal

EXACT = [la.Flash(), la.MinGen(), la.Incognito()]


def kept_rows(rows, sets, k):
    """The largest part of the table in which everyone has k lookalikes over every set.

    Tried from the largest down: no cleverness.
    """
    everyone = range(len(rows))
    for size in range(len(rows), -1, -1):
        for chosen in itertools.combinations(everyone, size):
            if all(_safe([tuple(rows[i][a] for a in one) for i in chosen], k) for one in sets):
                return set(chosen)
    return set()


def _safe(tuples, k):
    return all(count >= k for count in Counter(tuples).values())


def some_problems(count, seed):
    """Tiny problems of up to nine rows, with their columns in two sets or with one left aside."""
    rng = random.Random(seed)
    for one in tiny.tiny_problems(10_000, seed):
        columns = len(one.hierarchies)
        if len(one.rows) > 9 or columns < 2:
            continue
        cut = rng.randint(1, columns - 1)
        names = tiny.names(one)
        linking = {"x": dict.fromkeys(names[:cut], 1.0), "y": dict.fromkeys(names[cut:], 0.5)}
        if rng.random() < 0.3 and columns > 2:
            linking["y"][names[-1]] = 0.0 if columns - cut > 1 else 0.5
        yield one, linking
        count -= 1
        if not count:
            return


def best_by_hand(one, linking):
    """The least cost (1 − Prec) over every node, each looked at by hand; None if none meets k."""
    names = tiny.names(one)
    sets = [[names.index(n) for n, by in columns.items() if by] for columns in linking.values()]
    heights = oracle.heights(one.hierarchies)
    weights = [w / sum(one.weights) for w in one.weights]
    best = None
    ranges = (range(a, b + 1) for a, b in zip(one.low, one.high, strict=True))
    for levels in itertools.product(*ranges):
        recoded = oracle.recode(one.rows, one.hierarchies, levels)
        kept = kept_rows(recoded, sets, one.k)
        gone = len(one.rows) - len(kept)
        if gone > one.allowance or not kept:
            continue
        shared = len(kept) * sum(
            w * level / h for w, level, h in zip(weights, levels, heights, strict=True)
        )
        cost = (shared + gone) / len(one.rows)
        best = cost if best is None else min(best, cost)
    return best


@pytest.mark.parametrize("part", range(4))
def test_exact_searches_agree_with_looking_at_every_node(part):
    for one, linking in some_problems(effort(180), 100 + part):
        policy = replace(tiny.policy(one, la.Precision()), linking=linking)
        problem = la.prepare(tiny.table(one), policy)
        expected = best_by_hand(one, linking)
        for by in EXACT:
            solution = la.solve(problem, by)
            if expected is None:
                assert solution.status is la.INFEASIBLE
            else:
                assert solution.status is la.OPTIMAL
                assert solution.cost == pytest.approx(expected, abs=1e-9)
        for by in (la.Datafly(), la.Samarati()):
            solution = la.solve(problem, by)
            assert (solution.cost is None) == (expected is None)
            assert solution.cost is None or solution.cost >= expected - 1e-9


def test_releases_over_several_sets_are_verified_and_can_be_checked_from_outside():
    released = 0
    for one, linking in some_problems(20, 7):
        policy = replace(tiny.policy(one, la.Precision()), linking=linking)
        table = tiny.table(one)
        problem = la.prepare(table, policy)
        solution = la.solve(problem)
        if solution.recoding is None:
            continue
        release = la.release(table, problem, solution)
        assert la.verify(release.table, release.certificate).passed
        columns = release.table.to_pydict()
        for names in linking.values():
            counted = [columns[name] for name, by in names.items() if by]
            assert _safe(list(zip(*counted, strict=True)), one.k)
        released += 1
    assert released > 10


def test_cell_level_systems_and_class_metrics_refuse_several_sets():
    table = pa.table({"a": ["1", "1", "2", "2"], "b": ["x", "y", "x", "y"]})
    policy = la.Policy(
        quasi_identifiers={"a": la.flat(), "b": la.flat()},
        require=la.KAnonymity(2),
        linking={"one": ["a"], "two": ["b"]},
    )
    assert la.solve(la.prepare(table, policy)).cost == 0
    with pytest.raises(la.NotSuited, match="several"):
        la.solve(la.prepare(table, policy), la.MuArgus())
    with pytest.raises(la.PolicyError, match="discernibility counts the classes"):
        replace(policy, metric=la.Discernibility())


def test_suppressing_for_one_set_may_leave_others_alone_over_another():
    """Row 4 stands out by a; without it, row 3 stands out by b."""
    table = pa.table({"a": ["1", "1", "1", "2"], "b": ["x", "x", "y", "y"]})
    policy = la.Policy(
        quasi_identifiers={"a": la.flat(), "b": la.flat()},
        require=la.KAnonymity(2),
        linking={"one": ["a"], "two": ["b"]},
        suppress=2,
        levels={"a": (0, 0), "b": (0, 0)},
    )
    release = la.anonymize(table, policy)
    assert release.solution.suppressed == 2
    assert release.table.to_pydict() == {"a": ["1", "1"], "b": ["x", "x"]}


def datafly_levels(**given):
    table = pa.table(
        {
            "a": [str(i % 6) for i in range(24)],
            "b": [str(i % 4) for i in range(24)],
            "c": [str(i % 3) for i in range(24)],
        }
    )
    policy = la.Policy(
        quasi_identifiers=dict.fromkeys("abc", la.flat()), require=la.KAnonymity(4), **given
    )
    return la.solve(la.prepare(table, policy), la.Datafly()).recoding.levels


def test_datafly_coarsens_by_distinct_values_times_likelihood_times_tolerance():
    """Six, four and three distinct values; b alone at * would do, and then a and c."""
    assert datafly_levels() == (1, 1, 0)
    assert datafly_levels(distort={"a": 0.1}) == (0, 1, 0)
    assert datafly_levels(distort={"a": 0.0}) == (0, 1, 0)
    likely = {"all": {"a": 0.1, "b": 1.0, "c": 1.0}}
    assert datafly_levels(linking=likely) == (0, 1, 0)
    both = {"all": {"a": 1.0, "b": 0.5, "c": 1.0}}
    assert datafly_levels(linking=both, distort={"b": 0.2}) == (1, 0, 1)


def test_complementary_suppression_leaves_nobody_out_alone():
    table = pa.table({"a": ["1"] * 5 + ["2"] * 3 + ["3"]})
    policy = la.Policy(quasi_identifiers={"a": la.flat()}, require=la.KAnonymity(3), suppress=5)
    plain = la.anonymize(table, policy, la.Datafly())
    assert plain.solution.suppressed == 1
    full = la.anonymize(table, policy, la.Datafly(complementary=True))
    assert full.solution.suppressed == 3
    assert Counter(full.table.to_pydict()["a"]) == {"1": 3, "2": 3}
    tight = la.Policy(quasi_identifiers={"a": la.flat()}, require=la.KAnonymity(3), suppress=2)
    assert la.anonymize(table, tight, la.Datafly(complementary=True)).solution.suppressed == 0


@pytest.mark.parametrize("part", range(2))
def test_complementary_suppression_keeps_every_set_and_leaves_out_k_or_nobody(part):
    """On random tables; those of which rows are left out are released, recounted and verified."""
    joined = 0
    for one, linking in some_problems(max(120, effort(900)), 200 + part):
        policy = replace(tiny.policy(one, la.Precision()), linking=linking)
        counts = tiny.counts(one)
        problem = Problem(policy, counts, tabulate(policy, counts)[0])
        solution = la.solve(problem, la.Datafly(complementary=True))
        assert not 0 < solution.suppressed < one.k
        assert solution.suppressed <= one.allowance
        assert all(
            f.holds for f in check_claim(CountedOriginal(counts, problem.tables, policy), solution)
        )
        if solution.suppressed:
            table = tiny.table(one)
            release = la.release(table, la.prepare(table, policy), solution)
            columns = release.table.to_pydict()
            for names in linking.values():
                counted = [columns[name] for name, by in names.items() if by]
                assert _safe(list(zip(*counted, strict=True)), one.k)
            joined += la.solve(problem, la.Datafly()).suppressed < solution.suppressed
    assert joined > 3


def test_rows_join_the_suppressed_only_where_every_set_can_spare_them():
    """The 2 stands out, and two rows must join it: of 1x, x is left with one; of 3y, 3 is; of 1y
    none is."""
    table = pa.table({"a": list("111113332"), "b": list("xxxyyyyyy")})
    policy = la.Policy(
        quasi_identifiers={"a": la.flat(), "b": la.flat()},
        require=la.KAnonymity(3),
        linking={"one": ["a"], "two": ["b"]},
        suppress=3,
        levels={"a": (0, 0), "b": (0, 0)},
    )
    release = la.anonymize(table, policy, la.Datafly(complementary=True))
    assert release.table.to_pydict() == {"a": list("111333"), "b": list("xxxyyy")}


def test_a_bound_by_rows_that_share_all_columns_is_refused_for_several_sets():
    """Nobody is alike throughout, and yet nothing need be starred: each set is safe as it is."""
    table = pa.table({"a": ["1", "1", "2", "2"], "b": ["x", "y", "x", "y"]})
    policy = la.Policy(
        quasi_identifiers={"a": la.flat(), "b": la.flat()},
        require=la.KAnonymity(2),
        linking={"one": ["a"], "two": ["b"]},
    )
    problem = la.prepare(table, policy)
    true = la.solve(problem, la.Datafly(complementary=True))
    assert true.cost == 0
    levels = np.ones((4, 2), dtype=np.int16)
    stars = la.CellMap(problem.names, np.arange(4), np.ones(4, dtype=np.int64), levels)
    forged = replace(
        true, recoding=stars, cost=1.0, classes=1, status=la.FEASIBLE, bound=0.5,
        proof=replace(true.proof, by=By.SUPPORT_BOUND),
    )  # fmt: skip
    with pytest.raises(la.ReleaseRefused) as caught:
        la.release(table, problem, forged)
    assert [fault.where for fault in caught.value.faults] == ["bound"]


def test_the_anonymity_level_computes_to_k():
    assert [la.KAnonymity.at_level(level).k for level in (0, 0.5, 0.8, 0.9, 0.95)] == [
        2, 2, 5, 10, 20,
    ]  # fmt: skip
    with pytest.raises(ValueError, match="anonymity level"):
        la.KAnonymity.at_level(1)


@pytest.mark.parametrize("kind", ["pyarrow", "pandas", "polars", "duckdb", "csv"])
def test_only_eligible_rows_are_released(kind, tmp_path):
    from engine_kinds import make

    table = pa.table(
        {
            "a": ["1", "1", "2", "2", "3"],
            "consent": ["yes", "yes", "yes", "yes", "no"],
            "year": [2001, 2002, 2001, 2002, 2001],
        }
    )
    policy = la.Policy(
        quasi_identifiers={"a": la.flat()},
        insensitive=["consent", "year"],
        require=la.KAnonymity(2),
        eligible={"consent": ["yes", "perhaps"], "year": ["2001", "2002"]},
    )
    release = la.anonymize(make(table, kind, tmp_path), policy)
    assert release.solution.cost == 0
    assert release.solution.rows == 4
    assert release.certificate.content["eligible"] == ["consent", "year"]
    assert release.certificate.content["rows"]["table"] == 5
    said = {finding.check: finding.sentence for finding in release.certificate.findings}
    assert said["eligible"] == "4 of 5 rows of the table were eligible, by consent, year."
    path = release.write(tmp_path / "out.parquet")
    import pyarrow.parquet as pq

    assert pq.read_table(path)["a"].to_pylist() == ["1", "1", "2", "2"]


def some_eligible(values=("yes",)):
    table = pa.table({"a": ["1", "1", "2", "2", "2"], "consent": ["yes"] * 4 + ["no"]})
    policy = la.Policy(
        quasi_identifiers={"a": la.flat()},
        insensitive="consent",
        require=la.KAnonymity(2),
        eligible={"consent": values},
    )
    return table, policy, la.anonymize(table, policy)


def test_the_verifier_counts_the_eligible_on_its_own():
    from lookalike.tables.open import open_table
    from lookalike.verifier.rows.eligible_rows import eligible_rows

    table, policy, _ = some_eligible()
    assert eligible_rows(open_table(table), policy.eligible, 4).holds
    found = eligible_rows(open_table(table), policy.eligible, 5)
    assert not found.holds
    assert found.sentence == "4 of 5 rows of the table were eligible, but 5 were taken."


def test_a_certificate_must_say_how_many_rows_were_eligible():
    table, policy, release = some_eligible()
    inside = {"original": table, "policy": policy, "solution": release.solution}
    assert la.verify(release.table, release.certificate, **inside).passed
    content = json.loads(release.certificate.to_json())
    content["rows"]["table"] = 6
    assert not la.verify(release.table, la.Certificate(content)).passed
    del content["rows"]["table"]
    content["findings"] = [one for one in content["findings"] if one["check"] != "eligible"]
    assert not la.verify(release.table, la.Certificate(content)).passed


def test_without_eligible_rows_nothing_is_said_of_them():
    table, policy, _ = some_eligible()
    content = la.anonymize(table, replace(policy, eligible={})).certificate.content
    assert "table" not in content["rows"]
    assert "eligible" not in [one["check"] for one in content["findings"]]


def test_a_promise_names_the_columns_it_is_about():
    table = pa.table({"a": ["1", "1", "2", "2"], "b": ["x", "y", "x", "y"]})
    policy = la.Policy(
        quasi_identifiers={"a": la.flat(), "b": la.flat()},
        require=la.KAnonymity(2),
        linking={"one": ["a"], "two": ["b"]},
    )
    content = la.anonymize(table, policy).certificate.content
    first, second = content["promise"]
    assert "over a alone" in first
    assert "over b alone" in second
