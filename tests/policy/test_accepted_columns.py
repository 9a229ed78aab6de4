"""A policy accepts kept columns that reveal something, each with a reason, and sets a limit."""

from __future__ import annotations

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.policy.policy_file import dumps, loads

REASON = 'the wages of "public" servants\nare published'


def policy(**given):
    settings = {"sensitive": "wage", "insensitive": "town", "require": la.KAnonymity(2)} | given
    return la.Policy(quasi_identifiers={"age": la.bands(10), "zip": la.prefix()}, **settings)


def test_a_policy_file_gives_back_what_was_written():
    for given in (
        {"accept": {"wage": REASON, "town": "few towns"}},
        {"max_singled_out": 0.05},
        {"max_singled_out": 0},
        {"accept": {"wage": REASON}, "max_singled_out": 12, "pseudonyms": "name"},
    ):
        written = policy(**given)
        read = loads(dumps(written)).policy
        assert (read.accept, read.max_singled_out) == (written.accept, written.max_singled_out)
        assert dumps(read) == dumps(written)


def test_a_short_policy_file_may_write_it_on_one_line():
    text = """
        accept = { wage = "public" }
        max_singled_out = 0.1
        sensitive = "wage"
        [quasi_identifiers]
        age = { flat = true }
        [require]
        k_anonymity = 2
    """
    read = loads(text).policy
    assert (read.accept, read.max_singled_out) == ({"wage": "public"}, 0.1)


BAD = [
    ({"accept": {"age": "old"}}, "accept.age", "only columns that are kept unchanged"),
    ({"accept": {"shoe": "size"}}, "accept.shoe", "only columns that are kept unchanged"),
    ({"accept": {"wage": ""}}, "accept.wage", "no reason"),
    ({"accept": {"wage": " \n"}}, "accept.wage", "no reason"),
    ({"accept": {"wage": True}}, "accept.wage", "no reason"),
    ({"accept": ["wage"]}, "accept", "not a dict"),
    ({"accept": "wage"}, "accept", "not a dict"),
    ({"max_singled_out": 1.5}, "max_singled_out", "not from 0 to 1"),
    ({"max_singled_out": -1}, "max_singled_out", "rows"),
    ({"max_singled_out": "few"}, "max_singled_out", "not a number"),
    ({"max_singled_out": True}, "max_singled_out", "not a number"),
]


@pytest.mark.parametrize(("given", "where", "said"), BAD)
def test_what_cannot_be_accepted_is_a_fault(given, where, said):
    with pytest.raises(la.PolicyError) as caught:
        policy(**given)
    assert any(f.where == where and said in f.problem and f.fix for f in caught.value.faults)


def test_the_certificate_has_the_reason_and_the_released_rows_at_risk():
    table = pa.table(
        {
            "age": [31, 34, 37, 38, 52, 55],
            "zip": ["02138"] * 6,
            "wage": [1, 1, 2, 3, 4, 4],
            "town": ["A"] * 6,
        }
    )
    release = la.anonymize(table, policy(accept={"wage": "published", "town": "one town"}))
    assert release.certificate.content["accepted"] == {
        "town": {"reason": "one town", "rows_at_risk": 0},
        "wage": {"reason": "published", "rows_at_risk": 2},
    }
    verdict = la.verify(release.released, release.certificate)
    [finding] = [finding for finding in verdict.findings if finding.check == "accepted"]
    assert finding.holds


def test_without_accepted_columns_the_certificate_names_none():
    table = pa.table({"age": [31, 34], "zip": ["1", "1"], "wage": [1, 2], "town": ["A", "B"]})
    assert la.anonymize(table, policy()).certificate.content["accepted"] == {}
