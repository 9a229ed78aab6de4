"""Two releases of the same people: what an exhaustive attacker finds, the ledger refuses; no more.

The attacker works on rows, with dicts: for every person in both releases, who shares both classes?
"""

import json
import random
import stat

import oracle
import pyarrow as pa
import pytest
import tiny
from effort import THOROUGH, effort

import lookalike as la
from lookalike.releasing.ledger import normalized, promised_k
from lookalike.tables.open import open_table
from lookalike.verifier.rows.joint_releases import ClassMembership, joint_exposures

CASES = effort(500) if THOROUGH else 20


def released(people, hierarchies, levels, k):
    """Person -> labels, of a release at these levels; those in small classes are left out."""
    shown = oracle.recode([row for _, row in people], hierarchies, levels)
    sizes = {labels: shown.count(labels) for labels in shown}
    return {
        name: labels for (name, _), labels in zip(people, shown, strict=True) if sizes[labels] >= k
    }


def attacked(first, second, k):
    """People in both with fewer than k candidates."""
    both = first.keys() & second.keys()
    return {
        one
        for one in both
        if sum(first[p] == first[one] and second[p] == second[one] for p in both) < k
    }


def table_of(people, columns):
    rows = list(zip(*(row for _, row in people), strict=True))
    return pa.table({"name": [n for n, _ in people], **dict(zip(columns, rows, strict=True))})


def policy_of(problem, columns, levels, k, allowance):
    trees = [la.tree(list(hierarchy.values())) for hierarchy in problem.hierarchies]
    return la.Policy(
        quasi_identifiers=dict(zip(columns, trees, strict=True)),
        identifiers="name",
        require=la.KAnonymity(k),
        suppress=allowance,
        levels={name: (level, level) for name, level in zip(columns, levels, strict=True)},
    )


def solved(table, policy):
    return la.solve(la.prepare(table, policy))


def accepted(ledger, table, policy):
    """The classes of a release, which the ledger accepts or refuses."""
    classes = ledger.person_classes(open_table(table), policy, solved(table, policy))
    ledger.refuse_exposed(classes)
    return classes


def random_case(rng, problem):
    """A quarter and the next: some people leave, some come, and the recoding is another."""
    people = [(f"person {i}", row) for i, row in enumerate(problem.rows)]
    leave = rng.choice([0.0, 0.0, 0.2, 0.5])
    come = rng.choice([0, 0, 3])
    after = [one for one in people if rng.random() >= leave]
    drawn = rng.choices(problem.rows, k=come)
    after += [(f"person {len(people) + i}", row) for i, row in enumerate(drawn)]
    heights = oracle.heights(problem.hierarchies)
    levels = [[rng.randint(0, height) for height in heights] for _ in range(2)]
    return people, after, levels


def test_what_an_exhaustive_attacker_finds_is_refused_and_nothing_else(tmp_path):
    rng = random.Random(3)
    made = refused = 0
    for number, problem in enumerate(tiny.tiny_problems(100_000, seed=33)):
        people, after, (first_levels, second_levels) = random_case(rng, problem)
        k, columns = 2 if rng.random() < 0.7 else 3, tiny.names(problem)
        first = released(people, problem.hierarchies, first_levels, k)
        second = released(after, problem.hierarchies, second_levels, k)
        if not first or not second:
            continue
        ledger = la.Ledger(tmp_path / f"ledger {number}")
        before = table_of(people, columns)
        asked_first = policy_of(problem, columns, first_levels, k, 1.0)
        new = accepted(ledger, before, asked_first)
        with ledger.enter("first.csv", open_table(before), asked_first, new, ""):
            pass
        now = table_of(after, columns)
        asked_second = policy_of(problem, columns, second_levels, k, 1.0)
        exposed = attacked(first, second, k)
        if exposed:
            refused += 1
            with pytest.raises(la.ReleaseRefused, match="candidates") as error:
                accepted(ledger, now, asked_second)
            many = "1 person" if len(exposed) == 1 else f"{len(exposed)} people"
            assert many in str(error.value)
        else:
            accepted(ledger, now, asked_second)
        made += 1
        if made == CASES:
            break
    assert 0.1 < refused / made < 0.9


