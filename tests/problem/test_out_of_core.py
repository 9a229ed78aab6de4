"""Counts that stay on the engine: same optimum, same bound, and a proof that is re-checked."""

import importlib.util
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tiny
from effort import THOROUGH, effort, thorough

import lookalike as la
from lookalike.counts.bit_codes import WORD_BITS, BitCodes
from lookalike.policy import policy_file as la_file
from lookalike.problem import prepare as preparing
from lookalike.tables.open import open_table

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
METRICS = [
    la.Precision(), la.Loss(), la.Discernibility(), la.Entropy(), la.Height(), la.ClassSize(),
    la.Loss(aggregate="geometric"),
]  # fmt: skip


def out_of_core(table, policy, max_groups, hard_limit=1_000):
    problem = preparing.prepare(open_table(table), policy, hold=0)
    assert not problem.holds_all_tuples
    problem.max_groups, problem.hard_limit = max_groups, hard_limit
    return problem


def some_problems(count, seed):
    for number, one in enumerate(tiny.tiny_problems(count, seed)):
        yield tiny.table(one), tiny.policy(one, METRICS[number % len(METRICS)]), 1 + number % 6


def test_masked_numbers_are_equal_where_codes_are():
    rng = random.Random(3)
    for one in tiny.tiny_problems(effort(100), 11):
        problem = tiny.problem(one, la.Precision())
        codes = BitCodes(problem.tables)
        leaves = np.array(
            [[rng.randrange(t.leaves) for t in problem.tables] for _ in range(30)], dtype=np.int32
        )
        words = [np.zeros(len(leaves), dtype=np.int64) for _ in range(codes.words)]
        for a, column in enumerate(codes.columns):
            words[column.word] += column.number[leaves[:, a]]
        levels = tuple(rng.randint(0, table.height) for table in problem.tables)
        masked = [word & mask for word, mask in zip(words, codes.masks(levels), strict=True)]
        shown = [
            tuple(
                t.codes[leaf, at] for t, leaf, at in zip(problem.tables, row, levels, strict=True)
            )
            for row in leaves
        ]
        same = {}
        for key, tuple_ in zip(zip(*masked, strict=True), shown, strict=True):
            assert same.setdefault(key, tuple_) == tuple_
        assert len(same) == len(set(shown))
        named = codes.leaves(masked, levels)
        for a, (table, level) in enumerate(zip(problem.tables, levels, strict=True)):
            assert (table.codes[named[:, a], level] == table.codes[leaves[:, a], level]).all()


def test_many_columns_take_several_words():
    table = pa.table({f"q{i}": [f"{n:04d}" for n in range(64)] for i in range(9)})
    policy = la.Policy(
        quasi_identifiers={name: la.prefix() for name in table.column_names},
        require=la.KAnonymity(4),
        suppress=8,
        levels=dict.fromkeys(table.column_names, (3, 4)),
    )
    problem = out_of_core(table, policy, 20)
    assert problem.remote.codes.words > 1
    assert all(column.number.max() < 1 << WORD_BITS for column in problem.remote.codes.columns)
    whole = la.solve(la.prepare(table, policy))
    assert la.solve(problem).cost == whole.cost


def test_with_and_without_a_floor_the_optimum_is_the_same_and_proved(tmp_path, monkeypatch):
    """500 problems in a thorough run, with 1 to 6 groups at most at a node of the floor; every
    other one from a file, which is counted by codes. The verifier gets words of all bits or few.
    """
    laid = released = 0
    count = 500 if THOROUGH else 30
    for number, (made, policy, max_groups) in enumerate(some_problems(count, 4)):
        pq.write_table(made, tmp_path / "t.parquet")
        table = tmp_path / "t.parquet" if number % 2 else made
        expected = la.solve(la.prepare(table, policy), "flash")
        problem = out_of_core(table, policy, max_groups)
        found = la.solve(problem)
        claims = [(one.status, one.cost, one.bound) for one in (expected, found)]
        assert claims[0] == claims[1]
        laid += len(problem.floor) > 1
        if found.status is la.OPTIMAL and released < count // 6:
            floor = "lookalike.verifier.claim.lattice.floor_counts"
            monkeypatch.setattr(f"{floor}.MAX_BITS", (62, 3)[released % 2])
            monkeypatch.setattr(f"{floor}.MAX_LISTED", (1 << 20, 2)[released % 2])
            release = la.release(table, problem, found)  # which the verifier has passed
            assert release.certificate.content["claim"]["status"] == "optimal"
            released += 1
    assert laid > count // 12


def census(rows, folder):
    """Birth date, sex, race, zip, education, marital status, occupation, country."""
    spec = importlib.util.spec_from_file_location("scale", BENCHMARKS / "scale.py")
    scale = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scale)
    path = folder / "census.parquet"
    scale.make(path, rows, "1GB")
    return path, [la_file.loads(scale.policy(columns)).policy for columns in (5, 8)]


