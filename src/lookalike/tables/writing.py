"""Rows to a file, by DuckDB: .csv or .parquet."""

from __future__ import annotations

from pathlib import Path

from lookalike.errors import Fault, TableError
from lookalike.tables import cells
from lookalike.tables.rows import Rows, said_plainly


def write(rows: Rows, path: Path) -> None:
    """Write to ``path`` as its suffix says.

    CSV: UTF-8, commas, a line of names, every cell as it is compared; null is an empty field and
    the empty text is ``""``. Parquet: the columns' own types, zstd.
    """
    suffix = path.suffix.lower()
    if suffix not in {".csv", ".parquet"}:
        fix = "let the file's name end in .csv or .parquet"
        raise TableError(Fault(path.name, "the end of its name says no kind of file", fix))
    if suffix == ".csv":
        kinds = rows.kinds()
        shown = ", ".join(f"{cells.text(f'c{i}', kind)} AS c{i}" for i, kind in enumerate(kinds))
        text = Rows(rows.ask(f"SELECT {shown} FROM t"), rows.names, rows.where).named()
        with said_plainly(path.name):
            # use_tmp_file would make a new file, with rights wider than the one waiting for us
            text.write_csv(str(path), sep=",", na_rep="", header=True, quotechar='"',
                           escapechar='"', use_tmp_file=False, overwrite=True)  # fmt: skip
        return
    native = rows.named()
    with said_plainly(path.name):
        native.write_parquet(str(path), compression="zstd", use_tmp_file=False, overwrite=True)