def test_three_releases_and_people_with_several_rows_agree_with_sets():
    rng = random.Random(4)
    for _ in range(effort(2000)):
        many = rng.randint(2, 9)
        names = [f"{i:02d}".encode() for i in range(many)]
        releases = []
        for _ in range(rng.randint(2, 4)):
            rows = [(name, rng.randint(0, 2)) for name in names if rng.random() < 0.8]
            rows += [(rng.choice(names), rng.randint(0, 2)) for _ in range(rng.randint(0, 2))]
            releases.append((rows, rng.choice([2, 2, 3])))
        new = releases[0]
        grouped = [
            ClassMembership(
                pa.array([name for name, _ in rows]).to_numpy(zero_copy_only=False).astype("S2"),
                pa.array([of for _, of in rows], pa.int64()).to_numpy(),
                k,
            )
            for rows, k in releases
        ]
        expected = False
        for k in (2, 3):
            asked = [rows for rows, promised in releases if promised >= k]
            if new[1] < k:
                continue
            for person in {name for name, _ in new[0]}:
                inside = [rows for rows in asked if person in {name for name, _ in rows}]
                if len(inside) > 1:
                    expected = expected or _fewest(inside, person) < k
        assert bool(joint_exposures(grouped[0], grouped[1:])) == expected, releases


def _fewest(releases, person):
    """The fewest people who share a class with the person in every release."""
    sets = []
    for rows in releases:
        classes = {of for name, of in rows if name == person}
        sets.append([{name for name, of in rows if of == one} for one in classes])
    best = None
    stack = [(0, None)]
    while stack:
        at, so_far = stack.pop()
        if at == len(sets):
            best = len(so_far) if best is None else min(best, len(so_far))
            continue
        for one in sets[at]:
            stack.append((at + 1, one if so_far is None else so_far & one))
    return best


# --- the folder -----------------------------------------------------------------------------------

PATIENTS = pa.table(
    {
        "name": [f"patient {i}" for i in range(12)],
        "age": [30, 31, 32, 33, 34, 35, 40, 41, 42, 43, 44, 45],
        "sex": ["f", "m"] * 6,
        "ill": ["flu", "cold", "hiv"] * 4,
    }
)


def asked(**levels):
    return la.Policy(
        quasi_identifiers={"age": la.bands(2, 4, 20), "sex": la.flat()},
        identifiers="name",
        sensitive="ill",
        require=la.KAnonymity(2),
        levels={name: (level, level) for name, level in levels.items()},
    )


def test_a_refusal_proposes_a_recoding_that_is_admitted(tmp_path):
    by_sex = la.anonymize(PATIENTS, asked(age=3, sex=0))
    by_sex.write(tmp_path / "sex.csv", ledger=tmp_path / "ledger")
    narrow = la.Policy(
        quasi_identifiers={"age": la.bands(2, 4, 20), "sex": la.flat()},
        identifiers="name",
        sensitive="ill",
        require=la.KAnonymity(2),
        levels={"sex": (1, 1)},
    )
    by_age = la.anonymize(PATIENTS, narrow)
    assert by_age.solution.recoding.levels == (1, 1)
    with pytest.raises(la.ReleaseRefused, match="age at level 3, sex at level 1") as error:
        by_age.write(tmp_path / "age.csv", ledger=tmp_path / "ledger")
    assert "1 at worst" in str(error.value)
    assert not (tmp_path / "age.csv").exists()
    repaired = la.anonymize(PATIENTS, asked(age=3, sex=1))
    repaired.write(tmp_path / "age.csv", ledger=tmp_path / "ledger")


