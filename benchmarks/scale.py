"""Tables larger than memory: a census-like Parquet file through ``lookalike run``, start to end.

    uv run python benchmarks/scale.py --folder DIR [--rows 1000000 10000000 100000000]
        [--columns 5 8] [--memory 3GB] [--times 3] [--apply] [--keep]

Makes the table (birth date, sex, race, zip, education, marital status, occupation, country;
correlated, with skew), rewrites it with plain DuckDB, and releases it, all in one run: times are
multiples of the plain rewrite beside it (several times: the median), memory is the peak of the
whole process that releases. At the end, how the time grows with the rows. With ``--apply``, only
recoding and writing are timed, from opening the table to the end of the file, the solution given.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import duckdb

# compiled modules are kept, which is Python's default
ORDINARY = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
COLUMNS = {
    "birth_date": "{ dates = true }",
    "sex": "{ flat = true }",
    "race": "{ flat = true }",
    "zip": "{ prefix = true }",
    "education": "{ tree = { low = ['none', 'primary'], mid = ['secondary', 'vocational', "
    "'college'], high = ['bachelor', 'master', 'doctor'] } }",
    "marital_status": "{ flat = true }",
    "occupation": "{ prefix = true }",
    "country": "{ prefix = true }",
}
LISTS = {
    "race": "'White','Black','Asian','Mixed','Native','Pacific','Other'",
    "education": "'none','primary','secondary','vocational','college','bachelor','master','doctor'",
    "marital": "'single','married','divorced','widowed','separated'",
}


def make(path: Path, rows: int, memory: str) -> None:
    """Each cell from its own hash of the row's number; the columns share some of them."""
    engine = duckdb.connect()
    engine.execute(f"SET memory_limit = '{memory}'")
    engine.execute("SET preserve_insertion_order = false")
    drawn = ", ".join(
        f"(hash(i * 7 + {n}) % 1000000) / 1e6 AS {name}" for n, name in enumerate("abdefg")
    )
    engine.execute(
        f"""COPY (WITH u AS (SELECT {drawn} FROM range({rows}) r(i)) SELECT
        DATE '1930-01-01' + CAST(floor(sqrt(a) * 29170) AS INTEGER) AS birth_date,
        CASE WHEN b < 0.505 THEN 'female' ELSE 'male' END AS sex,
        [{LISTS["race"]}][1 + CAST(floor(least(6, -ln(1 - d) * 1.1)) AS INTEGER)] AS race,
        lpad(CAST(CAST(floor(pow(e, 2.5) * 99000) + 501 AS INTEGER) AS VARCHAR), 5, '0') AS zip,
        [{LISTS["education"]}][1 + CAST(floor(8 * least(.999, .6 * f + .4 * a)) AS INTEGER)]
            AS education,
        [{LISTS["marital"]}][1 + CAST(floor(5 * least(.999, (1 - a) / 2 + g * g / 2)) AS INTEGER)]
            AS marital_status,
        lpad(CAST(CAST(floor(400 * pow((f + g) / 2, 2)) AS INTEGER) AS VARCHAR), 3, '0')
            AS occupation,
        lpad(CAST(CAST(floor(60 * pow(d * e, 3)) AS INTEGER) AS VARCHAR), 2, '0') AS country
        FROM u) TO '{path}' (FORMAT parquet, COMPRESSION zstd)"""
    )


def rewrite(path: Path, out: Path, memory: str) -> float:
    """Seconds that plain DuckDB takes to read the table and write it again."""
    engine = duckdb.connect()
    engine.execute(f"SET memory_limit = '{memory}'")
    began = time.perf_counter()
    engine.execute(
        f"COPY (FROM read_parquet('{path}')) TO '{out}' (FORMAT parquet, COMPRESSION zstd)"
    )
    return time.perf_counter() - began


def policy(columns: int) -> str:
    kept = [f'"{name}"' for name in list(COLUMNS)[columns:]]
    asked = [f"{name} = {spec}" for name, spec in list(COLUMNS.items())[:columns]]
    return "\n".join(
        [f"insensitive = [{', '.join(kept)}]", "[require]", "k_anonymity = 5", "[spend]",
         'metric = "loss"', "suppress = 0.01", "[quasi_identifiers]", *asked]
    )  # fmt: skip


