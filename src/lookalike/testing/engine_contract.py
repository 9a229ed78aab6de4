"""``EngineContract``: laws that every address scheme keeps, whatever engine is behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lookalike import api
from lookalike.errors import FileError, TableError
from lookalike.policy.hierarchies.bands import bands
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.policy import Policy
from lookalike.privacy.k_anonymity import KAnonymity
from lookalike.registry import ADDRESSES
from lookalike.tables.addresses import address_kind, is_address, parse_address
from lookalike.tables.open import open_table

TABLE = pa.table(
    {
        "age": [21, 22, 23, 24, 31, 32, 33, None],
        "sex": ["f", "m", "f", "m", "f", "f", "m", "m"],
        "ill": ["flu", "cold", "flu", None, "cold", "flu", "ache", "flu"],
    }
)
POLICY = Policy(
    quasi_identifiers={"age": bands(5, 10), "sex": flat()},
    sensitive="ill",
    require=KAnonymity(2),
    suppress=0.2,
)


class EngineContract:
    """Override ``store``; a scheme that cannot be written to also sets ``writes`` to False."""

    writes = True

    def store(self, folder: Path, name: str, table: Any | None) -> str:
        """Make a pyarrow table under this name, or nothing if it is None; return the address."""
        raise NotImplementedError

    def test_the_address_is_known_by_its_scheme(self, tmp_path: Path) -> None:
        address = self.store(tmp_path, "people", TABLE)
        assert is_address(address)
        kind = address_kind(address)
        assert kind.scheme in ADDRESSES
        assert is_address(kind.example)
        assert parse_address(address) == parse_address(address)
        assert "people" in parse_address(address).name

    def test_it_holds_the_columns_and_rows(self, tmp_path: Path) -> None:
        table = open_table(self.store(tmp_path, "people", TABLE))
        assert table.columns == tuple(TABLE.column_names)
        assert table.rows() == TABLE.num_rows
        here, there = (
            each.distinct_text(TABLE.column_names).to_pylist()
            for each in (table, open_table(TABLE))
        )
        assert sorted(map(str, here)) == sorted(map(str, there))

    def test_a_release_is_the_same_as_from_a_frame(self, tmp_path: Path) -> None:
        here = api.anonymize(self.store(tmp_path, "people", TABLE), POLICY)
        there = api.anonymize(TABLE, POLICY)
        assert here.certificate.passed
        assert here.certificate.content == there.certificate.content

    def test_what_does_not_exist_is_a_fault(self, tmp_path: Path) -> None:
        with pytest.raises(TableError):
            open_table(self.store(tmp_path, "nothing", None))

    def test_a_release_is_written_and_verified_there(self, tmp_path: Path) -> None:
        release = api.anonymize(TABLE, POLICY)
        address = self.store(tmp_path, "shared", None)
        if not self.writes:
            with pytest.raises(FileError):
                release.write(address)
            return
        assert parse_address(address).find_existing(None) == (False, False)
        before = parse_address(address).mark()
        release.write(address)
        assert parse_address(address).find_existing(parse_address(address)) == (True, True)
        assert parse_address(address).mark() != before
        assert api.verify(address).passed
        with pytest.raises(FileError):
            release.write(address)
        release.write(address, force=True)
        assert api.verify(address).passed