def test_the_folder_is_private_and_tells_no_value(tmp_path):
    release = la.anonymize(PATIENTS, asked(age=3, sex=0))
    release.write(tmp_path / "out.csv", ledger=tmp_path / "ledger")
    assert stat.S_IMODE((tmp_path / "ledger").stat().st_mode) == 0o700
    for path in (tmp_path / "ledger").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        content = path.read_bytes()
        for cell in (b"patient", b"flu", b"hiv", b"cold"):
            assert cell not in content
    [entry] = la.Ledger(tmp_path / "ledger").entries
    assert (entry.release, entry.k, entry.rows) == ("out.csv", 2, 12)


def test_two_ledgers_have_other_digests_for_the_same_people(tmp_path):
    release = la.anonymize(PATIENTS, asked(age=3, sex=0))
    files = []
    for name in ("one", "two"):
        release.write(tmp_path / f"{name}.csv", ledger=tmp_path / name)
        files.append((tmp_path / name / "0001.parquet").read_bytes())
    assert files[0] != files[1]


def test_a_release_that_cannot_be_written_is_not_entered(tmp_path):
    release = la.anonymize(PATIENTS, asked(age=3, sex=0))
    (tmp_path / "out.csv").write_text("mine")
    with pytest.raises(la.FileError):
        release.write(tmp_path / "out.csv", ledger=tmp_path / "ledger")
    assert la.Ledger(tmp_path / "ledger").entries == ()
    assert sorted(path.name for path in (tmp_path / "ledger").iterdir()) == ["last", "ledger.key"]


def test_people_identified_by_other_columns_are_a_fault(tmp_path):
    release = la.anonymize(PATIENTS, asked(age=3, sex=0))
    release.write(tmp_path / "out.csv", ledger=tmp_path / "ledger")
    renamed = PATIENTS.rename_columns(["person", "age", "sex", "ill"])
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(2, 4, 20), "sex": la.flat()},
        identifiers="person",
        sensitive="ill",
        require=la.KAnonymity(2),
        suppress=12,
    )
    with pytest.raises(la.PolicyError, match="nobody could be recognized"):
        la.anonymize(renamed, policy).write(tmp_path / "b.csv", ledger=tmp_path / "ledger")
    by_ill = la.Ledger(tmp_path / "other", person="ill")
    la.anonymize(renamed, policy).write(tmp_path / "b.csv", ledger=by_ill)
    assert by_ill.entries[0].person == ("ill",)


