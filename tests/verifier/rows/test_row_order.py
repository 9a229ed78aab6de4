"""The verifier sees when rows are not in the order that follows from the rows alone."""

import random

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.tables.open import open_table
from lookalike.verifier.rows.row_order import sorted_rows


def holds(**columns):
    return sorted_rows(open_table(pa.table(columns))).holds


def test_text_and_numbers_each_in_their_own_order_are_sorted():
    assert holds(a=["a", "a", "b", None], b=[9, 10, -1, 0])
    assert holds(a=["10", "9"])
    assert holds(a=[9, 10])
    assert holds(a=["02138", "02139", "1"])
    assert holds(a=pa.array([], pa.string()))


@pytest.mark.parametrize(
    "columns",
    [
        {"a": ["b", "a"]},
        {"a": [None, "a"]},
        {"a": ["a", "a", "a"], "b": [2, 10, 1]},
        {"a": [10, 9, 10]},
        {"a": ["x", "y", "x"]},
    ],
)
def test_what_is_not_sorted_is_seen(columns):
    assert not holds(**columns)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_shuffled_release_is_refused(tmp_path, suffix):
    rng = random.Random(2)
    table = pa.table(
        {
            "age": [rng.randrange(5, 110) for _ in range(300)],
            "weight": [rng.choice([1.5, 10.25, -2.0]) for _ in range(300)],
            "ill": [rng.choice(["flu", "cold", None]) for _ in range(300)],
        }
    )
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(10, 50)},
        sensitive=["ill"],
        insensitive=["weight"],
        require=la.KAnonymity(3),
        suppress=0.1,
    )
    release = la.anonymize(table, policy)
    path = release.write(tmp_path / f"release.{suffix}")
    certificate = f"{path}.certificate.json"
    assert la.verify(path, certificate).passed
    import duckdb

    shuffled = tmp_path / f"shuffled.{suffix}"
    rows = duckdb.sql(f"SELECT * FROM '{path}' ORDER BY hash(ill, age, weight)")
    rows.write_csv(str(shuffled)) if suffix == "csv" else rows.write_parquet(str(shuffled))
    verdict = la.verify(shuffled, certificate)
    assert [finding.check for finding in verdict.findings if not finding.holds] == ["order"]
