"""Tables, views, partitions and queries of PostgreSQL, with any names."""

from __future__ import annotations

import gc
from dataclasses import replace

import pyarrow as pa
import pytest
from engine_kinds import postgres_server
from postgres_server import PASSWORD
from postgres_tables import NEEDS_POSTGRES, POLICY, arrow, at, heap, kill, sql

import lookalike as la
from lookalike.tables.table_listing import tables_in

pytestmark = NEEDS_POSTGRES


NAMES = [
    "c0", "t", "_lookalike_lookup", "_lookalike_order", "oid", "n", "count", "gone", "q0", "l0",
    'a"; DROP TABLE x; --', "it's", "a\\b", "%s", "{}", "a\nb", "é 東京", "select",
]  # fmt: skip


def test_names_labels_and_values_are_never_sql(schema: str) -> None:
    """Each odd text is a column's name, a cell, a label, and part of the table's own name."""
    labels = {f"{name} up": [name] for name in NAMES}
    table = pa.table(
        {name: [NAMES[(row + i) % len(NAMES)] for row in range(72)] for i, name in enumerate(NAMES)}
    )
    tree, ordered, *flat = NAMES[0], NAMES[10], NAMES[2], NAMES[11]
    policy = la.Policy(
        quasi_identifiers={tree: la.tree(labels), ordered: la.ordered(NAMES, [2, 6])}
        | {name: la.flat() for name in flat},
        insensitive=tuple(name for name in NAMES if name not in {tree, ordered, *flat}),
        eligible={NAMES[3]: NAMES[:-1]},
        levels={tree: (1, 1), ordered: (1, 2)},
        require=la.KAnonymity(2),
    )
    reference = la.anonymize(table, policy).certificate.to_json()
    as_it_is = la.Policy(
        quasi_identifiers={NAMES[0]: la.flat()}, insensitive=NAMES[1:], require=la.KAnonymity(2)
    )
    odd = f'{schema}."_lookalike_0; -- \'\' "" %s {{}} '
    la.anonymize(table, as_it_is).write(at(odd + 'in"'))
    release = la.anonymize(at(odd + 'in"'), policy)
    assert release.certificate.to_json() == reference
    release.write(at(odd + 'out\n\\"'))
    assert la.verify(at(odd + 'out\n\\"')).passed
    assert sql(f"SELECT count(*) FROM pg_class WHERE relnamespace = '{schema}'::regnamespace "
               "AND relkind = 'r'") == [(3,)]  # fmt: skip


def test_a_table_named_like_our_temporary_tables_is_read(schema: str) -> None:
    for name in ("_lookalike_0", "_lookalike_lookup"):
        sql(f"ALTER TABLE {schema}.people RENAME TO {name}")
        release = la.anonymize(at(name, options=f"-c search_path={schema},pg_temp"), POLICY)
        assert release.certificate.to_json() == la.anonymize(arrow(), POLICY).certificate.to_json()
        del release  # and its lock
        gc.collect()
        sql(f"ALTER TABLE {schema}.{name} RENAME TO people")


def test_views_partitions_and_odd_schemas_can_be_read(schema: str) -> None:
    sql(f"CREATE VIEW {schema}.v AS SELECT *, random() AS fresh FROM {schema}.people",
        f"CREATE MATERIALIZED VIEW {schema}.m AS SELECT * FROM {schema}.people",
        f"CREATE TABLE {schema}.p (LIKE {schema}.people) PARTITION BY RANGE (age)",
        f"CREATE TABLE {schema}.p1 PARTITION OF {schema}.p FOR VALUES FROM (0) TO (33)",
        f"CREATE TABLE {schema}.p2 PARTITION OF {schema}.p DEFAULT",
        f"INSERT INTO {schema}.p SELECT * FROM {schema}.people",
        f'ALTER TABLE {schema}.people ADD gone int', f"ALTER TABLE {schema}.people DROP gone",
        f'CREATE SCHEMA "{schema}.The Dots"',
        f'CREATE TABLE "{schema}.The Dots"."A.b" AS SELECT * FROM {schema}.people')  # fmt: skip
    reference = la.anonymize(arrow(), POLICY).certificate.to_json()
    dots = f'"{schema}.The Dots"."A.b"'
    try:
        for source in (f"{schema}.m", f"{schema}.p", f"{schema}.people", dots):
            assert la.anonymize(at(source), POLICY).certificate.to_json() == reference
        policy = replace(POLICY, insensitive=("fee", "fresh"))
        release = la.anonymize(at(f"{schema}.v"), policy)  # asked once, or it would not add up
        release.write(at(f'"{schema}.The Dots"."O.ut"'))
        assert la.verify(at(f'"{schema}.The Dots"."O.ut"')).passed
    finally:
        kill()
        sql(f'DROP SCHEMA "{schema}.The Dots" CASCADE')


def test_only_tables_that_may_be_read_are_listed(schema: str) -> None:
    reader = f"{schema}_reader"
    sql(f"CREATE VIEW {schema}.seen AS SELECT * FROM {schema}.people",
        f'CREATE TABLE {schema}."A.b" ()', f"CREATE TABLE {schema}.hidden ()",
        f"CREATE ROLE {reader} LOGIN PASSWORD '{PASSWORD}'",
        f"GRANT USAGE ON SCHEMA {schema} TO {reader}",
        f"GRANT SELECT ON {schema}.people, {schema}.seen TO {reader}")  # fmt: skip
    try:
        mine = [name for name in tables_in(at("anything")) if name.startswith(schema)]
        assert mine == [f'{schema}."A.b"', *(f"{schema}.{n}" for n in ("hidden", "people", "seen"))]
        theirs = tables_in(postgres_server().address(user=reader))
        assert theirs == [f"{schema}.people", f"{schema}.seen"]
        assert not [name for name in tables_in(at("t")) if name.startswith(("pg_", "information"))]
    finally:
        sql(f"DROP OWNED BY {reader}", f"DROP ROLE {reader}")
    with pytest.raises(la.TableError, match=r"the database: .*password") as caught:
        tables_in(postgres_server().address().replace(PASSWORD, "wrong"))
    assert "wrong" not in str(caught.value)


def test_a_table_with_no_rows_or_no_columns(schema: str) -> None:
    sql(f"CREATE TABLE {schema}.nobody (LIKE {schema}.people)", f"CREATE TABLE {schema}.bare ()",
        f"INSERT INTO {schema}.bare DEFAULT VALUES")  # fmt: skip
    la.anonymize(at(f"{schema}.nobody"), POLICY).write(at(f"{schema}.out"))
    assert heap(f"{schema}.out") == []
    assert la.verify(at(f"{schema}.out")).passed
    la.anonymize(arrow().slice(0, 0), POLICY).write(at(f"{schema}.out"), force=True)
    assert la.verify(at(f"{schema}.out")).passed
    with pytest.raises(la.TableError, match="it has no columns"):
        la.anonymize(at(f"{schema}.bare"), POLICY)
