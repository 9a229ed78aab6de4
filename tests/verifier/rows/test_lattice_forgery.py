"""A release that was forged to fit a known key: verify draws its key afterwards."""

from __future__ import annotations

from itertools import product

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.tables import open_table
from lookalike.verifier.rows import faithfulness

ROWS = list(product([str(year) for year in range(1940, 2000, 5)], "fm", "abcdefgh"))
EACH = 20  # how often each row is in the original
# What to add to the number of each row, a to e, or to take away, A to E. Found by lattice reduction
# (benchmarks/forgery.py), so that all sums of the fingerprint stay the same under the key "key".
CHANGE = (
    "B.CCaA..Ab..aAa.BAbbA..A..A..AA..b.D..cAAa..aBAdbaAAaa.AaabAA.AA"
    "bA..aAa..a......B.................A.....a.................b.a..."
    ".c..................A..........................................."
)


def table_of(times):
    rows = [row for row, n in zip(ROWS, times, strict=True) for _ in range(n)]
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    return pa.table(columns, names=["born", "sex", "ill"])


def forged():
    return table_of([EACH + "EDCBA.abcde".index(letter) - 5 for letter in CHANGE])


POLICY = la.Policy(
    quasi_identifiers={"born": la.flat(), "sex": la.flat()},
    sensitive="ill",
    require=la.KAnonymity(100),
)


@pytest.fixture(scope="module")
def release():
    return la.anonymize(table_of([EACH] * len(ROWS)), POLICY)


def verified(table, release):
    original = table_of([EACH] * len(ROWS))
    return la.verify(table, original=original, policy=POLICY, solution=release.solution)


def test_the_forgery_has_the_fingerprint_of_the_release_under_its_key(release):
    there, here = (open_table(table).fingerprint("key") for table in (release.table, forged()))
    assert here == there
    assert open_table(forged()).fingerprint("kez") != release.released.fingerprint("kez")


def test_verify_would_accept_it_if_the_key_were_known(release, monkeypatch):
    monkeypatch.setattr(faithfulness, "new_key", lambda: "key")
    assert verified(forged(), release).passed


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_verify_refuses_it_from_outside_and_inside(release, tmp_path, kind):
    path = tmp_path / f"out.{kind}"
    write = pyarrow.csv.write_csv if kind == "csv" else pq.write_table
    write(release.table, path)
    assert la.verify(path, release.certificate).passed
    assert verified(path, release).passed
    write(forged(), path)
    outside, inside = la.verify(path, release.certificate), verified(path, release)
    assert {"digest"} <= {finding.check for finding in outside.findings if not finding.holds}
    assert [finding.check for finding in inside.findings if not finding.holds] == ["truthful"]
