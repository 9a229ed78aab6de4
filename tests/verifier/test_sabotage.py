"""Sabotage: a release, a solution, a proof or a certificate that was tampered with is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import sabotaged
from sabotaged import SPOILS, as_kind, good, opened, patients, policy, spoilt

import lookalike as la
from lookalike.policy.hierarchies.bands import Bands
from lookalike.solution.proof import Proof
from lookalike.tables import open_table
from lookalike.tables.duckdb.table import DuckDBTable
from lookalike.tables.frames import eager as frames
from lookalike.tables.frames.eager import FrameTable
from lookalike.verifier.certificate.certificate import PARTS

KINDS = ("pyarrow", "csv", "parquet")


@pytest.fixture(scope="module", autouse=True)
def engines_are_let_go() -> Iterator[None]:
    """DuckDB complains of connections that outlive the interpreter."""
    yield
    good.cache_clear()
    opened.cache_clear()


def refused(verdict: la.Verdict) -> set[str]:
    """The checks that failed, of a verdict that must not pass."""
    assert not verdict.passed
    with pytest.raises(la.ReleaseRefused):
        verdict.expect_passed()
    return {finding.check for finding in verdict.findings if not finding.holds}


def inside(released: Any, **changed: Any) -> la.Verdict:
    """Everything checked; parts of the good release's solution changed."""
    solution = replace(good().solution, **changed)
    return la.verify(released, original=opened(), policy=policy(), solution=solution)


def test_the_release_passes_before_it_is_damaged() -> None:
    release = good()
    assert release.solution.status is la.OPTIMAL
    assert release.solution.suppressed == 2
    assert release.solution.recoding is not None
    assert all(level > 0 for level in release.solution.recoding.levels)
    assert None in release.table.column("zip").to_pylist()
    assert release.certificate.passed


@pytest.mark.parametrize("kind", KINDS)
def test_a_truthful_release_passes_from_inside_and_outside(kind: str, tmp_path: Path) -> None:
    original = as_kind(patients(), kind, tmp_path, "original")
    release = la.anonymize(original, policy())
    path = release.write(tmp_path / "out.csv")
    beside = tmp_path / "out.csv.certificate.json"
    for released in (release.table, path):
        everything = {"original": original, "policy": policy(), "solution": release.solution}
        assert la.verify(released, **everything).expect_passed().passed
        assert la.verify(released, beside).expect_passed().passed
        assert la.verify(released, release.certificate, **everything).passed


