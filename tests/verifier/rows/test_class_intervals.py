"""``show = "interval"``: a class shows where it really begins and ends; nothing else passes."""

import math
import random
from datetime import date, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest
from effort import effort

import lookalike as la
from lookalike.policy.policy_file import dumps, loads

BY = [la.LatticeGreedy(), la.Flash(), la.Mondrian()]
TREE = la.tree([[str(n), f"{n // 4 * 4}s", "all"] for n in range(-9, 40)])


def random_case(seed):
    """A table whose rows differ in a kept column, and a policy that shows intervals."""
    rng = random.Random(seed)
    rows = rng.randint(6, 30)

    def some(draw, nulls=0.1):
        return [None if rng.random() < nulls else draw() for _ in range(rows)]

    begin = date(1990, 1, 1)
    table = pa.table(
        {
            "age": pa.array(some(lambda: rng.randint(-3, 12)), pa.int64()),
            "size": pa.array(some(lambda: rng.choice(["1", "1.0", "1.50", "-0", "2", "7"]))),
            "day": pa.array(some(lambda: begin + timedelta(days=rng.randint(0, 700))), pa.date32()),
            "steps": pa.array(some(lambda: str(rng.randint(-9, 9)))),
            "sex": pa.array(some(lambda: rng.choice("mf"), 0.05)),
            "row": pa.array(range(rows), pa.int64()),
        }
    )
    columns = {
        "age": la.bands(2, 4, 8),
        "size": la.bands(1, 5),
        "day": la.dates(),
        "steps": TREE,
        "sex": la.flat(),
    }
    asked = rng.sample(["age", "size", "day", "steps"], rng.randint(1, 3))
    chosen = [*asked, "sex"]
    finest = {"age": 1, "size": 1, "day": 4, "steps": 0}
    levels = {
        name: (rng.randint(0, finest[name]), columns[name].tabulate(name, ()).height)
        for name in asked
    }
    levels.pop("steps", None)
    policy = la.Policy(
        quasi_identifiers={name: columns[name] for name in chosen},
        require=la.KAnonymity(rng.randint(2, 3)),
        insensitive="row",
        suppress=rng.choice([0, 0, 3]),
        levels=levels if rng.random() < 0.5 else {},
        conventions=la.Conventions(suppressed=rng.choice(["drop", "star"])),
        show=dict.fromkeys(asked, "interval"),
    )
    return table.select([*chosen, "row"]), policy, rng


def expected_label(name, values, low):
    """Written from what the policy file's reference says, for one class."""
    known = [value for value in values if value is not None]
    tail = " or missing" if len(known) < len(values) else ""
    if name == "day":
        first, last = min(known), max(known)
        written = {1: "%Y-%m", 2: "%Y"}.get(low, "%Y-%m-%d")
        begin, end = first.strftime(written), last.strftime(written)
        if low > 2:
            span = {3: 5, 4: 10}[low]
            begin, end = first.year // span * span, last.year // span * span + span - 1
            return (f"{begin}–{end}" if end - begin < span else f"[{begin} … {end}]") + tail
        return (begin if begin == end else f"[{begin} … {end}]") + tail
    numbers = [Decimal(str(value)) for value in known]
    first, last = min(numbers), max(numbers)
    if low:
        width = {"age": 2, "size": 1}[name]
        below, above = math.floor(first / width), math.floor(last / width) + 1
        return f"[{below * width}, {above * width}){tail}"
    written = [f"{n.normalize():f}" if n else "0" for n in (first, last)]
    if written[0] == written[1]:
        return written[0] + tail
    sign = " to " if first < 0 else "–"
    return f"[{sign.join(written)}]" + tail


def check_every_class(table, policy, release):
    original = {row["row"]: row for row in table.to_pylist()}
    classes = {}
    for row in release.table.to_pylist():
        classes.setdefault(tuple(row[name] for name in policy.names), []).append(row["row"])
    told = 0
    for shown, rows in classes.items():
        if set(shown) == {"*"}:
            continue
        for name, label in zip(policy.names, shown, strict=True):
            values = [original[row][name] for row in rows]
            if name not in policy.interval_columns or set(values) == {None}:
                continue
            low = policy.levels.get(name, (0, 0))[0]
            if len(set(values)) == 1 and not low:
                assert str(label) == str(values[0])
            else:
                assert label == expected_label(name, values, low)
                told += 1
    return told


