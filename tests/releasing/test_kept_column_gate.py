"""A release is refused while a kept column gives a hidden one away, or names people."""

from __future__ import annotations

import datetime
import math
import random

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from three_ways_in import through_the_api, through_the_command_line, through_the_studio

import lookalike as la
from lookalike import pipeline

REASON = "wages of this firm are public"
WAGES = """
{accept}
insensitive = ["wage"]
[quasi_identifiers]
lwage = {{ bands = [0.5, 1] }}
sex = {{ flat = true }}
[require]
k_anonymity = 5
[spend]
suppress = 0.1
"""
AGES = """
insensitive = ["birth_year"]
[quasi_identifiers]
age = { bands = [10, 20] }
sex = { flat = true }
[require]
k_anonymity = 5
[spend]
suppress = 0.1
"""


def wages(rows: int = 300) -> pa.Table:
    draw = random.Random(1)
    paid = [round(draw.lognormvariate(1.6, 0.5), 2) for _ in range(rows)]
    sex = [draw.choice("fm") for _ in range(rows)]
    return pa.table({"wage": paid, "lwage": [math.log(wage) for wage in paid], "sex": sex})


def ages(rows: int = 300) -> pa.Table:
    draw = random.Random(2)
    age = [draw.randint(18, 90) for _ in range(rows)]
    birth_year = [2024 - years - draw.randint(0, 1) for years in age]
    sex = [draw.choice("fm") for _ in range(rows)]
    return pa.table({"age": age, "birth_year": birth_year, "sex": sex})


@pytest.fixture
def never_searches(monkeypatch):
    def searched(*given, **named):
        raise AssertionError("it was searched before the gate")

    monkeypatch.setattr(pipeline, "solve", searched)


@pytest.mark.usefixtures("never_searches")
@pytest.mark.parametrize(
    ("table", "policy", "names"),
    [(wages, WAGES.format(accept=""), ("wage", "lwage")), (ages, AGES, ("birth_year", "age"))],
    ids=["a logarithm", "a birth year"],
)
def test_every_way_in_refuses_and_names_the_columns_and_the_rows(
    table, policy, names, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    pa_csv.write_csv(table(), "table.csv")
    (tmp_path / "policy.toml").write_text(policy)
    faults = through_the_api()
    assert faults == through_the_command_line()
    assert faults == through_the_studio(tmp_path, monkeypatch)
    [(where, problem, fix)] = faults
    kept, hidden = names
    assert where == kept
    assert hidden in problem
    assert " rows" in problem
    assert any(sign.isdigit() for sign in problem)
    assert f"accept = {{ {kept} =" in fix
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.toml", "run-1", "table.csv"]


def test_an_accepted_column_is_released_with_the_reason_in_certificate_and_report(tmp_path):
    policy = la.Policy(
        quasi_identifiers={"lwage": la.bands(0.5, 1), "sex": la.flat()},
        insensitive="wage",
        require=la.KAnonymity(5),
        suppress=0.1,
        accept={"wage": REASON},
    )
    release = la.anonymize(wages(), policy)
    accepted = release.certificate.content["accepted"]["wage"]
    assert accepted["reason"] == REASON
    assert accepted["rows_at_risk"] > 100
    assert release.screening.findings
    assert not release.screening.refused(policy.accept)
    assert la.verify(release.released, release.certificate).passed
    for edition in ("internal", "public"):
        page = release.report(tmp_path / f"{edition}.html", edition=edition).read_text()
        assert REASON in page.partition("Signature")[0]  # on page one
        assert f"{accepted['rows_at_risk']} released rows" in page


def test_release_and_solve_ask_the_same_gate():
    policy = la.Policy(
        quasi_identifiers={"lwage": la.bands(0.5, 1), "sex": la.flat()},
        insensitive="wage",
        require=la.KAnonymity(5),
        suppress=0.1,
    )
    table = wages()
    problem = la.prepare(table, policy)
    solution = la.solve(problem)
    with pytest.raises(la.PolicyError, match="wage"):
        la.release(table, problem, solution)
    assert la.screen(table, policy).refused({})


def test_kept_identifiers_are_refused_and_no_sentence_says_that_there_are_none():
    draw = random.Random(3)
    people = [f"{draw.choice(['Ann', 'Bob', 'Eve'])} No{i}" for i in range(200)]
    table = pa.table(
        {
            "mrn": [f"MRN-{draw.randrange(10**7):07d}" for _ in people],
            "patient_name": people,
            "mail": [f"{name.lower().replace(' ', '.')}@example.org" for name in people],
            "sex": [draw.choice("fm") for _ in people],
        }
    )
    kept = ("mrn", "patient_name", "mail")
    policy = {"quasi_identifiers": {"sex": la.flat()}, "require": la.KAnonymity(5)}
    with pytest.raises(la.PolicyError) as caught:
        la.anonymize(table, la.Policy(**policy, insensitive=kept))
    assert {fault.where for fault in caught.value.faults} == set(kept)
    accepted = la.Policy(**policy, insensitive=kept, accept=dict.fromkeys(kept, "invented people"))
    release = la.anonymize(table, accepted)
    said = release.certificate.to_json()
    assert "and no identifier" not in said
    assert "no column declared an identifier is in it" in said


def test_a_limit_on_singled_out_rows():
    draw = random.Random(4)
    size = 400
    table = pa.table(
        {
            "age": [draw.randint(20, 60) for _ in range(size)],
            "pulse": [draw.randint(50, 110) for _ in range(size)],
            "seen": [datetime.date(2024, 1, 1 + draw.randrange(28)) for _ in range(size)],
            "ward": [draw.randrange(12) for _ in range(size)],
        }
    )
    kept = ("pulse", "seen", "ward")
    policy = {
        "quasi_identifiers": {"age": la.bands(10, 20)},
        "insensitive": kept,
        "require": la.KAnonymity(5),
    }
    release = la.anonymize(table, la.Policy(**policy))
    most = max(one.rows for one in release.screening.singling_out)
    assert most > size // 2
    with pytest.raises(la.PolicyError) as caught:
        la.anonymize(table, la.Policy(**policy, max_singled_out=most - 1))
    [fault] = caught.value.faults
    assert fault.where == "max_singled_out"
    assert f"{most:,} of {size:,} rows" in fault.problem
    assert la.anonymize(table, la.Policy(**policy, max_singled_out=most)).certificate.passed
    assert la.anonymize(table, la.Policy(**policy, max_singled_out=1.0)).certificate.passed
