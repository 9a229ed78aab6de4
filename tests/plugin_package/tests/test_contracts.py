"""Each class of the example keeps the contract of its kind."""

import pytest
from lookalike_example.initial import Initial
from lookalike_example.minority import Minority
from lookalike_example.round_robin import RoundRobin
from lookalike_example.shelf import ShelfAddress
from lookalike_example.star_share import StarShare
from pyarrow import ipc

from lookalike.testing import (
    AlgorithmContract,
    EngineContract,
    HierarchyContract,
    MetricContract,
    RequirementContract,
)


class TestRoundRobin(AlgorithmContract):
    @pytest.fixture(params=[False, True])
    def algorithm(self, request):
        return RoundRobin(backwards=request.param)


class TestStarShare(MetricContract):
    @pytest.fixture
    def metric(self):
        return StarShare()


class TestMinority(RequirementContract):
    @pytest.fixture
    def requirement(self):
        return Minority("ill", 2)


class TestInitial(HierarchyContract):
    @pytest.fixture
    def hierarchy(self):
        return Initial()

    @pytest.fixture
    def values(self):
        return ["nurse", "notary", "cook", None, "clerk"]


class TestShelf(EngineContract):
    @pytest.fixture(autouse=True)
    def shelf(self, tmp_path, monkeypatch):
        monkeypatch.setenv("LOOKALIKE_SHELF", str(tmp_path))

    def store(self, folder, name, table):
        if table is not None:
            with ipc.new_file(ShelfAddress(name).path, table.schema) as file:
                file.write_table(table)
        return f"shelf:{name}"
