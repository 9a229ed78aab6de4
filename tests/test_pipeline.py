"""The pipeline: the same faults, at the same moment, through API, command line and studio."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from three_ways_in import through_the_api, through_the_command_line, through_the_studio

import lookalike as la
from lookalike import pipeline
from lookalike.events import Phase, PhaseStarted

POLICY = """
{pseudonyms}
sensitive = ["ill"]
[quasi_identifiers]
age = {{ bands = [10, 20] }}
[require]
k_anonymity = 3
[conventions]
nulls = "{nulls}"
"""
CASES = {
    "pseudonyms without a key": {"pseudonyms": 'pseudonyms = ["person"]'},
    "ledger in a folder that does not exist": {"ledger": "missing/ledger"},
    "unknown convention": {"nulls": "ignore"},
    "two faults at once": {"pseudonyms": 'pseudonyms = ["person"]', "ledger": "missing/ledger"},
}


class Counted(AssertionError):
    """Raised instead of counting: the fault came too late."""


@pytest.fixture
def never_counts(monkeypatch):
    def counted(*given, **named):
        raise Counted

    monkeypatch.setattr(pipeline, "prepare", counted)


@pytest.fixture(params=CASES)
def case(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = {"person": list("abcdef"), "age": [31, 34, 37, 52, 55, 58], "ill": list("xyxyxy")}
    pa_csv.write_csv(pa.table(table), "table.csv")
    given = {"pseudonyms": 'identifiers = ["person"]', "nulls": "value", "ledger": None}
    given |= CASES[request.param]
    (tmp_path / "policy.toml").write_text(POLICY.format(**given))
    return given


@pytest.mark.usefixtures("never_counts")
def test_every_way_in_finds_the_same_faults_before_counting(case, tmp_path, monkeypatch):
    ledger = case["ledger"]
    faults = through_the_api(ledger)
    assert faults
    assert through_the_command_line(ledger) == faults
    assert through_the_studio(tmp_path, monkeypatch, ledger) == faults
    assert not (tmp_path / "missing").exists()


def test_phases_are_events_in_order_and_the_ledger_goes_with_the_release(tmp_path):
    table = pa.table({"person": list("abcdef"), "age": [31, 34, 37, 52, 55, 58]})
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(10, 20)},
        identifiers=["person"],
        require=la.KAnonymity(3),
    )
    events = []
    release = la.anonymize(table, policy, observer=events.append, ledger=tmp_path / "ledger")
    phases = [event.phase for event in events if isinstance(event, PhaseStarted)]
    assert phases == [Phase.COUNTING, Phase.SCREENING, Phase.SEARCHING, Phase.RELEASING]
    release.write(tmp_path / "out.csv")
    assert len(la.Ledger(tmp_path / "ledger").entries) == 1
