"""The attack of the survey's introduction, and what else gives people away."""

from __future__ import annotations

import itertools
import math
import random

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.attacking.record_linkage import Linkage, match_tables
from lookalike.attacking.row_order import row_order
from lookalike.tables.open import open_table

KNOWN = ["dob", "sex", "zip"]
HOSPITAL = pa.table(  # Saroha 2014, section 1.2, spelling included
    {
        "dob": ["1/21/76", "4/13/86", "2/28/76", "1/21/76", "4/13/86", "2/28/76"],
        "sex": ["Male", "Female", "Male", "Male", "Female", "Female"],
        "zip": ["53715", "53715", "53703", "53703", "53706", "53706"],
        "disease": ["Heart Disease", "Hepatitis", "Brochitis", "Broken Arm", "Flu", "Hang Nail"],
    }
)
VOTERS = pa.table(
    {
        "name": ["Andre", "Beth", "Carol", "Dan", "Ellen"],
        "dob": ["1/21/76", "1/10/81", "10/1/44", "2/21/84", "4/19/72"],
        "sex": ["Male", "Female", "Female", "Male", "Female"],
        "zip": ["53715", "55410", "90210", "02174", "02237"],
    }
)
POLICY = la.Policy(
    quasi_identifiers={
        "dob": la.dates(format="%m/%d/%y"),
        "sex": la.flat(),
        "zip": la.prefix(),
    },
    sensitive=["disease"],
    require=la.KAnonymity(2),
)


def test_andre_has_heart_disease():
    found = la.attack(HOSPITAL, VOTERS, KNOWN, name="name", show=20)
    assert (found.after.one_row, found.after.certain, found.after.nobody) == (1, 1, 4)
    [andre] = found.singled_out
    assert andre.name == "Andre"
    assert andre.certain
    assert dict(andre.learned) == {"disease": "Heart Disease"}
    assert found.certainty == 1


@pytest.mark.parametrize("by", ["flash", "mondrian"])
def test_of_a_release_nobody_learns_what_andre_has(by):
    release = la.anonymize(HOSPITAL, POLICY, by=by)
    found = la.attack(release.table, VOTERS, KNOWN, policy=POLICY, before=HOSPITAL, show=20)
    assert found.after.one_row == found.after.certain == 0
    assert found.singled_out == ()
    assert found.after.fewest >= 2
    assert found.after.learned[0].homogeneous == 0
    assert found.certainty <= 1 / 2
    assert found.before.certain == 1


def test_values_are_not_in_what_it_prints():
    shown = repr(la.attack(HOSPITAL, VOTERS, KNOWN, name="name", show=20))
    assert "Andre" not in shown
    assert "Heart" not in shown


def test_homogeneity_and_skewness():
    release = pa.table(
        {"zip": ["1**"] * 3 + ["2**"] * 5, "sick": ["hiv"] * 3 + ["flu"] * 4 + ["hiv"]}
    )
    people = pa.table({"zip": ["101", "102", "201", "301"]})
    [sick] = la.attack(release, people, ["zip"]).after.learned
    assert sick.homogeneous == sick.nearly_sure == 2
    assert sick.doubled == 2  # from 4 in 8 to 3 in 3
    assert sick.certainty == 1
    assert sick.largest_ratio == 2
    assert sick.largest_gain == 0.5


def test_a_column_in_which_all_are_alike_teaches_nothing():
    release = pa.table({"zip": ["1", "1"], "ill": ["yes", "yes"]})
    found = la.attack(release, pa.table({"zip": ["1"]}), ["zip"])
    assert found.after.learned[0].certainty == 0
    assert found.certainty == 1 / 2


def test_labels_that_nobody_can_read_are_counted():
    release = pa.table({"job": ["care", "care", "cook"], "sick": ["a", "b", "c"]})
    people = pa.table({"job": ["nurse", "cook"]})
    found = la.attack(release, people, ["job"])
    [note] = found.after.not_understood
    assert (note.column, note.labels, note.rows) == ("job", 1, 2)
    policy = la.Policy(
        quasi_identifiers={"job": la.tree([["nurse", "care"], ["cook", "kitchen"]])},
        sensitive=["sick"],
        require=la.KAnonymity(2),
    )
    assert la.attack(release, people, ["job"], policy=policy).after.not_understood == ()


def test_columns_may_have_other_names():
    people = VOTERS.rename_columns(["name", "born", "sex", "plz"])
    on = {"dob": "born", "sex": "sex", "zip": "plz"}
    assert la.attack(HOSPITAL, people, on).after == la.attack(HOSPITAL, VOTERS, KNOWN).after


