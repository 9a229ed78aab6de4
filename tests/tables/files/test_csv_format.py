"""CSV as it is found in the wild."""

from __future__ import annotations

import gzip
import logging
import os
import tempfile

import pyarrow as pa
import pytest

from lookalike.errors import TableError
from lookalike.tables import open_table


@pytest.fixture
def read(tmp_path):
    def write_and_read(content, name="t.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        table = open_table(path)
        native = table.native()
        return table.columns, [tuple(row.values()) for row in native.to_pylist()]

    return write_and_read


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_detected(read, delimiter):
    lines = [["zip", "job", "x"], ["01234", "1,5", "a;b"], ["00001", "2", ""]]
    quoted = [[f'"{c}"' if set(c) & set(",;|") else c for c in line] for line in lines]
    content = "".join(delimiter.join(line) + "\n" for line in quoted)
    assert read(content) == (("zip", "job", "x"), [("01234", "1,5", "a;b"), ("00001", "2", None)])


def test_decimal_commas_do_not_mislead(read):
    assert read("a;b\n1,5;2,5\n1,0;3,5\n") == (("a", "b"), [("1,5", "2,5"), ("1,0", "3,5")])
    assert read("Name, first;b\nx;2\ny;3\n")[0] == ("Name, first", "b")


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom", "utf-16-be-bom", "utf-32", "cp1252"],
)
def test_encodings_are_detected(read, encoding):
    content = "größe;b\n“é”;x\n"
    if encoding.endswith("-bom"):
        plain = encoding.removesuffix("-bom")
        raw = "\ufeff".encode(plain) + content.encode(plain)
    else:
        raw = content.encode(encoding)
    assert read(raw) == (("größe", "b"), [("“é”", "x")])


def test_bytes_that_cp1252_lacks_are_latin_1(read):
    assert read(b"a,b\n\xe9\x81,x\n") == (("a", "b"), [("é\x81", "x")])


def test_a_late_stray_byte_is_found(read):
    content = b"a,b\n" + b"1,2\n" * 300_000 + b"\xe9,3\n"
    columns, rows = read(content)
    assert (columns, rows[-1], len(rows)) == (("a", "b"), ("é", "3"), 300_001)
    assert read(b"a,b\n1,\xc3")[1] == [("1", "Ã")]  # cut off in the middle of a letter


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(read, end):
    assert read(f"a,b{end}1,2{end}3,4")[1] == [("1", "2"), ("3", "4")]


def test_empty_is_null_and_quoted_empty_is_empty(read):
    assert read('a,b\n,""\n"",\n')[1] == [(None, ""), ("", None)]
    assert read('a\nx\n\n""\n')[1] == [("x",), (None,), ("",)]


def test_quotes_newlines_and_delimiters_in_cells(read):
    content = 'a,"b ""x"""\n"l1\nl2","q""q"\n" s ","x,y"\nNULL,nan\n'
    expected = [("l1\nl2", 'q"q'), (" s ", "x,y"), ("NULL", "nan")]
    assert read(content) == (("a", 'b "x"'), expected)


def test_leading_zeros_and_big_numbers_stay_as_written(read):
    assert read("zip,n\n00501,1e5\n01234567890123456789,1.0\n")[1] == [
        ("00501", "1e5"),
        ("01234567890123456789", "1.0"),
    ]


@pytest.mark.parametrize("content", ["a,b\n", "a,b", "a,b\r\n"])
def test_names_alone_are_a_table_of_no_rows(read, content):
    assert read(content) == (("a", "b"), [])


def test_one_column(read):
    assert read("notes\nhello\nworld\n") == (("notes",), [("hello",), ("world",)])


def test_years_may_be_names(read):
    assert read("town,2019,2020\nx,1,2\n")[0] == ("town", "2019", "2020")


@pytest.mark.parametrize("suffix", ["tsv", "txt", "CSV"])
def test_other_suffixes(read, suffix):
    assert read("a\tb\n1\t2\n", f"t.{suffix}") == (("a", "b"), [("1", "2")])


def test_compressed(read):
    assert read(gzip.compress(b"a;b\n01;2\n"), "t.csv.gz") == (("a", "b"), [("01", "2")])
    assert read(gzip.compress("a;é\n01;2\n".encode("cp1252")), "u.csv.gz")[0] == ("a", "é")


@pytest.mark.parametrize("name", ["a[1].csv", "a*b?.csv", "year=2020.csv", "it's {x,y}.csv"])
def test_names_of_files_are_no_patterns(read, name, tmp_path):
    (tmp_path / "a1.csv").write_text("z,z2\n")
    assert read("a,b\n1,2\n", name) == (("a", "b"), [("1", "2")])


