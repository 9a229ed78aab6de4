"""Forge releases by lattice reduction, and see the verifier refuse every one.

    uv run --with fpylll --with cysignals python benchmarks/forgery.py [--releases 20]

A fingerprint is a sum over rows, so somebody who knows its key can look for changes to the numbers
of rows that sum to zero: a short vector of a lattice. *Chosen*: all rows of one class get a
diagnosis that the original does not contain, and other rows are added or left out to make up for
it. *Blind*: any change. Each forgery is first shown to fool the fingerprint under the key that it
was made for, so the attack is real. Then ``verify`` is asked from outside (release and certificate)
and from inside (original, policy and solution), for CSV and Parquet. It draws its own key after it
has the release, so it must refuse. So must ``tools/check_release.py``, for CSV.
"""

from __future__ import annotations

import argparse
import random
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
from fpylll import BKZ, LLL, IntegerMatrix  # type: ignore[import-not-found]

import lookalike as la
from lookalike.solution.solution_file import dumps
from lookalike.tables.fingerprint import PRIME, WORDS, numbers
from lookalike.tables.open import open_table

ILLNESSES = ("asthma", "cold", "flu", "gout", "measles", "migraine", "mumps", "ulcer")
NEW = "leprosy"  # nobody has it
MADE_UP_ROWS = 150  # distinct rows whose numbers the attacker changes
WEIGHT = 1 << 40  # of a sum that is not zero
CHECKER = Path(__file__).parents[1] / "tools" / "check_release.py"
NO_FAILURE, CHECK_FAILED = 0, 4  # exit codes of the checker
Row = tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=int, default=20)
    asked = parser.parse_args()
    made = fooled = passed = 0
    seconds = 0.0
    for seed in range(asked.releases):
        table, policy = hospital(seed)
        release = la.anonymize(table, policy)
        for chosen in (True, False):
            key = secrets.token_hex(16)
            began = time.perf_counter()
            forged = forge(release.table, key, chosen=chosen)
            seconds += time.perf_counter() - began
            if forged is None:
                print(f"release {seed}, {'chosen' if chosen else 'blind'}: no short vector found")
                continue
            made += 1
            under_key = [open_table(t).fingerprint(key) for t in (release.table, forged)]
            fooled += under_key[0] == under_key[1]
            passed += accepted(forged, release, table, policy)
    print(f"{made} forgeries, {seconds / max(1, made):.1f} s each; {fooled} of them have the "
          f"fingerprint of the release under the key that they were made for")  # fmt: skip
    print(f"verify and the checker accept {passed} of {6 * made} (from outside and inside; "
          f"verify for CSV and Parquet, the checker for CSV)")  # fmt: skip
    raise SystemExit(1 if passed or fooled < made or made < 2 * asked.releases else 0)


def hospital(seed: int) -> tuple[pa.Table, la.Policy]:
    rng = random.Random(seed)
    rows = 6000
    table = pa.table(
        {
            "born": [rng.randint(1940, 1999) for _ in range(rows)],
            "sex": [rng.choice("fm") for _ in range(rows)],
            "ill": [rng.choice(ILLNESSES) for _ in range(rows)],
        }
    )
    policy = la.Policy(
        quasi_identifiers={"born": la.bands(5, 10, 20), "sex": la.flat()},
        sensitive="ill",
        require=la.KAnonymity(100),
    )
    return table, policy


def forge(released: pa.Table, key: str, *, chosen: bool) -> pa.Table | None:
    """A table with other rows and the same fingerprint under the key."""
    counts = Counter(rows_of(released))
    change = Counter[Row]()
    if chosen:
        victim = random.Random(key).choice(sorted({row[:-1] for row in counts}))
        for row in [row for row in counts if row[:-1] == victim]:
            change[row] -= counts[row]
            change[(*victim, NEW)] += counts[row]
    free = [row for row, n in counts.most_common(MADE_UP_ROWS) if row not in change]
    for move in short_vectors(free, change, key):
        forged = counts.copy()
        for row, n in move.items():
            forged[row] += n
        if min(forged.values()) >= 0 and forged != counts:
            rows = sorted(forged.elements())
            columns = [pa.array(column) for column in zip(*rows, strict=True)]
            return pa.table(columns, names=released.column_names)
    return None


def short_vectors(free: list[Row], change: Counter[Row], key: str) -> Any:
    """Small changes to the numbers of rows that leave all sums as they are."""
    vectors = [row_numbers(row, key) for row in free]
    fixed = [
        sum(n * row_numbers(row, key)[i] for row, n in change.items()) for i in range(1 + WORDS)
    ]
    size = len(free) + 1  # the last line is the change that is wanted
    matrix = IntegerMatrix(size, size + 1 + WORDS)
    for i in range(size):
        matrix[i, i] = 1
        for j, number in enumerate(vectors[i] if i < len(free) else fixed):
            matrix[i, size + j] = WEIGHT * number
    LLL.reduction(matrix)
    BKZ.reduction(matrix, BKZ.Param(block_size=12))
    for line in matrix:
        times = line[size - 1]
        if any(line[size + j] for j in range(1 + WORDS)) or (change and abs(times) != 1):
            continue
        sign = times if change else 1
        move = Counter({row: sign * line[i] for i, row in enumerate(free) if line[i]})
        move.update(change)
        yield move


def row_numbers(row: Row, key: str) -> list[int]:
    """One, for the number of rows, and the product of the cells for each word."""
    products = [1] * WORDS
    for column, text in enumerate(row):
        [cell] = numbers(key, column, [text]).tolist()
        products = [
            product * number % PRIME for product, number in zip(products, cell, strict=True)
        ]
    return [1, *products]


def rows_of(table: pa.Table) -> list[Row]:
    columns = (column.cast(pa.string()).to_pylist() for column in table.columns)
    return list(zip(*columns, strict=True))


def accepted(forged: pa.Table, release: la.Release, table: pa.Table, policy: la.Policy) -> int:
    """How many of six verifications the forgery passes."""
    passed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [folder / "out.csv", folder / "out.parquet"]
        pc.write_csv(forged, paths[0])
        pq.write_table(forged, paths[1])
        for path in paths:
            passed += la.verify(path, release.certificate).passed
            inside = la.verify(path, original=table, policy=policy, solution=release.solution)
            passed += inside.passed
        (folder / "out.csv.certificate.json").write_text(release.certificate.to_json())
        pc.write_csv(table, folder / "original.csv")
        policy.save(folder / "policy.toml")
        (folder / "solution.json").write_text(dumps(release.solution))
        inside_files = ["--original", "original.csv", "--policy", "policy.toml"]
        for more in ([], [*inside_files, "--solution", "solution.json"]):
            command = [sys.executable, "-I", str(CHECKER), "out.csv", *more]
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if "Do not rely" not in run.stdout and run.returncode != NO_FAILURE:
                raise RuntimeError(f"the checker has no verdict: {run.stdout}{run.stderr}")
            passed += run.returncode != CHECK_FAILED
    return passed


if __name__ == "__main__":
    main()
