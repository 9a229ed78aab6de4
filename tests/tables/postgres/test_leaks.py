"""A marker in a suppressed row is in no file, statistic or comment of a released table."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine_kinds import postgres_server
from marked_people import MARKER, POLICY, plain
from postgres_tables import NEEDS_POSTGRES, at, sql

import lookalike as la

pytestmark = NEEDS_POSTGRES


def files_of(table: str) -> list[bytes]:
    """What is on disk of a table: its heap, its side table for long values, and their maps."""
    sql("CHECKPOINT")
    [[folder]] = sql("SHOW data_directory")
    relations = sql(
        f"SELECT pg_relation_filepath('{table}'::regclass) UNION ALL "
        "SELECT pg_relation_filepath(reltoastrelid::oid) FROM pg_class "
        f"WHERE oid = '{table}'::regclass AND reltoastrelid <> 0"
    )
    paths = [Path(folder, name) for [name] in relations]
    return [file.read_bytes() for path in paths for file in path.parent.glob(f"{path.name}*")]


def test_no_file_statistic_or_comment_of_a_released_table_has_the_marker(schema: str) -> None:
    kinds = "name text, age bigint, town text, ill text, note text"
    sql(f"CREATE TABLE {schema}.marked ({kinds})")
    import psycopg

    with psycopg.connect(postgres_server().address()) as opened:
        rows = [tuple(row.values()) for row in plain().to_pylist()]
        insert = f"INSERT INTO {schema}.marked VALUES (%s, %s, %s, %s, %s)"
        opened.cursor().executemany(insert.encode(), rows)
    sql(f"ANALYZE {schema}.marked")
    assert any(MARKER.encode() in content for content in files_of(f"{schema}.marked"))
    release = la.anonymize(at(f"{schema}.marked"), POLICY)
    assert release.solution.suppressed == 1
    out = f"{schema}.out"
    release.write(at(out))
    sql(f"ANALYZE {out}")
    assert not any(MARKER.encode() in content for content in files_of(out))
    described = sql(
        f"SELECT s::text FROM pg_stats s WHERE schemaname = '{schema}' AND tablename = 'out' "
        f"UNION ALL SELECT obj_description('{out}'::regclass) "
        f"UNION ALL SELECT c::text FROM pg_class c WHERE oid = '{out}'::regclass "
        f"UNION ALL SELECT a::text FROM pg_attribute a WHERE attrelid = '{out}'::regclass"
    )
    assert described
    assert not any(MARKER in str(text) for [text] in described)


@pytest.mark.parametrize("source", ["people.csv", "people.parquet"])
def test_a_file_released_to_a_server_leaves_no_marker(
    schema: str, source: str, tmp_path: Path
) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    write = {".csv": pyarrow.csv.write_csv, ".parquet": pyarrow.parquet.write_table}
    path = tmp_path / source
    write[path.suffix](plain(), path)
    out = f"{schema}.out"
    la.anonymize(path, POLICY).write(at(out))
    sql(f"ANALYZE {out}")
    assert not any(MARKER.encode() in content for content in files_of(out))
