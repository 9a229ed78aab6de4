"""A release whose pseudonyms are not those of the key, or whose lookalikes are one person."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.solution.solution import Solution
from lookalike.tables import open_table

KEY = b"a key that is only for tests"
OTHER = b"another key, also only for tests"
Row = dict[str, Any]


def visits(rows: int = 60, unknown: int = 7) -> pa.Table:
    """A person a row, one of them unknown."""
    rng = random.Random(3)
    made = [
        {
            "person": None if number == unknown else f"AB-{number:06d}",
            "age": rng.choice([31, 32, 33, 51, 52]),
            "zip": rng.choice(["02138", "02139", "02141"]),
            "sick": rng.choice(["flu", "cold"]),
        }
        for number in range(rows)
    ]
    return pa.Table.from_pylist(made)


def policy(form: str = "token", **changed: Any) -> la.Policy:
    asked: dict[str, Any] = {
        "quasi_identifiers": {"age": la.bands(5, 10), "zip": la.prefix()},
        "pseudonyms": {"person": form},
        "sensitive": "sick",
        "require": la.KAnonymity(3),
        "suppress": 3,
    }
    return la.Policy(**asked | changed)


@cache
def good(form: str) -> la.Release:
    return la.anonymize(visits(), policy(form), key=KEY)


def verified(released: Any, form: str, key: Any = KEY, **changed: Any) -> la.Verdict:
    release = good(form)
    solution: Solution = replace(release.solution, **changed)
    return la.verify(released, original=visits(), policy=policy(form), solution=solution, key=key)


def failed(verdict: la.Verdict) -> set[str]:
    return {finding.check for finding in verdict.findings if not finding.holds}


def spoilt(form: str, spoil: Callable[[list[Row]], None]) -> pa.Table:
    """Sorted again, so that only the pseudonyms give it away."""
    rows = [dict(row) for row in good(form).table.to_pylist()]
    spoil(rows)
    names = good(form).table.column_names
    rows.sort(key=lambda row: [(row[name] is None, str(row[name])) for name in names])
    return pa.Table.from_pylist(rows, schema=good(form).table.schema)


def swap(rows: list[Row]) -> None:
    """Two people of different classes."""
    one = rows[0]
    other = next(row for row in rows if row["age"] != one["age"] or row["sick"] != one["sick"])
    one["person"], other["person"] = other["person"], one["person"]


def show_one(rows: list[Row]) -> None:
    rows[0]["person"] = "AB-000001"


def show_all(rows: list[Row]) -> None:
    for number, row in enumerate(rows):
        row["person"] = f"AB-{number:06d}"


def make_one_up(rows: list[Row]) -> None:
    rows[0]["person"] = "zz22zz22zz22zz22zz22"


def forget_one(rows: list[Row]) -> None:
    rows[0]["person"] = None


def know_the_unknown(rows: list[Row]) -> None:
    unknown = next(row for row in rows if row["person"] is None)
    unknown["person"] = rows[0]["person"]


@pytest.mark.parametrize("form", ["token", "keep"])
def test_a_good_release_passes_inside_and_outside(form: str, tmp_path: Path) -> None:
    release = good(form)
    assert verified(release.table, form).passed
    path = release.write(tmp_path / "out.csv")
    outside = la.verify(path)
    assert outside.expect_passed().passed
    assert any("pseudonyms" in one for one in outside.not_checked)
    assert la.verify(
        path,
        release.certificate,
        original=visits(),
        policy=policy(form),
        solution=release.solution,
        key=KEY,
    ).passed
    facts = release.certificate.content["columns"]["person"]
    shown = {"token": "keyed token", "keep": "keyed, same format"}
    assert facts == {"role": "pseudonym", "shown": shown[form]}


@pytest.mark.parametrize("form", ["token", "keep"])
@pytest.mark.parametrize(
    "spoil", [swap, show_one, show_all, make_one_up, forget_one, know_the_unknown]
)
def test_other_pseudonyms_are_refused(form: str, spoil: Callable[[list[Row]], None]) -> None:
    verdict = verified(spoilt(form, spoil), form)
    assert "truthful" in failed(verdict)
    told = " ".join(finding.sentence for finding in verdict.findings)
    assert "AB-0" not in told
    if spoil is show_one:
        assert "1 distinct values of the original are shown" in told
    with pytest.raises(la.ReleaseRefused):
        verdict.expect_passed()


@pytest.mark.parametrize("form", ["token", "keep"])
def test_another_key_is_noticed(form: str) -> None:
    assert failed(verified(good(form).table, form, OTHER)) == {"truthful"}


def test_originals_are_seen_from_outside_where_tokens_are_promised() -> None:
    release, table = good("token"), spoilt("token", show_all)
    content = json.loads(release.certificate.to_json())
    content["release_digest"] = open_table(table).digest()  # a forger would do that
    verdict = la.verify(table, la.Certificate(content))
    assert failed(verdict) == {"shown"}


def test_a_column_that_is_gone_is_a_finding() -> None:
    release = good("token")
    table = release.table.drop_columns(["person"])
    assert "columns" in failed(la.verify(table, release.certificate))
    assert "columns" in failed(verified(table, "token"))


def test_a_release_and_its_verification_need_the_key() -> None:
    with pytest.raises(la.PolicyError, match="a key is needed"):
        la.anonymize(visits(), policy())
    problem = la.prepare(visits(), policy())
    with pytest.raises(la.PolicyError, match="a key is needed"):
        la.release(visits(), problem, good("token").solution)
    with pytest.raises(la.PolicyError, match="a key is needed"):
        la.examine(visits(), problem, good("token").solution)
    with pytest.raises(la.PolicyError, match="a key is needed"):
        verified(good("token").table, "token", None)


def test_nothing_of_the_key_is_written(tmp_path: Path) -> None:
    from lookalike.pseudonyms.derived_key import derived_key
    from lookalike.solution.solution_file import dumps

    release = good("token")
    release.write(tmp_path / "out.csv")
    written = (tmp_path / "out.csv.certificate.json").read_text() + dumps(release.solution)
    written += repr(release) + repr(release.policy)
    for secret in (KEY, derived_key(KEY, "token", "person")):
        assert secret.hex() not in written
        assert repr(secret)[2:-1] not in written


def test_the_same_person_has_the_same_pseudonym_in_every_release() -> None:
    other = pa.table({"client": ["AB-000001", "AB-000002"] * 3, "age": [1] * 6})
    joined = la.Policy(
        quasi_identifiers={"age": la.flat()},
        pseudonyms={"client": {"domain": "person"}},
        require=la.KAnonymity(2),
    )
    clients = set(la.anonymize(other, joined, key=KEY).table.column("client").to_pylist())
    assert len(clients) == 2
    assert clients < set(good("token").table.column("person").to_pylist())
    apart = replace(joined, pseudonyms=("client",))
    others = set(la.anonymize(other, apart, key=KEY).table.column("client").to_pylist())
    assert not others & clients


# k-anonymity counts people


def test_lookalikes_that_are_one_person_are_refused() -> None:
    same = pa.table({"person": ["x"] * 4 + ["y", "z", "u"], "age": [30] * 4 + [50] * 3})
    asked = la.Policy(
        quasi_identifiers={"age": la.bands(10, 50)},
        pseudonyms="person",
        require=la.KAnonymity(3),
        levels={"age": (0, 0)},
    )
    with pytest.raises(la.ReleaseRefused) as caught:
        la.anonymize(same, asked, key=KEY)
    [fault] = caught.value.faults
    assert fault.where == "k-anonymity"
    assert "1 class has fewer than 3 different pseudonyms of person" in fault.problem
    for word in ("higher levels", "larger k", "remove the column"):
        assert word in fault.fix
    coarser = replace(asked, levels={"age": (3, 3)})
    release = la.anonymize(same, coarser, key=KEY)
    [told] = [f for f in release.certificate.findings if "counts people" in f.sentence]
    assert "the fewest in a class are 4" in told.sentence
    found = la.examine(same, problem := la.prepare(same, asked), la.solve(problem), key=KEY)
    assert not found.certificate.passed


def test_a_null_is_nobody() -> None:
    table = pa.table({"person": ["x", "y", None, None], "age": [30] * 4})
    asked = la.Policy(
        quasi_identifiers={"age": la.flat()}, pseudonyms="person", require=la.KAnonymity(3)
    )
    with pytest.raises(la.ReleaseRefused, match="fewer than 3 different"):
        la.anonymize(table, asked, key=KEY)
    assert la.anonymize(table, replace(asked, require=la.KAnonymity(2)), key=KEY)


def test_each_pseudonym_column_and_each_set_is_counted() -> None:
    table = pa.table(
        {
            "person": list("abcdef"),
            "doctor": ["x", "y"] * 3,
            "age": [30] * 6,
            "sex": ["f"] * 6,
        }
    )
    asked = la.Policy(
        quasi_identifiers={"age": la.flat(), "sex": la.flat()},
        pseudonyms=("person", "doctor"),
        require=la.KAnonymity(3),
        linking={"one": ["age"], "two": ["sex"]},
    )
    with pytest.raises(la.ReleaseRefused) as caught:
        la.anonymize(table, asked, key=KEY)
    told = [fault.problem for fault in caught.value.faults]
    assert len(told) == 2
    assert all("doctor" in one and " over " in one for one in told)


def test_people_in_several_classes_are_reported() -> None:
    table = pa.table({"person": list("abcabc"), "age": [30] * 3 + [50] * 3})
    asked = la.Policy(
        quasi_identifiers={"age": la.flat()}, pseudonyms="person", require=la.KAnonymity(3)
    )
    release = la.anonymize(table, asked, key=KEY)
    [told] = [f for f in release.certificate.findings if "counts people" in f.sentence]
    assert "3 pseudonyms are in more than one class" in told.sentence
    assert la.verify(release.table, release.certificate).passed


def test_people_are_counted_from_outside_too() -> None:
    release = good("token")
    content = json.loads(release.certificate.to_json())
    content["findings"] = [f for f in content["findings"] if "counts people" not in f["sentence"]]
    assert failed(la.verify(release.table, la.Certificate(content))) == {"findings"}
    names = release.table.column_names
    table = pa.Table.from_pylist(
        sorted(
            (row | {"person": "a" * 20} for row in release.table.to_pylist()),
            key=lambda row: [str(row[name]) for name in names],
        )
    )
    content = json.loads(release.certificate.to_json())
    content["release_digest"] = open_table(table).digest()
    assert "k-anonymity" in failed(la.verify(table, la.Certificate(content)))


TOWNS = ("02138", "02139", "02141")


@pytest.mark.parametrize(
    ("by", "suppressed"),
    [
        ("mondrian:cut=median:relaxed", "drop"),
        ("k-member", "star"),
        ("k-optimize", "drop"),
        ("flash", "star"),
    ],
)
def test_every_kind_of_recoding_has_pseudonyms(by: str, suppressed: str) -> None:
    asked = policy(
        "keep",
        quasi_identifiers={"age": la.bands(5, 10), "zip": la.ordered(TOWNS)},
        conventions=la.Conventions(suppressed=suppressed),
        metric=la.Discernibility() if by == "k-optimize" else la.Loss(),
        require=la.KAnonymity(13),
    )
    release = la.anonymize(visits(200, -1), asked, by=by, key=KEY)
    assert release.certificate.passed
    if by == "mondrian:cut=median:relaxed":  # equal rows that are released differently
        assert isinstance(release.solution.recoding, la.CellMap)
        assert len(set(release.solution.recoding.group.tolist())) < len(
            release.solution.recoding.group
        )


def test_intervals_of_classes_go_with_pseudonyms() -> None:
    shown = policy("keep", show={"age": "interval"}, require=la.KAnonymity(15))
    release = la.anonymize(visits(), shown, key=KEY)
    assert any(str(one).startswith("[") for one in release.table.column("age").to_pylist())


def test_only_eligible_rows_need_pseudonyms() -> None:
    rows = [*visits().to_pylist(), *visits(3).to_pylist()]
    for row in rows[60:]:
        row |= {"person": "7", "sick": "unsure"}  # too short a form
    table = pa.Table.from_pylist(rows)
    with pytest.raises(la.PolicyError, match="1 different value has a form with fewer"):
        la.anonymize(table, policy("keep"), key=KEY)
    asked = policy("keep", eligible={"sick": ["flu", "cold"]})
    release = la.anonymize(table, asked, key=KEY)
    assert release.table.to_pylist() == good("keep").table.to_pylist()
