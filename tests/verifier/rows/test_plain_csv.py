"""A released CSV file has one meaning: whatever else can be read as the same rows is refused."""

from __future__ import annotations

import csv
import gzip
import io
import random
import shutil
from pathlib import Path

import pytest
from effort import effort
from sabotaged import patients, policy
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli.app import app
from lookalike.tables import open_table
from lookalike.verifier.rows import plain_csv
from lookalike.verifier.rows.plain_csv import check_form, check_plain_csv


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("plain") / "r.csv"
    la.anonymize(patients(), policy()).write(path)
    return path


def changed(release: Path, folder: Path, change) -> la.Verdict:
    other = folder / "r.csv"
    other.write_bytes(change(release.read_bytes()))
    shutil.copy(f"{release}.certificate.json", f"{other}.certificate.json")
    return la.verify(other)


ODD = {
    "a comma too many on each line": lambda data: data.replace(b"\n", b",\n"),
    "a comma too many on each line of data": lambda data: (
        data[: data.index(b"\n") + 1] + data[data.index(b"\n") + 1 :].replace(b"\n", b",\n")
    ),
    "a comma too many on one line": lambda data: data[:-1] + b",\n",
    "blank lines between": lambda data: data.replace(b"\n", b"\n\n"),
    "blank lines after": lambda data: data + b"\n\n",
    "a line for Excel": lambda data: b"sep=,\n" + data,
    "semicolons": lambda data: data.replace(b",", b";"),
    "a carriage return before a cell": lambda data: data.replace(b"\n", b"\n\r", 1),
    "a carriage return at the end": lambda data: data + b"\r",
    "carriage returns alone": lambda data: data.replace(b"\n", b"\r"),
    "two kinds of line ends": lambda data: data.replace(b"\n", b"\r\n", 1),
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "Latin-1": lambda data: data.decode().encode("latin-1"),
}


@pytest.mark.parametrize("how", ODD)
def test_a_file_that_is_not_plain_is_refused(release, tmp_path, how):
    try:
        verdict = changed(release, tmp_path, ODD[how])
    except la.LookalikeError:
        return  # it cannot even be read
    assert not verdict.passed
    assert not next(finding.holds for finding in verdict.findings if finding.check == "form")


@pytest.mark.parametrize(
    "change",
    [lambda data: data, lambda data: data.replace(b"\n", b"\r\n"), lambda data: data[:-1],
     lambda data: b"\xef\xbb\xbf" + data],
    ids=["as written", "line ends of Windows", "without the last line end", "with a mark"],
)  # fmt: skip
def test_what_programs_change_on_their_own_is_not(release, tmp_path, change):
    assert changed(release, tmp_path, change).passed


@pytest.mark.parametrize("chunk", [1, 2, 7, 1 << 22])
def test_quotes_commas_and_line_ends_within_cells(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(plain_csv, "CHUNK_BYTES", chunk)
    rng = random.Random(chunk)
    for number in range(effort(400)):
        columns, rows = rng.randint(1, 3), rng.randint(1, 4)
        cells = ["a", 'say "yes"', "x,y", "two\nlines", "", '"', "ä", '""', "\r\n"]
        table = [[rng.choice(cells) for _ in range(columns)] for _ in range(rows + 1)]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n", quoting=rng.randint(0, 1)).writerows(table)
        path = tmp_path / f"{number}.csv"
        path.write_bytes(text.getvalue().encode())
        names = table[0]
        assert check_plain_csv(path, rows, names).holds
        assert not check_plain_csv(path, rows + 1, names).holds
        assert not check_plain_csv(path, rows, [*names, "more"]).holds
        zipped = tmp_path / f"{number}.csv.gz"
        zipped.write_bytes(gzip.compress(path.read_bytes()))
        assert check_plain_csv(zipped, rows, names).holds
        zipped.write_bytes(zipped.read_bytes()[:-9])
        assert "to its end" in check_plain_csv(zipped, rows, names).sentence


def test_semicolons_with_as_many_commas_as_a_plain_file_has(tmp_path):
    """Two columns, so one comma for each line: in the labels, where semicolons need no quotes."""
    path = tmp_path / "r.csv"
    path.write_text("age;ill\n[20, 30);flu\n[20, 30);cold, or flu\n")
    table = open_table(path)
    assert table.columns == ("age", "ill")
    [finding] = check_form(table)
    assert not finding.holds
    assert "names of the columns" in finding.sentence
    path.write_text('age,ill\n"[20, 30)",flu\n"[20, 30)","cold, or flu"\n')
    assert check_form(open_table(path))[0].holds


@pytest.mark.parametrize("how", ["blank lines after", "a line for Excel", "Latin-1"])
def test_the_command_line_and_a_signer_refuse_it_too(release, tmp_path, how):
    """The command line opens a file before it verifies it."""
    other = tmp_path / "r.csv"
    other.write_bytes(ODD[how](release.read_bytes()))
    shutil.copy(f"{release}.certificate.json", f"{other}.certificate.json")
    assert not la.verify(open_table(other), f"{other}.certificate.json").passed
    run = CliRunner().invoke(app, ["verify", str(other)])
    assert run.exit_code == 4, run.output
    pytest.importorskip("cryptography")
    from lookalike.signatures.signing_key import write_signing_key

    write_signing_key(tmp_path / "key")
    with pytest.raises(la.ReleaseRefused, match="plain CSV"):
        la.sign(other, tmp_path / "key")


@pytest.mark.parametrize("chunk", [1, 2, 3, 1 << 22])
def test_all_lines_end_alike(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(plain_csv, "CHUNK_BYTES", chunk)
    path = tmp_path / "r.csv"
    rows = 'a,b\n1,"x\r"\n2,"\r\n"\n"\r",4\n'
    for text, holds in (
        (rows, True),
        (rows.replace("\n", "\r\n"), True),
        (rows.replace("\n", "\r\n")[:-2], True),
        (rows.replace("\n1", "\r\n1"), False),
        (rows.replace("\n1", "\n\r1"), False),
        (rows + "\r", False),
    ):
        path.write_bytes(text.encode())
        assert check_plain_csv(path, 3, ["a", "b"]).holds is holds, text
