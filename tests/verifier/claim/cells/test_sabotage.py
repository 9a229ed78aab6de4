"""Cell-level releases: every forged claim and every altered row is refused."""

import random
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import tiny
from cell_maps import AtRandom
from effort import effort

import lookalike as la
from lookalike.solution.proof import By, Proof
from lookalike.solution.recoding import CellMap
from lookalike.tables.open import open_table
from lookalike.verifier.verify import verify_release


def some_releases(count, seed):
    """Random tables, each with a random recoding and its release."""
    made = 0
    for number, one in enumerate(tiny.tiny_problems(10_000, seed)):
        policy = replace(tiny.policy(one, la.Precision()), levels={})
        table = tiny.table(one)
        problem = la.prepare(table, policy)
        solution = la.solve(problem, AtRandom(), seed=number)
        if solution.status is la.FEASIBLE and solution.cost > 0:
            yield policy, table, solution, la.release(table, problem, solution).table
            made += 1
        if made == count:
            return


def passes(policy, table, solution, released):
    found = verify_release(open_table(table), open_table(released), policy, solution, "0")
    return found.passed


def mapped(solution, **changes):
    recoding = solution.recoding
    parts = {"group": recoding.group, "rows": recoding.rows, "levels": recoding.levels, **changes}
    return replace(solution, recoding=CellMap(recoding.names, **parts))


def forgeries(solution, rng):
    recoding = solution.recoding
    yield "cost", replace(solution, cost=solution.cost * 0.99, bound=0.0)
    yield "bound", replace(solution, bound=solution.cost * 0.999)
    yield "optimal", replace(solution, status=la.OPTIMAL, bound=solution.cost)
    yield (
        "optimal by support",
        replace(
            solution,
            status=la.OPTIMAL,
            bound=solution.cost,
            proof=Proof((), solution.proof.fingerprint, By.SUPPORT_BOUND),
        ),
    )
    yield "another table's proof", replace(solution, proof=Proof((), "0" * 64))
    yield "classes", replace(solution, classes=solution.classes + 1)
    yield "suppressed", replace(solution, suppressed=1)
    by_nodes = replace(solution.proof, by=By.NODES)
    yield "space", replace(solution, space=la.Space.FULL_DOMAIN, proof=by_nodes)
    yield "metric", replace(solution, metric="loss")
    piece = rng.randrange(len(recoding.group))
    levels = recoding.levels.copy()
    levels[piece, 0] += 1 if levels[piece, 0] == 0 else -1
    yield "a level", mapped(solution, levels=levels)
    rows = recoding.rows.copy()
    rows[piece] += 1
    yield "rows", mapped(solution, rows=rows)
    group = recoding.group.copy()
    group[piece] += 1000
    yield "group", mapped(solution, group=group)
    gone = recoding.levels.copy()
    gone[piece] = -1
    yield "left out", mapped(solution, levels=gone)


@pytest.mark.parametrize("part", range(4))
def test_forged_claims_are_refused(part):
    rng = random.Random(part)
    for policy, table, solution, released in some_releases(effort(8), 40 + part):
        assert passes(policy, table, solution, released)
        for what, forged in forgeries(solution, rng):
            if what.startswith("optimal") and solution.cost == pytest.approx(solution.bound):
                continue  # it is
            assert not passes(policy, table, forged, released), what


def altered(released, rng):
    """The released table with one thing changed."""
    rows = released.to_pylist()
    names = released.column_names
    at = rng.randrange(len(rows))
    yield "a row less", rows[:at] + rows[at + 1 :]
    yield "a row more", [*rows, rows[at]]
    for name in names:
        changed = [dict(row) for row in rows]
        changed[at][name] = "nobody has this"
        yield f"{name} invented", changed
        others = [row[name] for row in rows if row[name] != rows[at][name]]
        if others:
            changed = [dict(row) for row in rows]
            changed[at][name] = rng.choice(others)
            yield f"{name} swapped", changed
    yield "rows not sorted", rows[::-1]


def test_altered_releases_are_refused():
    rng = random.Random(5)
    tried = 0
    for policy, table, solution, released in some_releases(effort(16), 90):
        for what, rows in altered(released, rng):
            changed = pa.table({n: [row[n] for row in rows] for n in released.column_names})
            if changed.equals(released):
                continue
            tried += 1
            assert not passes(policy, table, solution, changed), what
    assert tried > effort(100)


def test_rows_of_a_split_group_cannot_be_exchanged():
    """Which row of a group went to which piece is settled, so nobody can choose."""
    table = pa.table({"a": ["1"] * 6 + ["2"] * 3, "ill": ["flu"] * 3 + ["cold"] * 3 + ["ache"] * 3})
    policy = la.Policy(
        quasi_identifiers={"a": la.flat()}, sensitive="ill", require=la.KAnonymity(3)
    )
    problem = la.prepare(table, policy)
    from cell_maps import from_lots

    class Split(AtRandom):
        def search(self, run):
            run.offer(from_lots(run.problem, [[0] * 3, [0] * 3 + [1] * 3]))

    solution = la.solve(problem, Split())
    released = la.release(table, problem, solution).table
    rows = sorted(zip(*released.to_pydict().values(), strict=True))
    chosen = sorted([("1", "flu")] * 3 + [("*", ill) for ill in ["cold"] * 3 + ["ache"] * 3])
    assert rows != chosen
    cheat = pa.table({"a": [a for a, _ in chosen], "ill": [ill for _, ill in chosen]})
    assert not passes(policy, table, solution, cheat)


def test_a_model_that_is_not_kept_is_refused():
    for policy, table, solution, released in some_releases(5, 300):
        by_column = replace(policy, model="AG_", suppress=0)
        assert not passes(by_column, table, solution, released)
        several = any(
            len(np.unique(solution.recoding.levels[:, a][solution.recoding.levels[:, a] < h])) > 1
            for a, h in enumerate(_heights(table, policy))
        )
        stars = replace(policy, model="AG_CS", suppress=0)
        assert passes(stars, table, solution, released) == (not several)


def _heights(table, policy):
    return [one.height for one in la.prepare(table, policy).tables]
