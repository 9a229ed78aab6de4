"""Releases by cuts: every forged claim, every altered row and every untrue label is refused."""

import random
from dataclasses import replace

import pyarrow as pa
import pytest
import tiny
from cut_recodings import GivenCuts, random_cuts
from effort import effort

import lookalike as la
from lookalike.solution.interval_labels import ShownColumn, shown_column
from lookalike.solution.proof import By, Proof
from lookalike.solution.recoding import Cuts, Levels
from lookalike.tables.open import open_table
from lookalike.verifier.claim.cuts import recoding as by_cuts
from lookalike.verifier.verify import verify_release

METRICS = ("discernibility", "loss", "entropy", "classification", "class-size", "loss-geometric")


def some_releases(count, seed):
    """Random tables, each with random cuts and its release."""
    made = 0
    for number, one in enumerate(tiny.tiny_problems(10_000, seed)):
        metric = tiny.METRICS[METRICS[number % len(METRICS)]][0]
        words = la.Conventions(cuts=["free", "siblings"][number % 2])
        policy = tiny.policy(one, metric, words)
        table = tiny.table(one)
        problem = la.prepare(table, policy)
        solution = la.solve(problem, GivenCuts(), seed=number)
        if solution.recoding is not None:
            release = la.release(table, problem, solution)
            assert release.certificate.content["conventions"]["cuts"] == words.cuts
            yield policy, table, solution, release.table
            made += 1
        if made == count:
            return


def findings(policy, table, solution, released):
    found = verify_release(open_table(table), open_table(released), policy, solution, "0")
    return {finding.check for finding in found.findings if not finding.holds}


def forgeries(policy, table, solution, rng):
    cost = solution.cost
    if cost > 0:
        yield "cost", replace(solution, cost=cost * 0.99, bound=0.0, status=la.FEASIBLE)
    if solution.bound < cost * 0.99:
        higher = (solution.bound + cost) / 2
        yield "bound", replace(solution, bound=higher)
        yield "optimality", replace(solution, status=la.OPTIMAL, bound=cost)
    proof = "optimality" if solution.status is la.OPTIMAL else "bound"
    yield proof, replace(solution, proof=Proof((), "0" * 64))
    yield "cost", replace(solution, classes=solution.classes + 1)
    yield "cost", replace(solution, suppressed=solution.suppressed + 1)
    yield "cost", replace(solution, metric="precision")
    by_nodes = replace(solution.proof, by=By.NODES)
    yield "solution", replace(solution, space=la.Space.FULL_DOMAIN, proof=by_nodes)
    yield "solution", replace(solution, space=la.Space.CELL_LEVEL, proof=by_nodes)
    names, cuts = solution.recoding.names, solution.recoding.cuts
    levels = Levels(names, (0,) * len(names))
    yield "solution", replace(solution, recoding=levels)
    a = rng.randrange(len(names))
    leaves = la.prepare(table, policy).tables[a].leaves
    beyond = (*cuts[:a], (*cuts[a], leaves), *cuts[a + 1 :])
    yield "solution", replace(solution, recoding=Cuts(names, beyond))
    yield (
        "solution",
        replace(solution, recoding=Cuts(names[::-1], cuts[::-1]))
        if len(names) > 1
        else replace(solution, recoding=Cuts(("x",), cuts)),
    )


@pytest.mark.parametrize("part", range(3))
def test_forged_claims_about_cuts_are_refused(part):
    rng = random.Random(part)
    for policy, table, solution, released in some_releases(effort(12), 400 + part):
        assert not findings(policy, table, solution, released)
        for check, forged in forgeries(policy, table, solution, rng):
            assert check in findings(policy, table, forged, released), check


def test_other_cuts_than_those_made_are_refused():
    tried = 0
    for number, (policy, table, solution, released) in enumerate(some_releases(effort(40), 77)):
        problem = la.prepare(table, policy)
        other = random_cuts(problem, random.Random(number))
        found = problem.evaluate(other)
        if other != solution.recoding and found.meets:
            told = replace(
                solution, recoding=other, cost=found.cost, suppressed=found.suppressed,
                classes=found.classes, bound=min(solution.bound, found.cost), status=la.FEASIBLE,
            )  # fmt: skip
            honest = la.release(table, problem, told).table
            if not pa.table(honest).equals(pa.table(released)):
                assert findings(policy, table, told, released)
                tried += 1
    assert tried >= effort(5)


