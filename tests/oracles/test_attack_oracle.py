"""The attack finds just what brute force over all pairs finds, whatever made the release."""

from __future__ import annotations

import math
import random

import attack_oracle as oracle
import pyarrow as pa
import pytest
from effort import effort

import lookalike as la
from lookalike.attacking import candidates
from lookalike.attacking.record_linkage import Linkage, match_tables
from lookalike.tables.open import open_table

JOBS = [
    ["nurse", "care", "health"], ["doctor", "care", "health"], ["cook", "kitchen", "house"],
    ["baker", "kitchen", "house"], ["porter", "doors", "house"], ["clerk, senior", "desk", "house"],
]  # fmt: skip
GRADES = ["low", "fair", "mid", "good", "high"]
HIERARCHIES = {
    "age": la.bands(5, 10, 20),
    "zip": la.prefix(),
    "born": la.dates(quarters=True),
    "job": la.tree(JOBS),
    "grade": la.ordered(GRADES, widths=[2, 4]),
    "sex": la.flat(),
}


def cell(rng, name, nulls):
    if nulls and rng.random() < 0.1:
        return None
    return {
        "age": lambda: str(rng.randint(-3, 40)),
        "zip": lambda: "".join(rng.choice("12") for _ in range(rng.choice([3, 4, 4, 4]))),
        "born": lambda: (
            f"{rng.randint(1959, 1971)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        ),
        "job": lambda: rng.choice(JOBS)[0],
        "grade": lambda: rng.choice(GRADES),
        "sex": lambda: rng.choice("fm"),
    }[name]()


def tables(rng, names, nulls):
    """A table with a diagnosis, and outsiders: some of its people, and others."""
    rows = [tuple(cell(rng, name, nulls) for name in names) for _ in range(rng.randint(6, 25))]
    others = [tuple(cell(rng, name, nulls) for name in names) for _ in range(rng.randint(0, 12))]
    people = rng.sample(rows, rng.randint(1, len(rows))) + others
    sick = [rng.choice(["flu", "flu", "flu", "hiv", "cold", None]) for _ in rows]
    strings = pa.string()
    table = pa.table(
        {n: pa.array([row[i] for row in rows], strings) for i, n in enumerate(names)}
        | {"sick": pa.array(sick, strings)}
    )
    voters = pa.table({n: pa.array([p[i] for p in people], strings) for i, n in enumerate(names)})
    return table, voters, people


def policy(names, k, **more):
    return la.Policy(
        quasi_identifiers={name: HIERARCHIES[name] for name in names},
        sensitive=["sick"],
        require=la.KAnonymity(k),
        **more,
    )


def texts(table, names):
    return list(zip(*(table.column(name).cast(pa.string()).to_pylist() for name in names)))  # noqa: B905


def agree(found, expected):
    [sick] = found.learned
    assert found.nobody == expected["nobody"]
    assert found.one_row == expected["one_row"]
    assert found.certain == expected["certain"]
    assert found.fewest == expected["fewest"]
    assert found.mean == pytest.approx(float(expected["mean"]))
    assert sick.homogeneous == expected["homogeneous"]
    assert sick.certainty == pytest.approx(float(expected["certainty"]))
    assert sick.largest_ratio == pytest.approx(float(expected["ratio"]))
    assert sick.largest_gain == pytest.approx(float(expected["gain"]), abs=1e-12)
    assert sick.nearly_sure == expected["nearly_sure"]
    assert sick.doubled == expected["doubled"]
    people = expected["candidates"]
    for bar in found.histogram:
        most = bar.most if bar.most is not None else 10**9
        assert bar.people == sum(bar.least <= len(one) <= most for one in people)


def releases(seed, count, names, by, nulls=False, **more):
    """Random releases; what cannot be made safe is drawn anew."""
    rng = random.Random(seed)
    made = 0
    while made < count:
        some = rng.sample(names, rng.randint(1, min(3, len(names))))
        table, voters, people = tables(rng, some, nulls and rng.random() < 0.5)
        k = rng.randint(2, 4)
        asked = policy(some, k, suppress=rng.choice([0, 0.3]), **more)
        try:
            release = la.anonymize(table, asked, by=by)
        except la.Infeasible:
            continue
        made += 1
        yield asked, k, table, release, voters, people, some


ORDERED = ["age", "born", "job", "grade"]
KINDS = {
    "full-domain": ("flash", list(HIERARCHIES), {}),
    "cell by cell": ("mondrian", list(HIERARCHIES), {}),
    "cuts": ("greedy", ORDERED, {"metric": "discernibility"}),
    "intervals": ("mondrian", ["sex", "job"], {"show": {"age": "interval", "born": "interval"}}),
}
CASES = effort(8)


@pytest.mark.parametrize("kind", KINDS)
def test_releases_are_attacked_as_brute_force_does(kind):
    for asked, k, table, release, voters, people, some in cases(kind):
        released = release.table
        rows = texts(released, some)
        sick = released.column("sick").to_pylist()
        hierarchies = [HIERARCHIES[name] for name in some]
        expected = oracle.attack(rows, sick, people, hierarchies)
        found = la.attack(released, voters, some, policy=asked)
        agree(found.after, expected)
        assert not any(one.labels for one in found.after.not_understood)
        plain = oracle.attack(rows, sick, people, [None] * len(some))
        agree(la.attack(released, voters, some).after, plain)
        originals(asked, k, table, release, some)


def cases(kind):
    by, names, more = KINDS[kind]
    if "show" not in more:
        yield from releases(len(kind), CASES, names, by, nulls=True, **more)
        return
    rng = random.Random(7)
    for _ in range(CASES):
        some = ["age", "born", *rng.sample(names, rng.randint(0, 2))]
        table, voters, people = tables(rng, some, rng.random() < 0.5)
        k = rng.randint(2, 4)
        asked = policy(some, k, **more)
        yield asked, k, table, la.anonymize(table, asked, by=by), voters, people, some


def originals(asked, k, table, release, some):
    """Each original row, as an outsider, is fitted by k rows or more, unless it was left out."""
    found = la.attack(release.table, table.select(some), some, policy=asked).after
    assert found.nobody <= table.num_rows - release.table.num_rows
    assert found.fewest >= k or found.nobody == found.people


def test_a_join_and_bitmaps_find_the_same(monkeypatch):
    for asked, _, _, release, voters, _, some in releases(
        11, effort(25), list(HIERARCHIES), "mondrian"
    ):
        ours = open_table(release.table).count_groups(some, ["sick"])
        theirs = open_table(voters).count_groups(some)
        meeting = match_tables(ours, theirs, asked.hierarchies)
        monkeypatch.setattr(candidates, "PAIR_COST", 0)
        join = Linkage("t", meeting, ["sick"]).result()
        monkeypatch.setattr(candidates, "PAIR_COST", math.inf)
        bitmaps = Linkage("t", meeting, ["sick"]).result()
        assert join == bitmaps


def test_a_raw_table_is_attacked_as_brute_force_does():
    rng = random.Random(5)
    for _ in range(effort(60)):
        some = rng.sample(list(HIERARCHIES), 2)
        table, voters, people = tables(rng, some, True)
        sick = table.column("sick").to_pylist()
        found = la.attack(table, voters, some)
        agree(found.after, oracle.attack(texts(table, some), sick, people, [None, None]))


def test_two_releases_held_together_are_attacked_as_brute_force_does():
    rng = random.Random(9)
    for _ in range(effort(25)):
        some = rng.sample(list(HIERARCHIES), 2)
        table, voters, people = tables(rng, some, False)
        asked = policy(some, 2)
        one = la.anonymize(table, asked, by="flash").table
        other = la.anonymize(table, asked, by="mondrian").table
        hierarchies = [HIERARCHIES[name] for name in some]
        sides = [(texts(t, some), t.column("sick").to_pylist()) for t in (one, other)]
        expected = oracle.both(*sides, people, hierarchies)
        found = la.attack(one, voters, some, policy=asked, also=other).together
        assert found.people == expected["people"]
        assert found.values[0].one_left == expected["one_left"]
        assert found.values[0].none_left == expected["none_left"]
        assert found.one_row == expected["one_row"]
        assert found.fewest == expected["fewest"]
