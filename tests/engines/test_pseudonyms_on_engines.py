"""The same value and key give the same pseudonym on every engine, and the same certificate."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from engine_kinds import KINDS, is_kind, make, read

import lookalike as la

KEY = b"a key that is only for tests"
DOCTOR = 'the "Doktor"; id'


def visits() -> pa.Table:
    """Text, whole numbers with and without nulls, and rows that differ in what is dropped alone."""
    made = [
        {
            "name": f"person {number}",
            "patient": f"Ab-{number % 57:05d}",
            "age": 20 + number * 7 % 40,
            DOCTOR: None if number % 10 == 3 else 1_000_000 + number % 31,
            "chart": 20_000 + number,
            "town": ["Århus", "東京", "", "x, y"][number % 4],
            "sick": ["flu", "cold", None][number % 3],
        }
        for number in range(120)
    ]
    return pa.Table.from_pylist(made + [row | {"name": "again"} for row in made[:30]])


def policy(form: str, **changed: Any) -> la.Policy:
    asked: dict[str, Any] = {
        "quasi_identifiers": {"age": la.bands(5, 10, 20)},
        "identifiers": "name",
        "pseudonyms": {"patient": form, DOCTOR: form, "chart": form, "town": "token"},
        "sensitive": "sick",
        "require": la.KAnonymity(3),
        "levels": {"age": (2, 3)},  # so that three towns are in every class
    }
    return la.Policy(**asked | changed)


def facts(source: Any, form: str, by: str) -> tuple[Any, dict[str, Any]]:
    release = la.anonymize(source, policy(form), by=by, key=KEY)
    names, rows = read(release.table)
    found = {"names": names, "rows": Counter(rows), "certificate": release.certificate.to_json()}
    return release, found


@cache
def expected(form: str, by: str) -> dict[str, Any]:
    return facts(visits(), form, by)[1]


@pytest.mark.parametrize(("form", "by"), [("token", "flash"), ("keep", "mondrian")])
@pytest.mark.parametrize("kind", KINDS)
def test_every_engine_gives_the_same(kind: str, form: str, by: str, tmp_path: Path) -> None:
    release, found = facts(make(visits(), kind, tmp_path), form, by)
    assert is_kind(release.table, kind)
    assert found["names"] == expected(form, by)["names"]
    assert found["rows"] == expected(form, by)["rows"]
    if kind != "csv" or by == "flash":
        assert found["certificate"] == expected(form, by)["certificate"]
    path = release.write(tmp_path / "out.parquet")
    assert la.verify(path).passed


@pytest.mark.parametrize("form", ["token", "keep"])
@pytest.mark.parametrize("kind", ["dask", "ibis"])
def test_lazy_frames_give_the_same(kind: str, form: str) -> None:
    """Pseudonyms that look like numbers stay text."""
    if kind == "dask":
        dask = pytest.importorskip("dask.dataframe")
        frame = visits().to_pandas()
        source = dask.from_pandas(frame.astype({DOCTOR: "Int64"}), npartitions=2)
    else:
        source = pytest.importorskip("ibis").memtable(visits())
    release = la.anonymize(source, policy(form), by="flash", key=KEY)
    assert release.certificate.to_json() == expected(form, "flash")["certificate"]
    native = release.table
    if kind == "dask":
        frame = native.compute().astype(object)
        table = frame.where(frame.notna(), None)
    else:
        table = native.to_pyarrow()
    names, rows = read(table)
    assert names == expected(form, "flash")["names"]
    assert Counter(rows) == expected(form, "flash")["rows"]


def test_pseudonyms_join_across_engines_and_tables(tmp_path: Path) -> None:
    csv = la.anonymize(make(visits(), "csv", tmp_path), policy("token"), key=KEY)
    frame = la.anonymize(make(visits().slice(0, 60), "pandas", tmp_path), policy("token"), key=KEY)
    some, all_of_them = ({row[0] for row in read(one.table)[1]} for one in (frame, csv))
    assert len(some) > 50
    assert some <= all_of_them


def test_floats_are_refused_before_the_search(tmp_path: Path) -> None:
    frame = visits().to_pandas()  # whole numbers with nulls are floats there
    with pytest.raises(la.PolicyError, match="Int64 in pandas") as caught:
        la.anonymize(frame, policy("token"), key=KEY)
    assert [fault.where for fault in caught.value.faults] == [f"pseudonyms.{DOCTOR}"]
