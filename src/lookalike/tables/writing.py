"""Rows to a file, by DuckDB: .csv or .parquet."""

from __future__ import annotations

from pathlib import Path

from lookalike.errors import Fault, FileError, TableError
from lookalike.tables import cells
from lookalike.tables.rows import Rows, said_plainly


def write(rows: Rows, path: Path) -> None:
    """Write to ``path`` as its suffix says.

    CSV: UTF-8, commas, a line of names, every cell as it is compared; null is an empty field and
    the empty text is ``""``. A NUL character is a fault. Parquet: the columns' own types, zstd.
    """
    suffix = path.suffix.lower()
    if suffix not in {".csv", ".parquet"}:
        fix = "let the file's name end in .csv or .parquet"
        raise FileError(Fault(path.name, "the end of its name says no kind of file", fix))
    if suffix == ".csv":
        kinds = rows.kinds()
        shown = ", ".join(f"{cells.text(f'c{i}', kind)} AS c{i}" for i, kind in enumerate(kinds))
        shown_rows = Rows(rows.ask(f"SELECT {shown} FROM t"), rows.names, rows.where)
        _refuse_nul(shown_rows)
        text = shown_rows.named()
        with said_plainly(path.name):
            # use_tmp_file would make a new file, with rights wider than the one waiting for us
            text.write_csv(str(path), sep=",", na_rep="", header=True, quotechar='"',
                           escapechar='"', use_tmp_file=False, overwrite=True)  # fmt: skip
        return
    native = rows.named()
    with said_plainly(path.name):
        native.write_parquet(str(path), compression="zstd", use_tmp_file=False, overwrite=True)


def _refuse_nul(text: Rows) -> None:
    """CSV has no NUL characters: most programs take a file with one for damaged, and so do we."""
    asked = ", ".join(f"bool_or(contains(c{i}, chr(0))) AS c{i}" for i in range(len(text.names)))
    [held] = text.fetch(f"SELECT {asked} FROM t").to_pylist()
    problem = "it holds NUL characters, which a CSV file cannot"
    fix = "write Parquet instead, or take them out"
    found = [
        Fault(name.replace("\0", "\N{SYMBOL FOR NULL}"), problem, fix)
        for name, there in zip(text.names, held.values(), strict=True)
        if there or "\0" in name
    ]
    if found:
        raise TableError(found)