def altered(released, rng):
    """The released table with one thing changed."""
    rows = released.to_pylist()
    at = rng.randrange(len(rows))
    yield "a row less", rows[:at] + rows[at + 1 :]
    yield "a row more", [*rows, rows[at]]
    for name in released.column_names:
        changed = [dict(row) for row in rows]
        changed[at][name] = "nobody has this"
        yield f"{name} invented", changed
        starred = [dict(row) for row in rows]
        starred[at][name] = "*"
        yield f"{name} starred", starred
        others = [row[name] for row in rows if row[name] != rows[at][name]]
        if others:
            changed = [dict(row) for row in rows]
            changed[at][name] = rng.choice(others)
            yield f"{name} swapped", changed
    yield "rows not sorted", rows[::-1]


def test_altered_releases_by_cuts_are_refused():
    rng = random.Random(5)
    tried = 0
    for policy, table, solution, released in some_releases(effort(24), 90):
        for what, rows in altered(released, rng):
            changed = pa.table({n: [row[n] for row in rows] for n in released.column_names})
            if changed.equals(released) or not rows:
                continue
            tried += 1
            assert findings(policy, table, solution, changed), what
    assert tried > effort(140)


AGES = pa.table(
    {
        "age": [20, 21, 30, 31, 38, 40, 55, 90] * 2,
        "job": ["a", "b", "c", "d"] * 4,
        "ill": ["x"] * 16,
    }
)
POLICY = la.Policy(
    quasi_identifiers={
        "age": la.bands(5, 10),
        "job": la.tree({"one": ["a", "b"], "two": ["c", "d"]}),
    },
    sensitive="ill",
    require=la.KAnonymity(2),
    metric=la.Discernibility(),
)


@pytest.mark.parametrize(
    ("column", "interval", "label"),
    [
        ("age", 0, "≤30"),  # true of too many
        ("age", 0, "≤20"),  # and of too few
        ("age", 1, "30–31"),
        ("age", 1, "*"),
        ("age", 1, "≤21"),  # another's
        ("age", 2, "≥90"),
        ("age", 2, "91"),
        ("age", 2, None),
        ("age", 2, "≥40 or missing!"),
        ("job", 0, "two"),
        ("job", 0, "{a, c}"),
        ("job", 0, "{a … c, 2 values}"),
        ("job", 0, "{a … b, 3 values}"),
        ("job", 0, "a"),
        ("job", 1, "not missing"),
    ],
)
def test_untrue_labels_are_seen_though_they_come_from_shared_code(
    column, interval, label, monkeypatch
):
    def liar(table, *rest):
        shown = shown_column(table, *rest)
        if table.name != column:
            return shown
        labels = list(shown.labels)
        labels[interval] = label
        return ShownColumn(shown.codes, tuple(labels))

    problem = la.prepare(AGES, POLICY)
    solution = la.solve(problem, GivenCuts(((2, 5), (2,))))
    assert [one.labels for one in problem.apply(solution.recoding).columns] == [
        ("≤21", "30–38", "≥40"),
        ("one", "two"),
    ]
    released = la.release(AGES, problem, solution).table
    assert not findings(POLICY, AGES, solution, released)
    monkeypatch.setattr(by_cuts, "shown_column", liar)
    assert "labels" in findings(POLICY, AGES, solution, released)


def refused(policy, *cuts):
    """What the verifier says of cuts that the search claims to be fine."""
    problem = la.prepare(AGES, policy)
    honest = la.solve(la.prepare(AGES, POLICY), GivenCuts(cuts))
    with pytest.raises(la.ReleaseRefused) as caught:
        la.release(AGES, problem, honest)
    return str(caught.value)


def test_cuts_outside_the_policy_are_refused():
    within = ((2, 5), (2,))
    siblings = replace(POLICY, conventions=la.Conventions(cuts="siblings"))
    assert "only a part of a group" in refused(siblings, (), (1,))
    coarse = replace(POLICY, levels={"age": (1, 3)})
    assert "age is recoded outside the levels" in refused(coarse, (1,), ())
    fine = replace(POLICY, levels={"age": (0, 2)})
    assert "age is recoded outside the levels" in refused(fine, *within)
    assert "do not follow model AG_TS" in refused(replace(POLICY, model="AG_TS"), *within)
    larger = replace(POLICY, require=la.KAnonymity(5))
    assert "requirements are not as the solution claims" in refused(larger, *within)
