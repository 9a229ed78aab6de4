"""What is logged holds no literal: no cell, no label, no number; and no name is ever run as SQL."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pyarrow as pa
import pytest
from engine_kinds import KINDS, make, read

import lookalike as la
from lookalike.tables.sql.relation import without_literals

HOSTILE = [
    '"; DROP TABLE t; --', "'; SELECT 1; --", "a' OR '1'='1", "c0", "t", "_lookalike_given",
    "n", "{rows}", "%s", "\\", "select",
]  # fmt: skip
CELLS = ["Secretville", "Mt. O'Hidden", "x'); DROP TABLE t; --", 'quo"ted', "{given}", "%(a)s"]


def hostile(rows: int = 60) -> pa.Table:
    return pa.table(
        {name: [CELLS[(n * (i + 1)) % len(CELLS)] for n in range(rows)]
         for i, name in enumerate(HOSTILE)}
    )  # fmt: skip


def policy() -> la.Policy:
    groups = {"'hid*den\"; --": CELLS[:3], "b' OR 1": CELLS[3:]}
    names = HOSTILE[:4]
    return la.Policy(
        quasi_identifiers={name: la.tree(groups) for name in names},
        insensitive=HOSTILE[4:],
        require=la.KAnonymity(2),
        levels={names[0]: (1, 2)},
        suppress=0.2,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_cells_and_labels_are_only_text(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="lookalike"):
        release = la.anonymize(make(hostile(), kind, tmp_path), policy())
        path = release.write(tmp_path / "out.csv")
        assert la.verify(path).passed
    names, rows = read(release.table)
    assert names == HOSTILE
    assert len(rows) == 60 - release.solution.suppressed
    assert {row[0] for row in rows} <= {"'hid*den\"; --", "b' OR 1", "*"}
    logged = " ".join(record.getMessage() for record in caplog.records)
    for cell in (*CELLS, "hid*den", "b' OR 1"):
        assert cell not in logged
    assert "'" not in re.sub(r'"(?:[^"]|"")*"', "", logged)  # but in names


def test_literals_are_taken_out_of_what_is_logged() -> None:
    sql = "SELECT c1 & 4095 AS w0, 'it''s' || c0 FROM t WHERE n < 5 AND x = 1.5"
    assert without_literals(sql) == "SELECT c1 & ? AS w0, ? || c0 FROM t WHERE n < ? AND x = ?"
