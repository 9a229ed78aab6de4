"""Planted relations that bring a row below k are found; tables without one are not refused."""

import random

import pyarrow as pa
import pytest
from effort import effort
from planted_relations import PLANTED, planted_table, rows_below, unrelated_table

from lookalike.risks.kept_columns.findings import DEPENDENCIES
from lookalike.risks.kept_columns.screening import screen_kept_columns
from lookalike.tables.open import open_table

TABLES = 300
EXACT = ("logarithm", "pair")  # for which the attack of the oracle is the one that is measured
HALF = 0.5  # the measured attack may use a window, or a part of a relation, where it is as good


def screened(planted):
    return screen_kept_columns(open_table(pa.table(planted.columns)), planted.policy)


@pytest.mark.parametrize("kind", PLANTED)
def test_a_relation_that_brings_a_row_below_k_is_found(kind):
    number = effort(TABLES) // len(PLANTED) + 1
    at_risk = 0
    for seed in range(number):
        planted = planted_table(random.Random(f"{kind} {seed}"), kind)
        wanted = rows_below(planted)
        if not wanted:
            continue
        at_risk += 1
        findings = [
            finding
            for finding in screened(planted).refused()
            if finding.kind in DEPENDENCIES
            and planted.target in finding.reveals
            and set(finding.columns) <= set(planted.kept)
        ]
        assert findings, (kind, seed, wanted)
        rows = max(finding.rows for finding in findings)
        assert rows >= HALF * wanted, (kind, seed, wanted, rows)
        if kind in EXACT:
            assert rows == wanted, (kind, seed)
    assert at_risk


def test_a_table_without_a_relation_is_not_refused():
    for seed in range(effort(TABLES)):
        planted = unrelated_table(random.Random(f"unrelated {seed}"))
        refused = screened(planted).refused()
        assert not refused, (seed, [finding.sentence for finding in refused])


def test_a_large_table_is_ruled_out_by_samples_and_found_in_full():
    random_cells = random.Random(5)
    rows = 40_000
    code = [random_cells.randrange(9_000) for _ in range(rows)]
    one, two = ([random_cells.randrange(90) for _ in range(rows)] for _ in range(2))
    table = {
        "q_code": [f"c{c}" for c in code],
        "q_both": [f"b{(a * 90 + b) * 7 % 8100}" for a, b in zip(one, two, strict=True)],
        "region": [f"r{c * 31 % 4500}" for c in code],
        "one": [f"o{a}" for a in one],
        "two": [f"t{b}" for b in two],
        "other": [random_cells.randrange(9_000) for _ in range(rows)],
    }
    from planted_relations import Planted

    screening = screened(Planted(table, k=9, quasi=("q_code", "q_both")))
    assert {
        (finding.columns, finding.reveals)
        for finding in screening.refused()
        if len(finding.reveals) == 1
    } == {
        (("region",), ("q_code",)),
        (("one", "two"), ("q_both",)),
        (("one",), ("q_both",)),  # who knows q_both knows each of the two as well
        (("two",), ("q_both",)),
    }