def measured(
    table: Path, columns: int, folder: Path, memory: str
) -> tuple[float, float, float, str]:
    """Seconds to rewrite it and to release it, the peak in GB, and what came of it."""
    out, asked_for = folder / "scale-out.parquet", folder / "scale.toml"
    plain = rewrite(table, out, memory)
    os.sync()  # nobody pays for what another has written
    asked_for.write_text(policy(columns), encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "lookalike", "run", table, asked_for, "-o", out,
         "--force", "--memory", memory, "--spill", folder],
        capture_output=True, text=True, check=False, env=ORDINARY,
    )  # fmt: skip
    seconds = time.perf_counter() - began
    peak = max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1e6
    quality = [line.strip() for line in done.stdout.splitlines() if "Loss" in line]
    said = quality[0] if done.returncode == 0 and quality else done.stderr[-300:]
    return plain, seconds, peak, said


def applied(table: Path, columns: int, folder: Path, memory: str) -> tuple[float, float]:
    """Seconds to rewrite it, and to read, recode, sort and write it by a solution."""
    import lookalike as la
    from lookalike.policy import policy_file as policies
    from lookalike.tables.open import open_table

    la.limit_engine(memory=memory, spill=folder)
    problem = la.prepare(table, policies.loads(policy(columns)).policy)
    recoding = la.solve(problem).recoding
    assert recoding is not None
    out = folder / "scale-out.parquet"
    plain = rewrite(table, out, memory)
    os.sync()
    began = time.perf_counter()
    again = open_table(table)
    again.edit(problem.apply(recoding).edit(again.columns)).write(out)
    return plain, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--folder", type=Path, required=True, help="for the tables, which are large"
    )
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 10_000_000])
    parser.add_argument("--columns", type=int, nargs="*", default=[5, 8], choices=range(2, 9))
    parser.add_argument("--memory", default="3GB")
    parser.add_argument("--keep", action="store_true", help="keep the tables")
    parser.add_argument("--times", type=int, default=1, help="runs, of which the median is shown")
    parser.add_argument("--apply", action="store_true", help="time only recoding and writing")
    asked = parser.parse_args()
    if asked.apply:
        for rows in asked.rows:
            table = asked.folder / f"scale-{rows}.parquet"
            if not table.exists():
                make(table, rows, asked.memory)
            for columns in asked.columns:
                plain, seconds = applied(table, columns, asked.folder, asked.memory)
                print(f"{rows:>12,}{columns:>5}  rewrite {plain:.1f} s, apply and write "
                      f"{seconds:.1f} s, {seconds / plain:.2f} times", flush=True)  # fmt: skip
        return
    print(f"{'rows':>12}{'QIs':>5}{'rewrite':>10}{'run':>9}{'ratio':>7}{'peak GB':>9}  result")
    took: dict[int, list[float]] = {columns: [] for columns in asked.columns}
    for rows in asked.rows:
        table = asked.folder / f"scale-{rows}.parquet"
        if not table.exists():
            make(table, rows, asked.memory)
        for columns in asked.columns:
            runs = [measured(table, columns, asked.folder, asked.memory)
                    for _ in range(asked.times)]  # fmt: skip
            runs.sort(key=lambda one: one[1] / one[0])
            plain, seconds, peak, said = runs[len(runs) // 2]
            took[columns].append(seconds)
            print(f"{rows:>12,}{columns:>5}{plain:>8.1f} s{seconds:>7.1f} s{seconds / plain:>7.1f}"
                  f"{peak:>9.2f}  {said}", flush=True)  # fmt: skip
        if not asked.keep:
            table.unlink()
    for columns, times in took.items():
        grown = " : ".join(f"{one / times[0]:.1f}" for one in times)
        print(f"{columns} QIs: {' : '.join(f'{rows:,}' for rows in asked.rows)} rows take {grown}")
    for name in ("scale-out.parquet", "scale-out.parquet.certificate.json", "scale.toml"):
        (asked.folder / name).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
