"""From outside: a certificate that contradicts the table or itself fails, an honest one passes."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from cut_recodings import GivenCuts
from sabotaged import good, patients, policy

import lookalike as la

SCHOOL = [
    "Preschool", "Some secondary", "High school", "Some college", "Associate, vocational",
    "Associate, academic", "Bachelor", "Master",
]  # fmt: skip


@cache
def cut() -> la.Release:
    """Intervals shown by a list, by the ends of one, by a range, and one that is all suppressed."""
    ages = [21, 22, 23, 24, 35, 36, 37, 38]
    school = [*SCHOOL[:7], SCHOOL[6]]
    table = pa.table({"age": [*ages, 97], "school": [*school, "Master"], "ill": ["flu"] * 9})
    asked = la.Policy(
        quasi_identifiers={"age": la.bands(50), "school": la.ordered(SCHOOL)},
        sensitive="ill",
        require=la.KAnonymity(2),
        metric="discernibility",
        suppress=1,
    )
    return la.anonymize(table, asked, GivenCuts(((4, 8), (4, 7))))


def edited(release: la.Release, **changes: Any) -> la.Certificate:
    """The certificate with ``a__b`` meaning content["a"]["b"]; numbers are places in a list."""
    content = json.loads(release.certificate.to_json())
    for path, value in changes.items():
        *above, last = [int(key) if key.isdigit() else key for key in path.split("__")]
        part = content
        for key in above:
            part = part[key]
        part[last] = value
    return la.Certificate(content)


def failed(release: la.Release, **changes: Any) -> set[str]:
    verdict = la.verify(release.released, edited(release, **changes))
    return {finding.check for finding in verdict.findings if not finding.holds}


@pytest.mark.parametrize(
    ("changes", "checks"),
    [
        ({"promise": ["100-anonymity: nobody stands out"]}, {"promise"}),
        ({"require": {"k_anonymity": 2}}, {"promise", "findings"}),
        ({"linking": [["job"]]}, {"promise", "findings"}),
        ({"linking": [["age", "zip"], ["job"]]}, {"promise", "findings"}),
        ({"conventions__stars": "wildcard"}, {"promise"}),
        ({"conventions__nulls": "refuse"}, {"shown"}),
        ({"conventions__cuts": "free"}, {"claim"}),
        ({"conventions__order": "as in the original"}, {"certificate"}),
        ({"rows__classes": 9999}, {"classes"}),
        ({"rows__original": 5}, {"rows", "findings"}),
        ({"rows__suppressed": -3}, {"certificate"}),
        ({"rows__suppressed": 3, "rows__original": 43}, {"findings"}),
        ({"rows__table": 100}, {"certificate"}),
        ({"rows__classes": "4"}, {"certificate"}),
        ({"model": "AG_"}, {"rows"}),  # which leaves out no rows
        ({"model": "XY"}, {"certificate"}),
        ({"eligible": ["shoe"]}, {"certificate"}),
        ({"findings": []}, {"findings"}),
        ({"findings__0__check": "blessed"}, {"findings"}),
        ({"findings__4__sentence": "3-anonymity: the smallest class has 99 rows."}, {"findings"}),
        ({"claim__sentence": "best ever"}, {"claim", "findings"}),
        ({"claim__status": "feasible"}, {"claim", "findings"}),
        ({"claim__bound": 0.01}, {"certificate"}),
        ({"claim__gap": 0.5}, {"certificate"}),
        ({"claim__space": "cuts"}, {"claim", "shown"}),
        ({"claim__guarantee": {"factor": 1.0}}, {"claim"}),
        ({"columns__zip__role": "insensitive"}, {"certificate"}),
        ({"columns__age__level": 0, "columns__age__shown": "suppressed (*)"}, {"shown"}),
        ({"columns__age__level": 4}, {"shown"}),
        ({"columns__age__level": None}, {"shown"}),
        ({"columns__age__intervals": 99}, {"shown"}),
        ({"columns__name__shown": "unchanged"}, {"shown"}),
    ],
)
def test_a_certificate_that_contradicts_itself_or_the_table_fails(changes, checks):
    assert failed(good(), **changes) == checks


LISTED = "columns__school__intervals_listed"


@pytest.mark.parametrize(
    "changes",
    [
        {"columns__school__intervals": 99},
        {"columns__school__intervals": 1, LISTED: []},
        {"columns__school__shown": "cut into 2 intervals: high, low"},
        {f"{LISTED}__0__label": "low"},
        {f"{LISTED}__0__values": SCHOOL[:3]},
        {f"{LISTED}__0__values": [*SCHOOL[:3], "Bachelor"]},
        {f"{LISTED}__1__values": [*SCHOOL[:2], "Bachelor"]},
        {f"{LISTED}__1__values": 5},
        {"columns__age__intervals_listed__1__values": ["35"]},
        {LISTED: "all"},
    ],
)
def test_intervals_are_just_those_of_the_release(changes):
    assert failed(cut(), **changes) == {"shown"}


def test_the_members_of_every_list_are_listed_without_suppressed_values():
    assert failed(cut()) == set()
    content = cut().certificate.content
    assert content["columns"]["school"] == {
        "role": "quasi-identifier",
        "intervals": 2,
        "shown": 'cut into 2 intervals: {Preschool … Some college, 4 values}, '
        '{"Associate, vocational" … Bachelor, 3 values}',
        "intervals_listed": [
            {"label": "{Preschool … Some college, 4 values}", "values": SCHOOL[:4]},
            {"label": '{"Associate, vocational" … Bachelor, 3 values}', "values": SCHOOL[4:7]},
        ],
    }  # fmt: skip
    assert content["columns"]["age"]["intervals_listed"] == [{"label": "≤24"}, {"label": "35–38"}]
    assert "97" not in str(content["columns"])
    assert "Master" not in str(content["columns"])


def test_members_are_not_listed_where_fewer_than_k_rows_show_them():
    """Two rows in the second interval, by a column that nobody links by."""
    asked = la.Policy(
        quasi_identifiers={"school": la.ordered(SCHOOL), "sex": la.flat()},
        require=la.KAnonymity(3),
        metric="loss",
        linking={"one": {"school": 0, "sex": 1}},
    )
    table = pa.table({"school": [*SCHOOL[:3], *SCHOOL[5:7]], "sex": ["f"] * 5})
    release = la.anonymize(table, asked, GivenCuts(((3,), ())))
    first, second = release.certificate.content["columns"]["school"]["intervals_listed"]
    assert first["values"] == SCHOOL[:3]
    assert second == {"label": '{"Associate, academic", Bachelor}'}
    assert failed(release) == set()
    assert failed(release, require={}) == {"certificate", "promise", "findings"}


def test_a_list_of_values_is_left_out_if_one_of_them_is_in_suppressed_rows_only():
    """The label says how many values there are; which is in the middle would be told."""
    asked = la.Policy(
        quasi_identifiers={"school": la.ordered(SCHOOL), "sex": la.flat()},
        require=la.KAnonymity(2),
        metric="discernibility",
        suppress=1,
    )
    for rare in SCHOOL[3:5]:
        school = [*SCHOOL[:3], SCHOOL[5], SCHOOL[6], SCHOOL[6], rare]
        table = pa.table({"school": school, "sex": [*"ffffff", "m"]})
        release = la.anonymize(table, asked, GivenCuts(((5,), (1,))))
        first, _ = release.certificate.content["columns"]["school"]["intervals_listed"]
        assert first["label"].endswith("5 values}")
        assert "values" not in first
        assert failed(release) == set()


def test_a_certificate_without_the_list_of_intervals_is_refused():
    content = json.loads(cut().certificate.to_json())
    del content["columns"]["school"]["intervals_listed"]
    assert not la.verify(cut().table, la.Certificate(content)).passed


HONEST: dict[str, tuple[dict[str, Any], str]] = {
    "starred rows apart": (
        {"conventions": la.Conventions(suppressed="star", stars="wildcard")},
        "flash",
    ),
    "starred rows as a class": (
        {"k": 2, "conventions": la.Conventions(suppressed="star")},
        "mondrian",
    ),
    "two sets of columns, eligible rows": (
        {"linking": {"one": ["age"], "two": ["zip", "job"]}, "eligible": {"sick": ["flu", "cold"]}},
        "flash",
    ),
    "two ks, a model, a column starred": (
        {
            "require": (la.KAnonymity(2), la.KAnonymity(3)),
            "model": "AG_TS",
            "levels": {"age": (4, 4)},
        },
        "datafly",
    ),
    "a guarantee": ({"levels": {}, "suppress": 0}, "meyerson-williams"),
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_certificate_passes(name):
    changed, by = HONEST[name]
    release = la.anonymize(patients(), policy(**changed), by)
    verdict = la.verify(release.table, release.certificate)
    assert verdict.passed, verdict.findings


def test_what_cannot_be_seen_is_named():
    unseen = " ".join(la.verify(good().table, good().certificate).not_checked)
    for part in ("come from the original", "cost", "bound", "proof", "claim", "not signed"):
        assert part in unseen
    assert "signed_by" not in unseen
    more = la.verify(good().table, edited(good(), signed_by="the minister"))
    assert more.passed
    assert "other parts of the certificate: signed_by" in more.not_checked[-2]


def test_a_weaker_promise_is_at_least_said():
    """Edited throughout, it is another certificate: it holds, and says of which columns."""
    release = la.anonymize(patients(), policy(linking={"one": {"age": 1, "zip": 0, "job": 1}}))
    found = la.verify(release.table, release.certificate).findings
    [promise] = [finding.sentence for finding in found if finding.check == "promise"]
    assert "over age, job alone" in promise
