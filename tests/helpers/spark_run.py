"""A program of its own: releases made by Spark, and what came of them as lines of JSON.

    python spark_run.py local|cluster|connect ADDRESS FOLDER TASK …

Tests start it, so that a session of Spark and its settings never meet those of another test.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]
    warnings.simplefilter("ignore")

import pyarrow as pa
import pyarrow.parquet as pq
from marked_people import MARKER, POLICY, arrow_bytes, plain
from typed_table import typed, typed_policy

import lookalike as la
from engines.test_engines_agree import FINE, POLICIES, people


def say(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def session(mode: str, address: str, folder: str) -> Any:
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    if mode == "connect":
        return builder.remote(address).getOrCreate()
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1"}
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": f"{folder}/tables",
        "spark.log.level": "OFF",
        "spark.executor.memory": "512m",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    return builder.master(address).getOrCreate()


def said(release: la.Release) -> dict[str, Any]:
    solution = release.solution
    rows = release.table.toArrow()
    cells = [[None if one is None else str(one) for one in c.to_pylist()] for c in rows.columns]
    return {
        "kind": type(release.table).__name__,
        "cost": solution.cost,
        "suppressed": solution.suppressed,
        "levels": list(getattr(solution.recoding, "levels", ())),
        "rows": sorted(map(list, zip(*cells, strict=True)), key=str),
        "certificate": release.certificate.to_json(),
    }


def make(spark: Any, table: pa.Table) -> Any:
    plain = table
    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            plain = plain.set_column(i, field.name, plain.column(i).cast(pa.string()))
        elif pa.types.is_timestamp(field.type):
            assert field.type.tz is None  # Spark's TIMESTAMP_NTZ
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = from_arrow_schema(plain.schema, prefer_timestamp_ntz=True)
    return spark.createDataFrame(plain, schema).repartition(3)


def table_out(spark: Any) -> dict[str, Any]:
    """Written, found again with its certificate, refused the second time, replaced by force."""
    make(spark, people()).write.mode("overwrite").saveAsTable("people")
    release = la.anonymize("spark:default.people", POLICIES["a share"])
    found: dict[str, Any] = {"name": release.write("spark:default.shared")}
    found["verified"] = la.verify("spark:default.shared").passed
    found["rows"] = spark.table("default.shared").count()
    try:
        release.write("spark:default.shared")
    except la.LookalikeError as error:
        found["again"] = str(error)
    try:
        release.write("spark:default.people")
    except la.LookalikeError as error:
        found["itself"] = str(error)
    release.write("spark:default.shared", force=True)
    found["forced"] = la.verify("spark:default.shared").passed
    found["tables"] = sorted(one.name for one in spark.catalog.listTables())
    try:
        la.anonymize("spark:default.nobody", POLICIES["a share"])
    except la.LookalikeError as error:
        found["unknown"] = str(error)
    return found


def floor(spark: Any) -> dict[str, Any]:
    """With the counts kept on the engine."""
    table = make(spark, people())
    problem = la.prepare(table, POLICIES["some rows"], hold=20)
    return said(la.release(table, problem, la.solve(problem)))


def few() -> pa.Table:
    """Two columns, since every column takes Spark its time."""
    return pa.table(
        {"age": [31, 32, None, 31, 58] * 6 + [99], "ill": ["flu", "cold"] * 15 + [None]}
    )


def few_policy() -> la.Policy:
    return la.Policy(quasi_identifiers={"age": la.bands(10)}, sensitive="ill",
                     require=la.KAnonymity(3), suppress=2)  # fmt: skip


def lost(spark: Any) -> dict[str, Any]:
    """Wait between the release and its writing until somebody has taken the workers away."""
    make(spark, few()).write.mode("overwrite").saveAsTable("few")
    release = la.anonymize("spark:default.few", few_policy())
    say({"waiting": True})
    sys.stdin.readline()
    found: dict[str, Any] = {"certificate": release.certificate.to_json()}
    try:
        release.write("spark:default.released")
    except la.LookalikeError as error:
        found["error"] = str(error)
    found["tables"] = sorted(one.name for one in spark.catalog.listTables())
    again = la.anonymize("spark:default.few", few_policy())
    again.write("spark:default.released")
    found["again"] = la.verify("spark:default.released").passed
    return found


def leaks(spark: Any) -> dict[str, Any]:
    """The forms of a released frame in which the marker of a suppressed person is found."""
    folder = Path(tempfile.mkdtemp())
    frame = la.anonymize(make(spark, plain()), POLICY).table
    forms = {"arrow": arrow_bytes(frame.toArrow()), "pandas": pickle.dumps(frame.toPandas())}
    for kind in ("csv", "json", "parquet"):
        getattr(frame.write, kind)(str(folder / kind))
        files = [file for file in (folder / kind).rglob("*") if file.is_file()]
        forms[kind] = b"".join(map(Path.read_bytes, files))
    forms["parquet, read"] = arrow_bytes(pq.read_table(folder / "parquet"))
    return {"forms": sorted(forms), "leaks": [n for n, b in forms.items() if MARKER.encode() in b]}


def done(spark: Any, task: str) -> dict[str, Any]:
    if task in POLICIES:
        return said(la.anonymize(make(spark, people()), POLICIES[task]))
    if task == "typed":
        return said(la.anonymize(make(spark, typed()), typed_policy()))
    if task == "own values":
        return said(la.anonymize(make(spark, typed()), typed_policy(**FINE)))
    if task == "empty":
        return said(la.anonymize(make(spark, typed().slice(0, 0)), typed_policy()))
    return {"table out": table_out, "floor": floor, "lost": lost, "leaks": leaks}[task](spark)


def main() -> None:
    mode, address, folder, *tasks = sys.argv[1:]
    spark = session(mode, address, folder)
    for task in tasks:
        say({"task": task} | done(spark, task))
    spark.stop()


if __name__ == "__main__":
    main()
