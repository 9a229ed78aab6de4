"""Kept columns that single rows out: a table like EdX's, and every row against every other."""

from __future__ import annotations

import itertools
import random

import pyarrow as pa
import pytest
from effort import effort

import lookalike as la
from lookalike.attacking.kept_column_linkage import attack_by_kept_columns
from lookalike.errors import PolicyError
from lookalike.tables.open import open_table

# Certificates of six students of the same age group and country. Each course has two or more
# holders and two or more others, so no course alone singles anybody out.
EDX = pa.table(
    {
        "born": ["1980–1989"] * 6,
        "country": ["Chile"] * 6,
        "algebra": ["yes", "yes", "no", "no", "yes", "no"],
        "biology": ["yes", "no", "yes", "no", "no", "yes"],
        "chemistry": ["no", "no", "no", "yes", "yes", "yes"],
        "failed": ["history", "none", "none", "history", "none", "none"],
    }
)
POLICY = la.Policy(
    quasi_identifiers={"born": la.flat(), "country": la.flat()},
    sensitive="failed",
    insensitive=["algebra", "biology", "chemistry"],
    require=la.KAnonymity(2),
)
COURSES = ["algebra", "biology", "chemistry"]


def test_certificates_single_out_students_whom_no_course_singles_out():
    found = attack_by_kept_columns(open_table(EDX), POLICY, known=COURSES)
    assert found.by_number == (0, 6, 6)  # two courses are enough to find somebody
    assert found.together.singled_out == 6
    assert found.sets[0].columns == tuple(COURSES)
    assert found.learned == 6  # and it tells which course a student has failed
    assert "single out 6 of 6 rows" in " ".join(found.sentences)
    assert "history" not in repr(found) + " ".join(found.sentences)


def test_agrees_with_comparing_every_row_with_every_other():
    rng = random.Random(721)
    for _ in range(effort(500)):
        rows = rng.randint(1, 12)
        names = ["q", "r", *"abcd"[: rng.randint(0, 4)]]
        table = {
            name: [rng.choice("xyz"[: rng.randint(1, 3)]) for _ in range(rows)] for name in names
        }
        kept = names[2:]
        known = kept if rng.random() < 0.5 else rng.sample(kept, rng.randint(0, len(kept)))
        policy = la.Policy(
            quasi_identifiers={"q": la.flat(), "r": la.flat()},
            insensitive=kept,
            require=la.KAnonymity(rng.choice([2, 3])),
        )
        found = attack_by_kept_columns(open_table(pa.table(table)), policy, known=known)
        expected = brute_force(table, rows, known, kept, policy.smallest)
        sets = {own.columns: (own.singled_out, own.below_k, own.alone) for own in found.sets}
        assert sets == expected["sets"]
        assert list(found.by_number) == expected["by_number"]
        assert found.learned == expected["learned"]
        if known:
            assert found.together.singled_out == len(alone(table, rows, ["q", "r", *known]))


def brute_force(table, rows, known, kept, k):
    sets, single, learned = {}, {}, set()
    for size in range(1, min(3, len(known)) + 1):
        for choice in itertools.combinations(known, size):
            columns = ["q", "r", *choice]
            unique = alone(table, rows, columns)
            small = [i for i in range(rows) if len(alike(table, rows, i, columns)) < k]
            sets[choice] = len(unique), len(small), len(alone(table, rows, choice))
            for i in unique:
                single.setdefault(i, size)
                hidden = alike(table, rows, i, ["q", "r"])
                if any(len({table[c][j] for j in hidden}) > 1 for c in kept if c not in choice):
                    learned.add(i)
    by_number = [
        sum(size <= number for size in single.values())
        for number in range(1, min(3, len(known)) + 1)
    ]
    return {"sets": sets, "by_number": by_number, "learned": len(learned)}


def alike(table, rows, i, columns):
    return [j for j in range(rows) if all(table[c][i] == table[c][j] for c in columns)]


def alone(table, rows, columns):
    return [i for i in range(rows) if len(alike(table, rows, i, columns)) == 1]


def test_a_column_that_is_not_kept_is_a_fault():
    with pytest.raises(PolicyError, match=r"known\.name"):
        attack_by_kept_columns(open_table(EDX), POLICY, known=["name", "algebra"])


def test_without_kept_columns_there_is_nothing_to_link():
    table = open_table(EDX.select(["born", "country"]))
    found = attack_by_kept_columns(table, POLICY)
    assert found.sentences == ("The release keeps no columns besides the quasi-identifiers.",)


def test_too_many_choices_are_not_examined():
    wide = pa.table({"born": ["a"], **{f"c{i}": [1] for i in range(60)}})
    policy = la.Policy(
        quasi_identifiers={"born": la.flat()},
        insensitive=[f"c{i}" for i in range(60)],
        require=la.KAnonymity(2),
    )
    found = attack_by_kept_columns(open_table(wide), policy)
    assert "60 kept columns" in found.not_examined
    assert found.sentences[0].startswith("Linkage by kept columns was not examined")
