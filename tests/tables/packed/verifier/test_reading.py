"""A file read once more by the hashes of its cells: right whatever list of cells it is given."""

from __future__ import annotations

from threading import Event

import numpy as np
import pyarrow as pa
import pytest
from packed_tables import POOLS, random_table, save

import lookalike as la
from lookalike.tables.engine_progress import Step
from lookalike.tables.open import open_table
from lookalike.tables.packed.verifier.reading import (
    ReadingStopped,
    UnlistedCell,
    list_cells,
    read_texts,
)

STEP = Step("reading", 1)


def opened(tmp_path, seed=1, rows=500):
    table = random_table(np.random.default_rng(seed), rows)
    return open_table(save(table, tmp_path / f"{seed}.parquet"))


def read(file, listed, stop=None):
    return read_texts(file.inner.content, listed, stop or Event(), 2, STEP)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_read_by_hash_is_what_is_there(tmp_path, seed):
    file = opened(tmp_path, seed, rows=[0, 2, 600, 600][seed])
    listed = file.packed().values
    shuffled = [cells.take(pa.array(np.random.default_rng(seed).permutation(len(cells))))
                for cells in listed]  # fmt: skip
    for cells in (listed, shuffled, list_cells(file.inner.content)):
        found = read(file, cells)
        assert found.fingerprint("key") == file.inner.fingerprint("key")
        names = list(POOLS)
        assert found.text_rows(names).to_pydict() == file.inner.text_rows(names).to_pydict()


def test_a_cell_that_is_not_listed_or_twice_is_found(tmp_path, monkeypatch):
    file = opened(tmp_path)
    listed = list(file.packed().values)
    for place, cells in enumerate(listed):
        fewer = [*listed[:place], cells.slice(1), *listed[place + 1 :]]
        twice = [*listed[:place], pa.concat_arrays([cells, cells.slice(0, 1)]),
                 *listed[place + 1 :]]  # fmt: skip
        for wrong in (fewer, twice):
            with pytest.raises(UnlistedCell):
                read(file, wrong)
            again = open_table(file.path)  # and then DuckDB lists them
            again.expected_cells = tuple(wrong)
            assert again.fingerprint("key") == file.inner.fingerprint("key")


def test_it_can_be_stopped_and_asked_again(tmp_path):
    file = opened(tmp_path)
    stop = Event()
    stop.set()
    with pytest.raises(ReadingStopped):
        read(file, file.packed().values, stop)
    file.prepare_release()
    file.free_memory()
    assert file.fingerprint("key") == file.inner.fingerprint("key")


def test_nothing_is_read_ahead_once_a_release_has_failed(tmp_path):
    file = opened(tmp_path)
    policy = la.Policy(quasi_identifiers={"text": la.dates()}, require=la.KAnonymity(2),
                       insensitive=[name for name in POOLS if name != "text"])  # fmt: skip
    with pytest.raises(la.PolicyError):
        la.anonymize(file, policy)
    assert file.texts_in_memory is None
    assert file.reading_ahead is None or file.stop_reading.is_set()


def test_a_written_file_with_another_cell_is_refused(tmp_path, monkeypatch):
    """Though it is read by the cells that it should have."""
    table = pa.table({"zip": ["02138", "02139"] * 40, "ill": ["flu", "cold", "flu", "ache"] * 20})
    policy = la.Policy(quasi_identifiers={"zip": la.prefix()}, sensitive="ill",
                       require=la.KAnonymity(5))  # fmt: skip
    release = la.anonymize(save(table, tmp_path / "in.parquet"), policy)
    plain = type(release.released).write

    def forged(self, path):
        plain(self, path)
        cells = pa.parquet.read_table(path)
        ill = ["new" if i == 7 else cell for i, cell in enumerate(cells["ill"].to_pylist())]
        pa.parquet.write_table(cells.set_column(1, "ill", pa.array(ill)), path)

    monkeypatch.setattr(type(release.released), "write", forged)
    with pytest.raises(la.ReleaseRefused, match="does not hold the verified rows"):
        release.write(tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()