@pytest.mark.parametrize("by", BY, ids=lambda by: type(by).__name__)
def test_every_class_shows_its_true_interval(by):
    told = altered = 0
    for seed in range(effort(40)):
        table, policy, rng = random_case(seed)
        problem = la.prepare(table, policy)
        solution = la.solve(problem, by)
        if solution.status is la.INFEASIBLE:
            continue
        release = la.release(table, problem, solution)
        told += check_every_class(table, policy, release)
        assert la.verify(release.table, release.certificate).passed
        if seed % 3 == 0:
            altered += refuse_altered(table, policy, solution, release, rng)
    assert told > effort(40)
    assert altered


def refuse_altered(table, policy, solution, release, rng):
    """An interval made wider, narrower or a label, in one cell or in all its class."""
    rows = release.table.to_pylist()
    name = rng.choice(policy.interval_columns)
    told = [row[name] for row in rows if str(row[name]).startswith("[")]
    if not told:
        return 0
    label = rng.choice(told)
    wrong = rng.choice([label.replace("[", "[9"), "*", label + " or missing", None])
    for count in (1, len(rows)):
        altered, left = [], count
        for row in rows:
            change = row[name] == label and left > 0
            left -= change
            altered.append({**row, name: wrong} if change else row)
        schema = release.table.schema
        verdict = la.verify(
            pa.Table.from_pylist(altered, schema), original=table, policy=policy, solution=solution
        )
        assert any(not one.holds and one.check == "truthful" for one in verdict.findings)
    return 2


def test_the_certificate_counts_what_is_shown():
    table, policy, _ = random_case(1)
    release = la.anonymize(table, policy, by=la.LatticeGreedy())
    content = release.certificate.content
    for name in policy.interval_columns:
        labels = release.table.column(name).to_pylist()
        told = sum(str(one).startswith("[") or str(one).endswith(" or missing") for one in labels)
        assert content["columns"][name]["by_interval"] == told


FAULTS = [
    ({"show": {"zip": "interval"}}, "show.zip", "only numbers and dates"),
    ({"show": {"age": "range"}}, "show.age", "unknown"),
    ({"show": {"job": "interval"}}, "show.job", "not a quasi-identifier"),
    ({"show": {"steps": "interval"}, "levels": {"steps": (1, 2)}}, "show.steps", "excludes"),
    ({"show": {"age": "interval"}, "model": "AG_"}, "show", "recodes whole columns"),
    ({"show": {"age": "interval"}, "model": "CS"}, "show", "generalizes nothing"),
    (
        {"show": {"age": "interval"}, "linking": {"a": ["age", "zip"], "b": ["steps"]}},
        "show",
        "over all quasi-identifiers",
    ),
]


@pytest.mark.parametrize(("given", "where", "said"), FAULTS)
def test_faults(given, where, said):
    columns = {"age": la.bands(5), "zip": la.prefix(), "steps": TREE}
    with pytest.raises(la.PolicyError) as raised:
        la.Policy(quasi_identifiers=columns, require=la.KAnonymity(2), **given)
    assert any(one.where == where and said in one.problem for one in raised.value.faults)


def test_a_tree_over_words_has_no_intervals():
    policy = la.Policy(
        quasi_identifiers={"job": la.tree([["nurse", "health"], ["doctor", "health"]])},
        require=la.KAnonymity(2),
        show={"job": "interval"},
    )
    with pytest.raises(la.PolicyError, match="not numeric"):
        la.prepare(pa.table({"job": ["nurse", "doctor"]}), policy)


def test_the_policy_file_sets_it_next_to_the_hierarchy():
    column = 'age = { bands = [5], show = "interval" }'
    policy = loads(f"[quasi_identifiers]\n{column}\n[require]\nk_anonymity = 2\n").policy
    assert policy.interval_columns == ("age",)
    assert loads(dumps(policy)).policy == policy


def test_suppressed_cells_stay_hidden_where_the_model_suppresses_cells():
    table = pa.table({"age": [1, 2, 50, 90], "sex": ["m", "m", "f", "f"]})
    columns = {"age": la.bands(5), "sex": la.flat()}
    for model, shown in ((None, "[50–90]"), ("CG_CS", "*")):
        policy = la.Policy(
            quasi_identifiers=columns,
            require=la.KAnonymity(2),
            model=model,
            show={"age": "interval"},
        )
        release = la.anonymize(table, policy, by=la.CellOptimal())
        assert sorted(set(release.table.column("age").to_pylist())) == sorted({"[1–2]", shown})