@thorough
@pytest.mark.parametrize("metric", [la.Loss(), la.Discernibility(), la.Precision()])
def test_a_census_of_mostly_different_people(metric, tmp_path):
    path, policies = census(1_500, tmp_path)
    for policy in (replace(one, metric=metric, suppress=0.05) for one in policies):
        whole = la.prepare(path, policy)
        assert whole.groups > 0.8 * whole.rows
        expected = la.solve(whole, "flash")
        for source in (path, pq.read_table(path)):  # by codes, and in SQL
            found = la.solve(out_of_core(source, policy, 300, 3_000))
            assert found.status is la.OPTIMAL is expected.status
            assert (found.cost, found.bound) == (expected.cost, expected.bound)
            assert found.recoding == expected.recoding
            assert la.release(source, out_of_core(source, policy, 300, 3_000), found)


def test_forged_proofs_above_a_floor_are_refused():
    refused = 0
    for table, policy, max_groups in some_problems(effort(16), 9):
        problem = out_of_core(table, policy, max_groups)
        found = la.solve(problem)
        known_beforehand = problem.least_cost >= found.bound * (1 - 1e-9)
        if found.status is not la.OPTIMAL or found.cost == 0 or known_beforehand:
            continue
        released = la.release(table, problem, found).table
        forgeries = [
            replace(found, cost=found.cost * 0.9, bound=found.cost * 0.9),
            replace(found, proof=replace(found.proof, fingerprint="0" * 64)),
            replace(found, proof=replace(found.proof, nodes=(), refuted=())),
        ]
        if found.proof.refuted:  # those that are kept are needed
            forgeries.append(replace(found, proof=replace(found.proof, refuted=())))
            coarser = (problem.high,) * len(found.proof.refuted)
            forgeries.append(replace(found, proof=replace(found.proof, refuted=coarser)))
        if set(found.proof.nodes) != {problem.high}:
            forgeries.append(replace(found, proof=replace(found.proof, floor=(problem.high,))))
        for forged in forgeries:
            verdict = la.verify(released, original=table, policy=policy, solution=forged)
            assert not verdict.passed
            refused += 1
    assert refused >= 3


def test_several_sets_of_columns_above_a_floor():
    rng = random.Random(8)
    for _ in range(effort(12)):
        rows = rng.randint(8, 20)
        table = pa.table({name: [rng.choice("abcd") for _ in range(rows)] for name in "wxyz"})
        tree = la.tree([["a", "ab"], ["b", "ab"], ["c", "cd"], ["d", "cd"]])
        policy = la.Policy(
            quasi_identifiers=dict.fromkeys("wxyz", tree),
            require=la.KAnonymity(2),
            suppress=rng.choice([0, 2, 5]),
            linking={"one": ["w", "x"], "other": ["y", "z"]},
        )
        expected = la.solve(la.prepare(table, policy), "flash")
        problem = out_of_core(table, policy, 2)
        found = la.solve(problem)
        assert (found.status, found.cost) == (expected.status, expected.cost)
        if found.status is la.OPTIMAL:
            la.release(table, problem, found)


def test_where_even_a_node_has_no_room_it_is_said_what_would_help():
    table = pa.table({name: [f"{n:02d}" for n in range(40)] * 2 for name in "ab"})
    policy = la.Policy(
        quasi_identifiers={"a": la.prefix(), "b": la.prefix()}, require=la.KAnonymity(2)
    )
    with pytest.raises(la.TableError, match="that fit in memory") as raised:
        la.solve(out_of_core(table, policy, 1, 4))
    assert "levels" in raised.value.faults[0].fix


def test_what_wants_every_tuple_refuses_with_a_sentence():
    table, policy, max_groups = next(some_problems(1, 4))
    with pytest.raises(la.NotSuited, match="too many distinct tuples"):
        la.solve(out_of_core(table, policy, max_groups), "samarati")


def test_a_hierarchy_too_high_for_numbers_is_held_whole():
    names = ["a" * at + sign + "z" * (19 - at) for at in range(20) for sign in "bcdefghijklmnop"]
    policy = la.Policy(quasi_identifiers={"name": la.prefix()}, require=la.KAnonymity(2))
    problem = la.prepare(pa.table({"name": names}), policy, hold=0)
    assert problem.holds_all_tuples
    assert la.solve(problem).status is la.OPTIMAL


def test_models_by_cell_and_intervals_hold_every_tuple():
    table = pa.table({"age": [1, 2, 3, 4]})
    for more in ({"model": "CG_"}, {"show": {"age": "interval"}}):
        policy = la.Policy(quasi_identifiers={"age": la.bands(2)}, require=la.KAnonymity(2), **more)
        assert la.prepare(table, policy, hold=0).holds_all_tuples
