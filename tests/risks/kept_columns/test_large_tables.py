"""A large table is looked at in parts: the same is found and measured as in the whole table."""

from __future__ import annotations

import math
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.risks.kept_columns import large_tables, screening
from lookalike.risks.kept_columns.screening import screen_kept_columns
from lookalike.tables.open import open_table

ROWS = 6_000


def table(seed: int) -> pa.Table:
    draw = random.Random(seed)
    wage = [round(draw.lognormvariate(1.6, 0.5), 2) for _ in range(ROWS)]
    age = [draw.randint(18, 90) for _ in range(ROWS)]
    return pa.table(
        {
            "age": age,
            "lwage": [math.log(one) for one in wage],
            "wage": wage,
            "birth_year": [2024 - years for years in age],
            "mail": [f"p{number}@example.org" for number in range(ROWS)],
            "ward": [draw.randrange(9) for _ in range(ROWS)],
            "pulse": [draw.randint(50, 110) for _ in range(ROWS)],
        }
    )


POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(10), "lwage": la.bands(1)},
    insensitive=("wage", "birth_year", "mail", "ward", "pulse"),
    require=la.KAnonymity(5),
)


@pytest.mark.parametrize("parquet", [False, True], ids=["frame", "packed"])
def test_a_part_shows_what_the_whole_table_shows(parquet, tmp_path, monkeypatch):
    given = table(1)
    if parquet:
        pq.write_table(given, tmp_path / "table.parquet")
    whole = screen_kept_columns(open_table(given), POLICY)
    monkeypatch.setattr(screening, "MAX_WHOLE_ROWS", 1_000)
    monkeypatch.setattr(large_tables, "PART_TUPLES", 1_500)
    monkeypatch.setattr(large_tables.parts_of, "__defaults__", (1_500,))
    opened = open_table(tmp_path / "table.parquet" if parquet else given)
    part = screen_kept_columns(opened, POLICY)
    refused = {finding.columns: finding for finding in part.refused()}
    expected = {finding.columns: finding for finding in whole.refused()}
    assert refused.keys() == expected.keys()
    assert {("wage",), ("mail",), ("birth_year", "wage")} <= refused.keys()
    for columns, finding in expected.items():
        if finding.reveals:  # measured in the whole table
            assert refused[columns].rows == finding.rows
            assert refused[columns].sentence == finding.sentence
        else:
            assert refused[columns].rows == pytest.approx(finding.rows, rel=0.3)
    assert part.rows == ROWS
    counted = {one.columns: one.rows for one in whole.singling_out}
    for one in part.singling_out:
        assert not one.exact
        if counted.get(one.columns, 0) > ROWS / 4:
            assert one.rows == pytest.approx(counted[one.columns], rel=0.3)


@pytest.mark.parametrize(
    ("rows", "parts"), [(0, 1), (249_999, 1), (500_000, 2), (999_999, 2), (10**8, 256)]
)
def test_parts_are_a_power_of_two_and_not_too_small(rows, parts):
    assert large_tables.parts_of(rows) == parts
