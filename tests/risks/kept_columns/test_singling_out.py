"""Rows unique over kept columns: as counted by hand, and the worst sets are named."""

import random
from collections import Counter
from itertools import combinations

import pyarrow as pa
import pytest
from effort import effort

from lookalike.risks.kept_columns import singling_out
from lookalike.risks.kept_columns.coded_table import CodedTable
from lookalike.risks.kept_columns.singling_out import single_out
from lookalike.tables.open import open_table


def tables(number, seed):
    rng = random.Random(seed)
    for _ in range(number):
        names = [f"c{i}" for i in range(rng.randint(1, 6))]
        rows = rng.randint(1, 25)
        columns = {n: [rng.randrange(rng.randint(1, 9)) for _ in range(rows)] for n in names}
        yield columns, CodedTable.of(open_table(pa.table(columns)).count_groups(tuple(names)))


def unique(columns, names):
    tuples = list(zip(*(columns[name] for name in names), strict=True))
    return sum(count == 1 for count in Counter(tuples).values())


def test_sets_have_the_rows_that_are_unique_and_the_worst_are_first():
    for columns, table in tables(effort(100), 8):
        singled = single_out(table, tuple(columns))
        for of in singled:
            assert of.rows == unique(columns, of.columns)
        assert set(singled[-1].columns) == set(columns)
        for size in (1, 2, 3):
            worst = [of for of in singled[:-1] if len(of.columns) == size]
            assert [of.rows for of in worst] == sorted((of.rows for of in worst), reverse=True)
            telling = [
                unique(columns, names)
                for names in combinations(columns, size)
                if all(
                    unique(columns, names) > unique(columns, fewer)
                    for fewer in combinations(names, size - 1)
                    if fewer
                )
                and unique(columns, names)
            ]
            if worst:
                assert worst[0].rows == max(telling)


def test_a_large_table_extends_the_worst_sets(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(singling_out, "MAX_SET_TUPLES", 1)
    for columns, table in tables(effort(50), 9):
        for of in single_out(table, tuple(columns)):
            assert of.rows == unique(columns, of.columns)


def test_no_kept_column_singles_nobody_out():
    assert single_out(CodedTable({}, None), ()) == ()  # type: ignore[arg-type]