def test_folders_add_no_columns(read, tmp_path):
    (tmp_path / "year=2020").mkdir()
    assert read("a,b\n1,2\n", "year=2020/t.csv")[0] == ("a", "b")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("\n1,2\n", "first line is empty"),
        ("a,b,a\nsecret,2,3\n", "columns 1 and 3 have the same name"),
        ("a,A\nsecret,2\n", "case only"),
        ("a,,b\nsecret,2,3\n", "column 2 has no name"),
        ("39,secret\n40,secret\n", "cell 1 is a number"),
        ("secret,2020-01-01\nx,2020-01-02\n", "cell 2 is a number or a date"),
        ("a,b\n1,2\nsecret\n", "line 3: more or fewer cells than names (1 for 2)"),
        ("a,b\n1,2\n1,2,secret\n", "line 3: more or fewer cells than names (3 for 2)"),
        ('a,b\n1,2\n1,"secret\n', "line 3: a quote is not closed"),
        ('a,b\n1,2\n1,"secret"x\n', "line 3: a quote is not closed"),
        ("a,b\r\n1,2\nsecret,4\r\n", "same kind of line end"),
        (b"a,b\n1,\0secret\n", "damaged, or not a CSV"),
        (b"\xff\xfea", "not valid"),
        (b"a,b\n" + b"secret" * 500_000 + b",2\n", "too long"),
    ],
)
def test_mistakes_are_named_without_cell_values(read, content, message):
    with pytest.raises(TableError) as raised:
        read(content)
    assert message in str(raised.value)
    assert "secret" not in str(raised.value)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


def test_damaged_compression(read):
    whole = gzip.compress(b"a,b\n" + bytes(range(48, 58)) * 50)
    with pytest.raises(TableError, match="damaged"):
        read(whole[:-12], "t.csv.gz")
    with pytest.raises(TableError, match="damaged"):
        read(b"a,b\n1,2\n", "u.csv.gz")
    with pytest.raises(TableError, match="damaged"):
        read(whole[:10] + b"\xff" * 40, "v.csv.gz")


def test_a_huge_name_is_a_fault(read):
    with pytest.raises(TableError, match="first line"):
        read('"' + "x" * 200_000 + '",b\n')


def test_copies_are_private_and_do_not_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\né,1\n".encode("cp1252"))
    table = open_table(path)
    (folder,) = tmp_path.glob("lookalike-*")
    assert folder.stat().st_mode & 0o777 == 0o700
    (copy,) = folder.glob("*/*")
    assert (copy.name, copy.stat().st_mode & 0o777) == ("table.csv", 0o600)
    assert folder.name.startswith(f"lookalike-{os.getpid()}-")
    del table
    assert list(tmp_path.glob("lookalike-*")) == []


def test_sql_is_logged_without_values_or_paths(tmp_path, caplog):
    path = tmp_path / "hidden.csv"
    path.write_text("a,b\nsecret,1\n")
    with caplog.at_level(logging.DEBUG, "lookalike"):
        open_table(path).count_groups(("a",), ("b",))
    assert "GROUP BY" in caplog.text
    assert "secret" not in caplog.text
    assert "hidden" not in caplog.text


def test_written_files_are_read_back(tmp_path, read):
    path = tmp_path / "in.csv"
    path.write_text('a;b\n01;""\n;"x;y"\n')
    open_table(path).write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == 'a,b\n01,""\n,x;y\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("first", ["sep={}\r\n", '"sep={}"\n', "SEP={}\r"])
def test_a_first_line_for_excel_names_the_delimiter_and_is_no_row(read, encoding, delimiter, first):
    end = first.partition("}")[2].strip('"')
    lines = [["zip", "größe"], ["01", "1:5"], ["", '""']]
    content = first.format(delimiter) + "".join(delimiter.join(line) + end for line in lines)
    assert read(content, encoding=encoding) == (("zip", "größe"), [("01", "1:5"), (None, "")])


def test_a_first_line_for_excel_settles_what_the_data_leave_open(read):
    assert read("sep=;\na,b;c\n1,2;3\n") == (("a,b", "c"), [("1,2", "3")])
    assert read(gzip.compress(b"sep=;\na;b\n1;2\n"), "t.csv.gz") == (("a", "b"), [("1", "2")])
    assert read("sep,a\n1,2\n")[0] == ("sep", "a")
    with pytest.raises(TableError, match="delete that line"):
        read("sep=:\na:b\n1:2\n")


def test_text_that_csv_cannot_hold_is_named_by_its_column(tmp_path):
    content = pa.table({"a": ["x", "se\0cret"], "b": [1, 2], "c": [["d"], ["\0"]], "e": ["", None]})
    with pytest.raises(TableError) as raised:
        open_table(content).write(tmp_path / ".hidden.csv")
    assert [fault.where for fault in raised.value.faults] == ["a", "c"]
    assert "Parquet" in str(raised.value)
    assert "hidden" not in str(raised.value)
    assert "cret" not in str(raised.value)
    assert not (tmp_path / ".hidden.csv").exists()
    open_table(content).write(tmp_path / "out.parquet")
    with pytest.raises(TableError, match="NUL"):
        open_table(pa.table({"na\0me": ["x"]})).write(tmp_path / "out.csv")
