"""Every engine gives the same release, the same claim and, byte for byte, the same certificate."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from engine_kinds import KINDS, TYPED, Texts, is_kind, make, read
from typed_table import BORN as BIRTH
from typed_table import FEE, typed, typed_policy
from typed_table import TOWN as PLACE

import lookalike as la
from lookalike.tables import open_table

AGE, ZIP, TOWN, BORN = "age at entry", "zip-code", 'the "Größe"', "select"
SICK, WARD, NOTE = "group", "order by", "naïve, note"
NAME = "name; drop table"

TOWNS = {"Nord": ["Århus", "Malmö"], "Süd": ["São Paulo", "東京"]}


def people(rows: int = 90) -> pa.Table:
    """Clusters and a few who stand out; nulls in a number, a text and a kept column."""
    rng = random.Random(5)
    day = datetime.date(1980, 1, 1)
    made = []
    for number in range(rows):
        north = number % 3 > 0
        made.append(
            {
                NAME: f"person {number}",
                AGE: None if number % 15 == 7 else rng.choice([31, 32, 33, 34, 52, 58]),
                ZIP: rng.choice(["01234", "01239", "00501"]) if north else "90210",
                TOWN: None if number % 11 == 3 else rng.choice(TOWNS["Nord" if north else "Süd"]),
                BORN: str(day + datetime.timedelta(rng.randrange(60))),
                SICK: rng.choice(["flu", "cold", "", "naïveté"]),
                WARD: None if number % 4 == 1 else rng.randrange(3),
                NOTE: rng.choice(['a "quoted" word', "a, b", "line\nbreak", "*", "NULL"]),
            }
        )
    made.append(made[0] | {NAME: "alone", AGE: 99, ZIP: "7"})
    return pa.Table.from_pylist(made)


def policy(**changed: Any) -> la.Policy:
    asked: dict[str, Any] = {
        "quasi_identifiers": {
            AGE: la.bands(5, 10, 20),
            ZIP: la.prefix(steps=(2, 4)),
            TOWN: la.tree(TOWNS),
            BORN: la.dates(quarters=True),
        },
        "identifiers": NAME,
        "sensitive": SICK,
        "insensitive": (WARD, NOTE),
        "require": la.KAnonymity(3),
    }
    return la.Policy(**asked | changed)


STAR = la.Conventions(suppressed="star")
WILD = la.Conventions(suppressed="star", stars="wildcard")
POLICIES = {
    "nothing suppressed": policy(metric=la.Discernibility(), weights={AGE: 3.0}),
    "a share": policy(suppress=0.2),
    "some rows": policy(suppress=25, metric=la.Loss()),
    "starred": policy(suppress=0.2, conventions=STAR),
    "wildcard": policy(suppress=1, conventions=WILD, metric=la.Entropy()),
    "classification": policy(suppress=0.1, metric=la.Classification(WARD)),  # ints and nulls
    "ages as they are": policy(
        suppress=0.9, levels={AGE: (0, 0), BORN: (5, 6)}, metric=la.ClassSize()
    ),
}


def facts(release: la.Release) -> dict[str, Any]:
    solution = release.solution
    assert solution.recoding is not None
    names, rows = read(release.table)
    return {
        "status": solution.status,
        "levels": solution.recoding.levels,
        "cost": solution.cost,
        "bound": solution.bound,
        "suppressed": solution.suppressed,
        "classes": solution.classes,
        "columns": names,
        "rows": Counter(rows),
        "proof": solution.proof,
        "certificate": release.certificate.to_json().encode(),
    }


@cache
def expected(name: str) -> dict[str, Any]:
    """From the Arrow table, the plainest of them."""
    return facts(la.anonymize(people(), POLICIES[name]))


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_engine_gives_the_same_release_and_certificate(
    kind: str, name: str, tmp_path: Path
) -> None:
    release = la.anonymize(make(people(), kind, tmp_path), POLICIES[name])
    found = facts(release)
    assert is_kind(release.table, kind)
    for fact, value in expected(name).items():
        assert found[fact] == value, fact


def test_the_policies_try_what_they_should() -> None:
    tried = [expected(name) for name in POLICIES]
    assert len({fact["levels"] for fact in tried}) >= 4
    assert any(fact["suppressed"] for fact in tried)
    assert any(not fact["suppressed"] for fact in tried)
    rows: list[Texts] = [list(fact["rows"]) for fact in tried]
    assert any(None in row for some in rows for row in some)
    assert any("[30, 35)" in row or "31" in row for some in rows for row in some)


def contents(source: Any) -> Any:
    if isinstance(source, str):  # an address
        return read(open_table(source).native())
    return source.read_bytes() if isinstance(source, Path) else read(source)


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_rows_leaves_no_trace(kind: str, tmp_path: Path) -> None:
    table = people()
    order = list(range(table.num_rows))
    random.Random(1).shuffle(order)
    asked = POLICIES["starred"]
    source = make(table, kind, tmp_path)
    before = contents(source)
    one = la.anonymize(source, asked)
    one_rows = read(one.table)
    assert contents(source) == before  # what went in is as it was
    other = la.anonymize(make(table.take(order), kind, tmp_path), asked)
    assert read(other.table) == one_rows  # in the same order, too
    assert other.certificate.to_json() == one.certificate.to_json()
    assert other.solution.proof == one.solution.proof


@pytest.mark.parametrize("kind", TYPED)
def test_dates_with_a_type_of_their_own_agree_as_well(kind: str, tmp_path: Path) -> None:
    table = people()
    column = table.column(BORN).cast(pa.date32())
    typed = table.set_column(table.column_names.index(BORN), BORN, column)
    coarse = la.anonymize(make(typed, kind, tmp_path), POLICIES["some rows"])
    assert facts(coarse) == expected("some rows")
    fine = policy(levels={BORN: (0, 0), AGE: (4, 4), ZIP: (3, 3)}, suppress=0.9)
    release = la.anonymize(make(typed, kind, tmp_path), fine)
    from_text = la.anonymize(table, fine)
    assert facts(release) == facts(from_text)


@pytest.mark.parametrize("kind", KINDS)
def test_a_written_release_verifies_in_every_other_engine(kind: str, tmp_path: Path) -> None:
    suffix = [".csv", ".parquet"][len(kind) % 2]
    source = make(people(), kind, tmp_path)
    asked = POLICIES["a share"]
    release = la.anonymize(source, asked)
    path = release.write(tmp_path / f"out{suffix}")
    certificate = tmp_path / f"out{suffix}.certificate.json"
    assert certificate.read_bytes() == expected("a share")["certificate"]
    assert la.verify(path, certificate).passed
    # the original in another engine, the solution of this one
    assert la.verify(path, original=people(), policy=asked, solution=release.solution).passed


FINE = {"levels": {FEE: (0, 0), BIRTH: (3, 6), PLACE: (1, 1)}, "suppress": 0.5}


def outcome(table: Any, asked: la.Policy) -> tuple[Any, ...]:
    """What must be the same whatever the engine; cells of a type of their own are compared as the
    digest sees them, since a float reads otherwise in Python than in a decimal column."""
    release = la.anonymize(table, asked)
    solution = release.solution
    return solution.cost, solution.recoding, solution.proof, release.certificate.to_json()


@pytest.mark.parametrize("changed", [{}, FINE], ids=["coarse", "own values"])
@pytest.mark.parametrize("kind", TYPED)
def test_columns_of_every_type(kind: str, changed: dict[str, Any], tmp_path: Path) -> None:
    asked = typed_policy(**changed)
    assert outcome(make(typed(), kind, tmp_path), asked) == outcome(typed(), asked)


@pytest.mark.parametrize("kind", TYPED)
def test_an_empty_table(kind: str, tmp_path: Path) -> None:
    empty = typed().slice(0, 0)
    release = la.anonymize(make(empty, kind, tmp_path), typed_policy())
    assert (
        release.certificate.to_json() == la.anonymize(empty, typed_policy()).certificate.to_json()
    )
    names, rows = read(release.table)
    assert (names, rows) == (typed().column_names, [])
    assert la.verify(release.write(tmp_path / "empty.csv")).passed
