"""A recoding by cuts is released alike by every engine, labels and suppressed rows and all."""

import datetime as dt
import random
from dataclasses import replace

import pyarrow as pa
import pytest
from cut_recodings import GivenCuts
from effort import THOROUGH
from engine_kinds import KINDS, make, read

import lookalike as la

JOBS = {"care": ["nurse", "doctor"], "craft": ["smith", "baker", "cook"], "none": ["none"]}


def people(rows, seed):
    rng = random.Random(seed)
    jobs = [job for group in JOBS.values() for job in group]
    return pa.table(
        {
            "ill": [rng.choice(["flu", "cold", None, "ache"]) for _ in range(rows)],
            "age": [rng.choice([21, 22, 23, 35, 36, 100, None]) for _ in range(rows)],
            "born": [dt.date(1960 + rng.randrange(3) * 9, 5, 1) for _ in range(rows)],
            "job": [rng.choice([*jobs, None]) for _ in range(rows)],
            "sex": [rng.choice(["f", "m"]) for _ in range(rows)],
            "cost": [rng.choice([1.5, 2.0, 30.25]) for _ in range(rows)],
        }
    )


POLICY = la.Policy(
    quasi_identifiers={
        "age": la.bands(5, 20),
        "job": la.tree(JOBS),
        "born": la.dates(),
        "sex": la.flat(),
    },
    sensitive=["ill", "cost"],
    require=la.KAnonymity(3),
    metric=la.Discernibility(),
    suppress=1.0,
)


@pytest.mark.parametrize("kind", KINDS if THOROUGH else KINDS[1::2])
@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_random_cuts_are_released_alike(kind, suppressed, tmp_path):
    """The same solution, to the same rows; numbers in a CSV are text, and ages are read as such."""
    policy = replace(POLICY, conventions=la.Conventions(suppressed=suppressed, stars="wildcard"))
    by = GivenCuts(share=0.4)
    for seed in range(2 if THOROUGH else 1):
        folder = tmp_path / f"{seed}"
        folder.mkdir()
        original = people(150, seed)
        reference = la.anonymize(original, policy, by, seed=seed)
        table = make(original, kind, folder)
        problem = la.prepare(table, policy)
        solution = la.solve(problem, by, seed=seed)
        assert solution.recoding == reference.solution.recoding
        assert (solution.cost, solution.bound) == (
            reference.solution.cost,
            reference.solution.bound,
        )
        release = la.release(table, problem, solution)
        again = la.verify(
            release.table, release.certificate, original=table, policy=policy, solution=solution
        )
        assert again.passed, again.findings
        if kind == "csv":
            assert sorted(read(release.table)[1], key=repr) == sorted(
                (tuple(map(as_csv, row)) for row in read(reference.table)[1]), key=repr
            )
        else:
            told, expected = release.certificate.content, reference.certificate.content
            assert told == expected


def as_csv(cell):
    return None if cell is None else cell.removesuffix(".0")


def test_intervals_as_they_are_released():
    table = pa.table(
        {
            "age": [21, 22, 35, 36, 70, 71, None, 21],
            "sex": ["f", "m", "f", "m", "f", "m", "f", "m"],
        }
    )
    policy = replace(
        POLICY,
        quasi_identifiers={"age": la.bands(5), "sex": la.flat()},
        sensitive=(),
        require=la.KAnonymity(2),
    )
    release = la.anonymize(table, policy, GivenCuts(((2, 4), ())))
    names, rows = read(release.table)
    assert names == ["age", "sex"]
    assert rows == [
        *[("[20, 25)", "*")] * 3,
        *[("[35, 40)", "*")] * 2,
        *[("[70, 75) or missing", "*")] * 3,
    ]
    whole = la.anonymize(table, policy, GivenCuts(((), (1,))))
    assert read(whole.table)[1] == [("*", "f")] * 4 + [("*", "m")] * 4
    kept = whole.certificate.content["columns"]["sex"]
    assert kept["shown"] == "unchanged"


def test_an_interval_whose_rows_are_all_suppressed_leaves_no_trace():
    table = pa.table({"age": [20, 21, 30, 31, 97], "ill": ["a"] * 5, "cost": [1.0] * 5})
    policy = replace(
        POLICY, quasi_identifiers={"age": la.bands(5)}, require=la.KAnonymity(2), suppress=1
    )
    release = la.anonymize(table, policy, GivenCuts(((2, 4),)))
    told = release.certificate.content["columns"]["age"]
    assert told["intervals"] == 2
    assert told["shown"] == "cut into 2 intervals: [20, 25), [30, 35)"
    assert "97" not in str(release.certificate.content["columns"])


@pytest.mark.parametrize("ages", [[], [3, 3, 3], [None, None, None]])
@pytest.mark.parametrize("low", [0, 1])
def test_a_column_with_nothing_to_cut(ages, low):
    table = pa.table(
        {
            "age": pa.array(ages, pa.int64()),
            "ill": pa.array(["a"] * len(ages), pa.string()),
            "cost": [1.0] * len(ages),
        }
    )
    policy = replace(POLICY, quasi_identifiers={"age": la.bands(5)}, levels={"age": (low, 2)})
    problem = la.prepare(table, policy)
    solution = la.solve(problem, GivenCuts(((),)))
    assert la.release(table, problem, solution).certificate.passed
    looked = la.examine(table, problem, solution)
    shown = "[0, 5)" if low else "3"
    assert [row[0] for row in read(looked.table)[1]] == [shown if age else None for age in ages]
