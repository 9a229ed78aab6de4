"""The pipeline: the same faults, at the same moment, through API, command line and studio."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from three_ways_in import through_the_api, through_the_command_line, through_the_studio
from typer.testing import CliRunner

import lookalike as la
from lookalike import pipeline
from lookalike.cli.app import app
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


FAULTY = """
pseudonyms = ["person"]
[quasi_identifiers]
age = { bands = [10, 20] }
[require]
k_anonymity = 3
"""


@pytest.fixture
def faulty(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pa_csv.write_csv(pa.table({"person": list("abcd"), "age": [1, 2, 3, 4], "ill": [0, 1] * 2}),
                     "table.csv")  # fmt: skip
    (tmp_path / "policy.toml").write_text(FAULTY)
    (tmp_path / "search.toml").write_text(f'{FAULTY}[search]\nby = "flsh"\n')
    (tmp_path / "broken.toml").write_text(f"{FAULTY}[spend]\nsuppress = 7.5\n")


def command_faults(*typed):
    ended = CliRunner().invoke(app, [*typed, "--json"])
    assert ended.exit_code == 1, ended.output
    return [fault["where"] for fault in json.loads(ended.stdout)["faults"]]


@pytest.mark.usefixtures("faulty", "never_counts")
def test_faults_of_table_policy_key_and_search_are_reported_together():
    policy = la.load_policy("policy.toml")
    for table, first in (("missing.csv", "missing.csv"), ("table.csv", "ill")):
        with pytest.raises(la.LookalikeError) as caught:
            la.anonymize(table, policy, by="flsh", ledger="no/ledger")
        wheres = [fault.where for fault in caught.value.faults]
        assert wheres == [first, "pseudonyms", "by", "no/ledger"]


@pytest.mark.usefixtures("faulty", "never_counts")
def test_the_command_line_reports_the_same_faults_together():
    out = ("-o", "out.csv")
    missing = command_faults("run", "missing.csv", "policy.toml", *out, "--by", "flsh")
    assert missing == ["missing.csv", "search.by", "pseudonyms"]
    roles = command_faults("run", "table.csv", "search.toml", *out, "--ledger", "no/ledger")
    assert roles == ["search.by", "pseudonyms", "ill", "no/ledger"]
    broken = command_faults("run", "missing.csv", "broken.toml", *out, "--key", "no.key")
    assert broken == ["missing.csv", "spend.suppress", "key"]
    assert command_faults("release", "missing.csv", "broken.toml", "no.json", *out) == [
        "missing.csv", "spend.suppress", "no.json",
    ]  # fmt: skip
    assert command_faults("solve", "missing.csv", "broken.toml", "-o", "no/s.json") == [
        "s.json", "spend.suppress", "missing.csv",
    ]  # fmt: skip


@pytest.mark.usefixtures("never_counts")
def test_the_studio_reports_the_same_faults_together(faulty, tmp_path, monkeypatch):
    (tmp_path / "search.toml").replace(tmp_path / "policy.toml")
    faults = through_the_studio(tmp_path, monkeypatch, "no/ledger")
    assert [where for where, *_ in faults] == ["ill", "pseudonyms", "by", "no/ledger"]


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