@pytest.fixture(scope="module")
def csv_original(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Text in, text out: same counts as the Arrow table's, same proof."""
    path = as_kind(patients(), "csv", tmp_path_factory.mktemp("csv"), "original")
    assert la.solve(la.prepare(path, policy())).proof == good().solution.proof
    return open_table(path)


@pytest.mark.parametrize("kind", ["pyarrow", "csv"])
@pytest.mark.parametrize("spoil", SPOILS)
def test_a_damaged_table_is_refused(
    spoil: str, kind: str, tmp_path: Path, csv_original: Any
) -> None:
    table = spoilt(good().table.to_pylist(), SPOILS[spoil])
    released = as_kind(table, kind, tmp_path, "spoilt")
    original = csv_original if kind == "csv" else opened()
    solution = good().solution
    verdict = la.verify(released, original=original, policy=policy(), solution=solution)
    assert refused(verdict) & {"truthful", "columns"}
    if kind == "pyarrow":
        assert "digest" in refused(la.verify(released, good().certificate))


def test_the_reason_names_columns_and_counts() -> None:
    table = spoilt(good().table.to_pylist(), SPOILS["an identifier brought back"])
    with pytest.raises(la.ReleaseRefused, match="shows the identifier name"):
        inside(table).expect_passed()
    table = spoilt(good().table.to_pylist(), SPOILS["a row dropped and another doubled"])
    with pytest.raises(la.ReleaseRefused, match="1 rows are missing from the release"):
        inside(table).expect_passed()


@pytest.mark.parametrize("spoil", ["a row dropped", "an identifier brought back"])
def test_an_edit_that_goes_wrong_is_never_handed_over(
    spoil: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit = FrameTable.edit

    def sabotage(self: FrameTable, plan: Any) -> Any:
        rows = edit(self, plan).native().to_pylist()
        return open_table(spoilt(rows, SPOILS[spoil]))

    monkeypatch.setattr(FrameTable, "edit", sabotage)
    with pytest.raises(la.ReleaseRefused):
        la.anonymize(patients(), policy())


@pytest.mark.parametrize("spoil", list(SPOILS)[::3])
def test_a_file_that_was_written_wrong_is_never_put_in_place(
    spoil: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = good()
    suffix = [".csv", ".parquet"][list(SPOILS).index(spoil) % 2]  # they take turns
    wrong = open_table(spoilt(release.table.to_pylist(), SPOILS[spoil]))
    write = FrameTable.write
    monkeypatch.setattr(FrameTable, "write", lambda self, path: write(wrong, path))
    with pytest.raises(la.ReleaseRefused):
        release.write(tmp_path / f"out{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_a_refused_file_leaves_the_one_before_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.csv"
    good().write(path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    wrong = open_table(spoilt(good().table.to_pylist(), SPOILS["a row doubled"]))
    write = FrameTable.write
    monkeypatch.setattr(FrameTable, "write", lambda self, path: write(wrong, path))
    with pytest.raises(la.ReleaseRefused):
        good().write(path, force=True)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_csv_engine_that_writes_wrong_is_caught_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = as_kind(patients(), "csv", tmp_path, "original")
    release = la.anonymize(original, policy())
    wrong = open_table(spoilt(release.table.to_pylist(), SPOILS["a sensitive cell changed"]))
    monkeypatch.setattr(
        DuckDBTable, "write", lambda self, path: frames.FrameTable.write(wrong, path)
    )
    with pytest.raises(la.ReleaseRefused):
        release.write(tmp_path / "out.csv")
    assert [file.name for file in tmp_path.iterdir()] == ["original.csv"]


def test_what_is_written_was_verified_even_if_the_original_changed(tmp_path: Path) -> None:
    path = as_kind(patients(), "csv", tmp_path, "original")
    release = la.anonymize(path, policy())
    as_kind(patients().slice(1), "csv", tmp_path, "original")
    out = release.write(tmp_path / "out.csv")
    was = {"policy": policy(), "solution": release.solution}
    assert la.verify(out, original=patients(), **was).passed
    assert not la.verify(out, original=path, **was).passed


def levels_to(*levels: int) -> dict[str, Any]:
    return {"recoding": la.Levels(("age", "zip", "job"), levels)}


FORGED: dict[str, Callable[[la.Solution], dict[str, Any]]] = {
    "levels one finer": lambda s: levels_to(*(max(0, level - 1) for level in s.recoding.levels)),
    "levels one coarser": lambda s: levels_to(s.recoding.levels[0] + 1, *s.recoding.levels[1:]),
    "levels beyond the hierarchy": lambda s: levels_to(99, 99, 99),
    "levels below the policy's": lambda s: levels_to(s.recoding.levels[0], 0, 0),
    "columns of another policy": lambda s: {
        "recoding": la.Levels(("zip", "age", "job"), s.recoding.levels)
    },
    "a lower cost": lambda s: {"cost": s.cost / 2, "bound": s.cost / 2},
    "a higher cost": lambda s: {"cost": s.cost * 2, "bound": s.cost * 2},
    "fewer suppressed": lambda s: {"suppressed": s.suppressed - 1},
    "more suppressed": lambda s: {"suppressed": s.suppressed + 1},
    "more rows": lambda s: {"rows": s.rows + 1},
    "more classes": lambda s: {"classes": s.classes + 1},
    "another metric": lambda s: {"metric": "discernibility"},
    "no proof": lambda s: {"proof": Proof((), s.proof.fingerprint)},
    "the answer as its own proof": lambda s: {
        "proof": Proof((s.recoding.levels,), s.proof.fingerprint)
    },
    "a proof without its coarsest nodes": lambda s: {
        "proof": Proof(
            tuple(n for n in s.proof.nodes if sum(n) < max(map(sum, s.proof.nodes)) - 3),
            s.proof.fingerprint,
        )
    },
    "a proof with nodes outside": lambda s: {
        "proof": Proof((*s.proof.nodes, (99, 99, 99)), s.proof.fingerprint)
    },
    "a proof with another fingerprint": lambda s: {"proof": Proof(s.proof.nodes, "0" * 64)},
}


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_solution_is_refused(forged: str) -> None:
    refused(inside(good().table, **FORGED[forged](good().solution)))


def test_a_solution_that_claims_nothing_is_no_ground_for_a_release() -> None:
    empty = {"recoding": None, "cost": None, "suppressed": 0, "classes": 0}
    for status in (la.INFEASIBLE, la.UNKNOWN):
        verdict = inside(good().table, status=status, bound=float("inf"), **empty)
        assert refused(verdict) == {"solution"}


def test_a_proof_borrowed_from_another_table_is_refused_even_with_a_forged_fingerprint() -> None:
    other = la.solve(la.prepare(patients().slice(15), policy(suppress=2)))
    proof = replace(other.proof, fingerprint=good().solution.proof.fingerprint)
    assert "optimality" in refused(inside(good().table, proof=other.proof))
    assert "optimality" in refused(inside(good().table, proof=proof))


def test_a_merely_feasible_release_cannot_call_itself_optimal() -> None:
    """The release is true, its cost is true; only that nothing is cheaper is not."""
    asked = policy(levels={})
    problem = la.prepare(patients(), asked)
    datafly, best = la.solve(problem, by=la.Datafly()), la.solve(problem)
    assert datafly.status is la.FEASIBLE
    assert datafly.cost > best.cost
    release = la.release(patients(), problem, datafly)
    for proof in (datafly.proof, best.proof):
        forged = replace(datafly, status=la.OPTIMAL, bound=datafly.cost, proof=proof)
        with pytest.raises(la.ReleaseRefused, match="optimality"):
            la.release(patients(), problem, forged)
        verdict = la.verify(release.table, original=opened(), policy=asked, solution=forged)
        assert refused(verdict) == {"optimality"}
        half_way = (datafly.cost + best.cost) / 2
        forged = replace(datafly, bound=half_way, proof=proof)
        verdict = la.verify(release.table, original=opened(), policy=asked, solution=forged)
        assert refused(verdict) == {"bound"}


@pytest.mark.parametrize(
    "other",
    [
        policy(k=6),
        policy(suppress=1),
        policy(metric=la.Discernibility()),
        policy(metric=la.Loss()),
        policy(weights={"age": 5.0}),
        policy(levels={"zip": (3, 5)}),
        policy(levels={"zip": (1, 99)}),
        policy(identifiers=("name", "ward"), insensitive=()),
        policy(sensitive=("sick", "name"), identifiers=()),
        policy(identifiers=()),
    ],
    ids=[
        "k up", "fewer suppressed", "discernibility", "loss", "weights", "levels",
        "levels that no hierarchy has", "one more dropped", "an identifier kept", "no role",
    ],
)  # fmt: skip
def test_a_release_for_another_policy_is_refused(other: la.Policy) -> None:
    release = good()
    refused(la.verify(release.table, original=opened(), policy=other, solution=release.solution))


def test_a_release_for_a_larger_k_is_not_the_best_for_a_smaller_one() -> None:
    """It keeps the smaller promise as well, but its claim of optimality was made for the larger."""
    stricter = la.anonymize(patients(), policy(k=6, levels={}))
    verdict = la.verify(
        stricter.table,
        original=opened(),
        policy=policy(levels={}),
        solution=stricter.solution,
    )
    assert refused(verdict) == {"optimality"}


def test_a_column_without_a_role_is_refused_though_every_row_is_true() -> None:
    """The forgotten column is the leak: a policy that forgets it must not verify."""
    forgetful = policy(identifiers=())
    accepting = policy(
        sensitive=("sick", "name"), identifiers=(), accept={"name": "invented people"}
    )
    problem = la.prepare(patients(), accepting)
    release = la.release(patients(), problem, la.solve(problem))
    assert "name" in release.table.column_names
    verdict = la.verify(
        release.table, original=opened(), policy=forgetful, solution=release.solution
    )
    assert refused(verdict) == {"roles"}


def edited(**changes: Any) -> la.Certificate:
    """The certificate with ``a__b`` meaning content["a"]["b"]."""
    content = json.loads(good().certificate.to_json())
    for path, value in changes.items():
        *above, last = path.split("__")
        part = content
        for key in above:
            part = part[key]
        part[last] = value
    return la.Certificate(content)


SEEN_FROM_OUTSIDE = {
    "not verified": {"verified": False},
    "verified, in a manner of speaking": {"verified": "yes"},
    "a larger k": {"require": {"k_anonymity": 30}},
    "nothing required": {"require": {}},
    "another number of rows": {"rows__released": 41},
    "another digest": {"release_digest": "0" * 64},
    "a column more": {"columns__height": {"role": "sensitive", "shown": "unchanged"}},
    "a column dropped": {"columns__sick": {"role": "identifier", "shown": "dropped"}},
    "a finding that failed": {
        "findings": [{"check": "truthful", "holds": False, "sentence": "No.", "fix": "none"}]
    },
}
SEEN_FROM_INSIDE = {
    "a better cost": {"claim__cost": 0.01},
    "a better status": {"claim__status": "proved twice"},
    "a smaller k": {"require": {"k_anonymity": 2}},
    "a finer level": {"columns__age__level": 0},
    "fewer suppressed": {"rows__suppressed": 0},
    "a quasi-identifier called insensitive": {"columns__zip__role": "insensitive"},
    "a kinder sentence": {"promise": ["Everybody is safe."]},
    "a convention": {"conventions__stars": "wildcard"},
    "something besides": {"signed_by": "the minister"},
}


@pytest.mark.parametrize("edit", SEEN_FROM_OUTSIDE)
def test_an_edited_certificate_is_refused_from_outside(edit: str) -> None:
    refused(la.verify(good().table, edited(**SEEN_FROM_OUTSIDE[edit])))


@pytest.mark.parametrize("edit", SEEN_FROM_OUTSIDE | SEEN_FROM_INSIDE)
def test_an_edited_certificate_is_refused_with_the_original(edit: str) -> None:
    release = good()
    changed = edited(**(SEEN_FROM_OUTSIDE | SEEN_FROM_INSIDE)[edit])
    everything = {"original": opened(), "policy": policy(), "solution": release.solution}
    assert "certificate" in refused(la.verify(release.table, changed, **everything))


def test_a_certificate_made_by_another_version_still_passes() -> None:
    everything = {"original": opened(), "policy": policy(), "solution": good().solution}
    assert la.verify(good().table, edited(made_with="lookalike 0.0.1"), **everything).passed


@pytest.mark.parametrize("part", sorted(PARTS))
def test_a_certificate_file_with_a_part_missing_is_refused(part: str, tmp_path: Path) -> None:
    path = tmp_path / "out.certificate.json"
    content = json.loads(good().certificate.to_json())
    del content[part]
    path.write_text(json.dumps(content))
    with pytest.raises(la.ReleaseRefused, match="incomplete"):
        la.verify(good().table, path)


def test_the_digest_tells_apart_what_reads_alike() -> None:
    nulls = pa.array([None], pa.string())  # alone, so that no other row's place tells it apart
    alike = [
        {"a": nulls, "b": ["y"]},
        {"a": [""], "b": ["y"]},
        {"a": [None, "x"], "b": ["y", "z"]},
        {"a": ["", "x"], "b": ["y", "z"]},
        {"a": ["x", ""], "b": ["y", "z"]},
        {"a": ["xy", ""], "b": ["", "z"]},
        {"a": ["", "x"], "b": ["yz", ""]},
        {"a": ["", "x", "x"], "b": ["y", "z", "z"]},
        {"a": ["", "", "x"], "b": ["y", "y", "z"]},
        {"b": ["", "x"], "a": ["y", "z"]},
        {"a,b": ["", "x"], "c": ["y", "z"]},
    ]
    digests = {open_table(pa.table(columns)).digest() for columns in alike}
    assert len(digests) == len(alike)
    one = pa.table({"a": ["x", None, "y"]})
    assert open_table(one).digest() == open_table(one.take([2, 0, 1])).digest()


def test_a_hierarchy_that_lies_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The label is checked against the value by its own text, not by the code that made it."""
    tabulate = Bands.tabulate

    def lie(self: Bands, name: str, values: Any) -> Any:
        table = tabulate(self, name, values)
        labels = [table.labels[0]]
        for level in table.labels[1:-1]:
            labels.append(tuple(s and s.replace("[", "[1") for s in level))
        return replace(table, labels=(*labels, table.labels[-1]))

    monkeypatch.setattr(Bands, "tabulate", lie)
    with pytest.raises(la.ReleaseRefused, match="labels: "):
        la.anonymize(patients(), policy())


def test_a_search_that_lies_about_cost_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from lookalike.problem.problem import Problem

    judge = Problem.judge

    def flatter(self: Problem, levels: Any, classes: Any) -> Any:
        found = judge(self, levels, classes)
        return replace(found, cost=found.cost * 0.9)

    monkeypatch.setattr(Problem, "judge", flatter)
    with pytest.raises(la.ReleaseRefused, match="cost: "):
        la.anonymize(patients(), policy())


def test_the_star_convention_is_checked_on_the_released_rows() -> None:
    starred = policy(k=2, conventions=la.Conventions(suppressed="star"))
    release = la.anonymize(patients(), starred)
    everything = {"original": opened(), "policy": starred, "solution": release.solution}
    assert la.verify(release.table, **everything).passed
    stars = [row for row in release.table.to_pylist() if row["age"] == "*" == row["job"]]
    assert len(stars) == release.solution.suppressed == 2
    fewer = release.table.to_pylist()
    fewer.remove(stars[0])
    verdict = la.verify(pa.Table.from_pylist(fewer), **everything)
    assert {"truthful", "rows"} <= refused(verdict)
    shown = [dict(row) for row in release.table.to_pylist()]
    shown[shown.index(stars[0])]["job"] = "care"
    assert "k-anonymity" in refused(la.verify(pa.Table.from_pylist(shown), **everything))


def test_the_spoils_are_all_different_tables() -> None:
    """A spoil that changes nothing would test nothing."""
    rows = good().table.to_pylist()
    tables = [spoilt(rows, spoil) for spoil in SPOILS.values()]
    assert all(table != good().table for table in tables)
    assert sabotaged.spoilt(rows, lambda same: same).to_pylist() == rows