def test_a_folder_of_other_things_is_no_ledger(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(la.FileError, match="not empty"):
        la.Ledger(tmp_path / "mine")


def test_a_ledger_is_created_with_its_first_release_and_is_private(tmp_path):
    table = pa.table({"name": ["a", "b"], "age": [1, 1]})
    policy = la.Policy(
        quasi_identifiers={"age": la.flat()}, identifiers="name", require=la.KAnonymity(2)
    )
    ledger = tmp_path / "ledger"
    release = la.anonymize(table, policy, ledger=ledger)
    assert not ledger.exists()
    release.write(tmp_path / "release.csv")
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o700
    assert [entry.release for entry in la.Ledger(ledger).entries] == ["release.csv"]


@pytest.mark.parametrize(
    ("cell", "same"), [("12", "12.0"), ("Ann Lee", " ann  LEE "), (None, None), ("-3", "-3.00")]
)
def test_people_are_met_again_however_they_are_normalized(cell, same):
    assert normalized(cell) == normalized(same)
    assert normalized("12.5") != normalized("12")
    assert normalized("001") != normalized("1")


def test_the_number_of_known_people_is_reported(tmp_path):
    ledger = la.Ledger(tmp_path / "ledger")
    release = la.anonymize(PATIENTS, asked(age=3, sex=0))
    release.write(tmp_path / "a.csv", ledger=ledger)
    assert (ledger.last.known, ledger.last.people) == (0, 12)
    release.write(tmp_path / "b.csv", ledger=ledger)
    assert ledger.last.returning_people() == "12 of 12 people were in earlier releases"
    others = PATIENTS.set_column(0, "name", [[f"another {i}" for i in range(12)]])
    la.anonymize(others, asked(age=3, sex=0)).write(tmp_path / "c.csv", ledger=ledger)
    assert "spelled differently" in ledger.last.returning_people()


def test_the_k_of_a_ledger_is_what_was_asked_of_sizes():
    rules = [la.KAnonymity(5), la.DistinctDiversity("ill", 7)]
    policy = la.Policy(quasi_identifiers={"age": la.flat()}, sensitive="ill", require=rules)
    assert promised_k(policy) == 5
    assert (
        promised_k(la.Policy(quasi_identifiers={"age": la.flat()}, require=la.MaximumRisk(0.09)))
        == 12
    )


def test_without_identifiers_whole_rows_are_people(tmp_path):
    table = PATIENTS.drop_columns(["name"])
    table = pa.concat_tables([table, table])  # every row twice: two people each
    first, second = (
        la.Policy(
            quasi_identifiers={"age": la.bands(2, 4, 20), "sex": la.flat()},
            sensitive="ill",
            require=la.KAnonymity(2),
            levels={"age": levels, "sex": (0, 0)},
        )
        for levels in [(0, 0), (1, 1)]
    )
    la.anonymize(table, first).write(tmp_path / "a.csv", ledger=tmp_path / "ledger")
    la.anonymize(table, second).write(tmp_path / "b.csv", ledger=tmp_path / "ledger")
    assert len(la.Ledger(tmp_path / "ledger").entries) == 2


@pytest.mark.parametrize(
    "damage", ["key", "another key", "entry", "k", "people", "entry gone", "last", "open to others"]
)
def test_a_damaged_ledger_is_a_fault(damage, tmp_path):
    release = la.anonymize(PATIENTS, asked(age=3, sex=0))
    release.write(tmp_path / "out.csv", ledger=tmp_path / "ledger")
    if damage == "key":
        (tmp_path / "ledger" / "ledger.key").unlink()
    elif damage == "another key":
        (tmp_path / "ledger" / "ledger.key").write_text("ab" * 32)
    elif damage == "k":
        entry = tmp_path / "ledger" / "0001.json"
        entry.write_text(entry.read_text().replace('"k": 2', '"k": 1'))
    elif damage == "entry gone":
        for path in (tmp_path / "ledger").glob("0001.*"):
            path.unlink()
    elif damage == "last":
        (tmp_path / "ledger" / "last").write_text("0 nothing")
    elif damage == "open to others":
        (tmp_path / "ledger").chmod(0o755)
    elif damage == "entry":
        entry = tmp_path / "ledger" / "0001.json"
        entry.write_text(json.dumps({"format": "another"}))
    else:
        (tmp_path / "ledger" / "0001.parquet").write_bytes(b"nothing")
    with pytest.raises(la.FileError):
        release.write(tmp_path / "again.csv", ledger=tmp_path / "ledger")
    assert not (tmp_path / "again.csv").exists()


def test_a_release_by_cells_is_entered_too(tmp_path):
    table = pa.concat_tables([PATIENTS.drop_columns(["name"])] * 3)
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(2, 4, 20), "sex": la.flat()},
        sensitive="ill",
        require=la.KAnonymity(2),
    )
    release = la.anonymize(table, policy, by="mondrian")
    release.write(tmp_path / "a.csv", ledger=tmp_path / "ledger")
    assert len(la.Ledger(tmp_path / "ledger").entries) == 1


def test_equal_rows_released_differently_cannot_be_entered(tmp_path):
    table = pa.table({"age": [30] * 5 + [31] * 3, "ill": ["flu", "cold"] * 4})
    tree = la.tree({"any": ["30", "31"]})
    policy = la.Policy(
        quasi_identifiers={"age": tree}, sensitive="ill", require=la.KAnonymity(4), model="CG_"
    )
    release = la.anonymize(table, policy, by="cell-optimal")
    with pytest.raises(la.NotSuited, match="equal rows were released differently"):
        release.write(tmp_path / "a.csv", ledger=tmp_path / "ledger")
    assert not (tmp_path / "a.csv").exists()
