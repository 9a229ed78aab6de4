"""A table worth protecting, a good release of it, and every way to spoil the release."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

import lookalike as la
from lookalike.tables import open_table

Row = dict[str, Any]
Spoil = Callable[[list[Row]], list[Row]]

JOBS = {"care": ["nurse", "doctor"], "craft": ["smith", "baker"]}


def patients() -> pa.Table:
    """Forty rows in clusters, some of them far from everybody; nulls in zip, job and ward."""
    rng = random.Random(11)
    rows = []
    for number in range(40):
        care = number % 2 == 0
        rows.append(
            {
                "name": f"person {number}",
                "age": rng.randint(20, 29) if number < 20 else rng.randint(40, 49),
                "zip": ["02138", "02141", "02139", None][number % 4],
                "job": rng.choice(JOBS["care" if care else "craft"]),
                "sick": rng.choice(["flu", "cold", ""]),
                "ward": rng.choice(["north", "süd", None]),
            }
        )
    rows.append(rows[0] | {"name": "alone", "age": 95, "zip": "99999", "sick": "gout"})
    rows.append(rows[1] | {"name": "as well", "age": 5, "zip": "10001", "job": None})
    return pa.Table.from_pylist(rows)


@cache
def opened() -> Any:
    """The same, opened once."""
    return open_table(patients())


def policy(k: int = 3, **changed: Any) -> la.Policy:
    asked: dict[str, Any] = {
        "quasi_identifiers": {
            "age": la.bands(5, 10, 20),
            "zip": la.prefix(),
            "job": la.tree(JOBS),
        },
        "identifiers": "name",
        "sensitive": "sick",
        "insensitive": "ward",
        "require": la.KAnonymity(k),
        "suppress": 3,
        "levels": {"age": (1, 3), "zip": (1, 4), "job": (1, 1)},
    }
    return la.Policy(**asked | changed)


@cache
def good() -> la.Release:
    """Optimal, two rows suppressed, labels of every hierarchy, nulls among them."""
    return la.anonymize(patients(), policy())


def spoilt(rows: list[Row], spoil: Spoil) -> pa.Table:
    """The rows, spoilt, as an Arrow table of text columns as they came out."""
    found = spoil([dict(row) for row in rows])
    return pa.table({name: [row[name] for row in found] for name in found[0]})


def change(name: str, to: Callable[[Any], Any], number: int = 0) -> Spoil:
    """One cell of one row."""

    def spoil(rows: list[Row]) -> list[Row]:
        old = rows[number][name]
        rows[number][name] = to(old)
        assert rows[number][name] != old
        return rows

    return spoil


def another_label(name: str) -> Spoil:
    """A label that some other row rightly has."""

    def spoil(rows: list[Row]) -> list[Row]:
        old = rows[0][name]
        rows[0][name] = next(row[name] for row in rows if row[name] not in (old, None))
        return rows

    return spoil


def swap_between_classes(rows: list[Row]) -> list[Row]:
    one = rows[0]
    other = next(r for r in rows if r["age"] != one["age"] and r["sick"] != one["sick"])
    one["sick"], other["sick"] = other["sick"], one["sick"]
    return rows


def drop_and_double(rows: list[Row]) -> list[Row]:
    return [*(row for row in rows[1:] if row), next(r for r in rows if r != rows[0])]


def with_names(rows: list[Row]) -> list[Row]:
    return [{"name": f"person {i}", **row} for i, row in enumerate(rows)]


def renamed(rows: list[Row]) -> list[Row]:
    return [{"years" if n == "age" else n: v for n, v in row.items()} for row in rows]


def null_to_empty(name: str) -> Spoil:
    def spoil(rows: list[Row]) -> list[Row]:
        next(row for row in rows if row[name] is None)[name] = ""
        return rows

    return spoil


def empty_to_null(rows: list[Row]) -> list[Row]:
    next(row for row in rows if row["sick"] == "")["sick"] = None
    return rows


ALONE = {"age": "[90, 100)", "zip": "99***", "job": "care", "sick": "gout", "ward": "north"}

SPOILS: dict[str, Spoil] = {
    "a band changed to another valid label": another_label("age"),
    "a zip changed to another valid label": another_label("zip"),
    "a band changed to an original value": change("age", lambda _: "27"),
    "a band changed to a false label": change("age", lambda _: "[60, 70)"),
    "a band made to look finer": change("age", lambda _: "[20, 25)"),
    "a zip changed to a false label": change("zip", lambda _: "777**"),
    "a job changed to a leaf": change("job", lambda old: JOBS.get(old, ["nurse"])[0]),
    "a label starred": change("job", lambda _: "*"),
    "a sensitive cell changed": change("sick", lambda old: "gout" if old != "gout" else "flu"),
    "a kept cell changed": change("ward", lambda _: "west"),
    "sensitive cells swapped between classes": swap_between_classes,
    "a row doubled": lambda rows: [*rows, rows[0]],
    "a row dropped": lambda rows: rows[1:],
    "a row dropped and another doubled": drop_and_double,
    "a whole class dropped": lambda rows: [r for r in rows if r["age"] != rows[0]["age"]],
    "an identifier brought back": with_names,
    "a column renamed": renamed,
    "columns reordered": lambda rows: [dict(reversed(row.items())) for row in rows],
    "a sensitive column missing": lambda rows: [
        {n: v for n, v in row.items() if n != "sick"} for row in rows
    ],
    "a quasi-identifier missing": lambda rows: [
        {n: v for n, v in row.items() if n != "zip"} for row in rows
    ],
    "a suppressed row brought back, recoded": lambda rows: [*rows, ALONE],
    "a suppressed row brought back, starred": lambda rows: [
        *rows,
        ALONE | {"age": "*", "zip": "*", "job": "*"},
    ],
    "a null of a quasi-identifier turned into an empty text": null_to_empty("zip"),
    "a null of a kept column turned into an empty text": null_to_empty("ward"),
    "every null of a kept column turned into an empty text": lambda rows: [
        row | {"ward": row["ward"] or ""} for row in rows
    ],
    "an empty text turned into a null": empty_to_null,
    "all rows gone but one": lambda rows: rows[:1],
}


def as_kind(table: pa.Table, kind: str, folder: Path, name: str) -> Any:
    """The table itself, or the path of a CSV file that holds it."""
    if kind == "pyarrow":
        return table
    path = folder / f"{name}.{kind}"
    open_table(table).write(path)
    return path
