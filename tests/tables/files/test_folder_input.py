"""Folders of Parquet files, patterns of their names, and folders that are columns."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.tables.open import open_table

ROWS = [{"age": 20 + n % 3, "sex": "mf"[n % 2], "n": n} for n in range(40)]
POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(5), "sex": la.flat()},
    insensitive="n",
    require=la.KAnonymity(5),
    accept={"n": "an invented number"},
)


@pytest.fixture
def folder(tmp_path):
    """Four files in two folders, and what other programs leave beside them."""
    for part in range(4):
        place = tmp_path / "data" / f"part{part % 2}"
        place.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(ROWS[part::4]), place / f"{part}.parquet")
    (tmp_path / "data" / "_SUCCESS").touch()
    (tmp_path / "data" / "_temporary").mkdir()
    pq.write_table(pa.table({"x": [1]}), tmp_path / "data" / "_temporary" / "x.parquet")
    return tmp_path / "data"


@pytest.mark.parametrize("pattern", ["", "*/*.parquet", "**/[0-3].parquet"])
def test_many_files_are_one_table(folder, pattern, tmp_path):
    release = la.anonymize(folder / pattern if pattern else folder, POLICY)
    alone = la.anonymize(pa.Table.from_pylist(ROWS), POLICY)
    assert release.certificate.content == alone.certificate.content
    assert release.write(tmp_path / "out.parquet").exists()
    with pytest.raises(la.FileError, match="is in the input folder"):
        release.write(folder / "part0" / "out.parquet")


def test_folders_that_are_columns(tmp_path):
    for year in ("2023", "2024"):
        place = tmp_path / "data" / f"year={year}"
        place.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(ROWS), place / "x.parquet")
    table = open_table(tmp_path / "data")
    assert table.columns == ("age", "sex", "n", "year")
    found = table.distinct_text(["year"]).to_pydict()
    assert sorted(zip(found["c0"], found["count"], strict=True)) == [("2023", 40), ("2024", 40)]


def test_faults(tmp_path, folder):
    (tmp_path / "empty").mkdir()
    pq.write_table(pa.table({"other": [1]}), folder / "part0" / "9.parquet")
    (folder / "part1" / "notes.txt").write_text("a,b\n")
    for source, said in [
        (tmp_path / "empty", "no Parquet file"),
        (tmp_path / "nowhere" / "*.parquet", "no Parquet file"),
        (folder, "do not have the same columns"),
        (folder / "part1" / "*", "do not end in .parquet"),
    ]:
        with pytest.raises(la.TableError, match=said):
            open_table(source)


def test_limits_of_the_engine(tmp_path):
    with pytest.raises(la.PolicyError) as raised:
        la.limit_engine(memory="a lot", spill=tmp_path / "nowhere")
    assert [fault.where for fault in raised.value.faults] == ["memory", "spill"]
    try:
        la.limit_engine(memory="200MB", spill=tmp_path)
        path = tmp_path / "t.parquet"
        pq.write_table(pa.Table.from_pylist(ROWS), path)
        table = open_table(path)
        asked = (
            "SELECT current_setting('memory_limit') AS m, current_setting('temp_directory') AS d"
        )
        [found] = table.inner.content.fetch(f"{asked} FROM t LIMIT 1").to_pylist()
        assert found["m"] == "190.7 MiB"
        assert found["d"].startswith(str(tmp_path))
        assert la.anonymize(path, POLICY).certificate.passed
    finally:
        la.limit_engine()