def test_a_person_who_is_not_alone_is_not_found_for_certain():
    twins = pa.table({"zip": ["1", "1"], "name": ["a", "b"]})
    found = la.attack(pa.table({"zip": ["1"], "sick": ["x"]}), twins, ["zip"], name="name", show=5)
    assert (found.after.one_row, found.after.certain) == (2, 0)
    assert [one.name for one in found.singled_out] == ["a", "b"]


def test_empty_tables_are_no_trouble():
    none = pa.table({"zip": pa.array([], pa.string()), "sick": pa.array([], pa.string())})
    some = pa.table({"zip": ["1"], "sick": ["x"]})
    for release, people in itertools.product((none, some), repeat=2):
        found = la.attack(release, people.select(["zip"]), ["zip"], before=some, also=some)
        assert found.after.rows == release.num_rows
        assert found.after.people == people.num_rows


def test_all_faults_are_reported_at_once():
    with pytest.raises(la.PolicyError) as caught:
        la.attack(HOSPITAL, VOTERS, ["dob", "ZIP", "dob"], sensitive=["dob", "ill"], name="who")
    told = {fault.where for fault in caught.value.faults}
    assert {"on.ZIP", "on.dob", "sensitive.dob", "sensitive.ill", "name.who"} <= told


def sick_rows(count, seed=0):
    rng = random.Random(seed)
    return pa.table(
        {
            "age": [f"{rng.randint(20, 59)}" for _ in range(count)],
            "sick": [rng.choice(["flu", "cold"]) for _ in range(count)],
        }
    )


def test_the_original_order_reveals_people():
    table = sick_rows(300)
    decades = [f"[{age[0]}0, {int(age[0]) + 1}0)" for age in table.column("age").to_pylist()]
    kept = table.set_column(0, "age", pa.array(decades))
    shuffled = kept.take(random.Random(1).sample(range(300), 300))
    ordered = kept.sort_by([("age", "ascending"), ("sick", "ascending")])
    [one] = la.attack(kept, table, ["age"]).order
    assert one.gives_away
    assert one.fit == 300
    assert one.expected == pytest.approx(75, abs=10)
    [one] = la.attack(shuffled, table, ["age"]).order
    assert not one.gives_away
    [one] = la.attack(ordered, table.sort_by("age"), ["age"]).order
    assert one.sorted
    assert not one.gives_away


def test_the_order_of_a_release_reveals_nothing():
    table = sick_rows(200)
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(10)}, sensitive=["sick"], require=la.KAnonymity(5)
    )
    release = la.anonymize(table, policy).table
    for one in la.attack(release, table.select(["age"]), ["age"], before=table).order:
        assert one.sorted
        assert not one.gives_away


def test_chance_is_what_all_orders_give():
    rng = random.Random(3)
    for _ in range(20):
        labels = [rng.choice(["1*", "2*", "11", "*"]) for _ in range(5)]
        people = [rng.choice(["11", "12", "21"]) for _ in range(5)]
        release, table = open_table(pa.table({"z": labels})), open_table(pa.table({"z": people}))
        link = Linkage(
            "t", match_tables(release.count_groups(["z"]), table.count_groups(["z"]), {}), ()
        )
        found = row_order(release, table, [("z", "z")], link)
        fits = [
            [label == "*" or label == p or (label[1] == "*" and label[0] == p[0]) for p in people]
            for label in labels
        ]
        sums = [sum(fits[i][j] for i, j in enumerate(o)) for o in itertools.permutations(range(5))]
        mean = sum(sums) / len(sums)
        deviation = math.sqrt(sum((one - mean) ** 2 for one in sums) / len(sums))
        fit = sum(fits[i][i] for i in range(5))
        assert found.fit == fit
        assert found.expected == pytest.approx(mean)
        if deviation > 1e-9:
            assert found.deviations == pytest.approx((fit - mean) / deviation)


def test_two_releases_tell_what_neither_tells_alone():
    rows = pa.table({"zip": ["11", "12", "21", "22"], "age": ["1", "2", "1", "2"]})
    sick = ["flu", "hiv", "cold", "flu"]
    one = rows.set_column(0, "zip", pa.array(["1*", "1*", "2*", "2*"])).drop_columns("age")
    other = rows.set_column(0, "zip", pa.array(["*"] * 4))
    one, other = (t.append_column("sick", pa.array(sick)) for t in (one, other))
    found = la.attack(one, rows, ["zip"], also=one.take([3, 2, 1, 0]))
    assert found.together.values[0].one_left == 0
    found = la.attack(other, rows, ["zip", "age"], also=one).together
    assert found.on == ("zip",)
    assert found.people == 4
    # the first: by age flu or cold, by zip flu or hiv, so flu; the last likewise; others keep two
    assert found.values[0].one_left == 2
    assert found.one_row == 2
    assert found.fewest == 1
    assert found.certainty == 1
