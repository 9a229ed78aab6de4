"""The attacks by name: through the library, and on a release that was just made."""

from __future__ import annotations

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.attacking.release_attacks import ATTACKS, quick_attacks

TABLE = pa.table(
    {
        "age": [31, 34, 37, 38, 52, 55, 57, 58],
        "sex": list("ffmmffmm"),
        "ill": ["flu", "flu", "HIV", "flu", "cold", "cold", "cold", "cold"],
    }
)
POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(10, 20)},
    identifiers="sex",
    sensitive="ill",
    require=la.KAnonymity(4),
)


def test_every_attack_can_be_named_and_says_what_it_assumes():
    release = la.anonymize(TABLE, POLICY)
    for name in ATTACKS:
        [found] = release.attacks(name)
        assert found.attack == name
        assert found.assumed
        assert found.sentences
    assert [found.attack for found in release.attacks()] == list(ATTACKS)
    assert set(quick_attacks()) <= set(ATTACKS)


def test_a_class_of_one_value_is_certain_for_its_people():
    release = la.anonymize(TABLE, POLICY)
    [skewness] = release.attacks("skewness")
    assert skewness.findings.certain == 4
    [alone] = la.attack(release.table, by="skewness", policy=POLICY)
    assert alone.sentences == skewness.sentences


def test_a_list_of_people_may_call_its_columns_otherwise():
    release = la.anonymize(TABLE, POLICY)
    people = TABLE.select(["age"]).rename_columns(["years"])
    found = la.attack(release.table, people, {"age": "years"}, by="all", policy=POLICY)
    assert not any("it needs a list" in text for one in found for text in one.sentences)
    [downcoding] = (one for one in found if one.attack == "downcoding")
    assert "not examined" in downcoding.sentences[0]  # who made the release is not known


def test_what_cannot_be_run_is_a_fault_with_a_fix():
    release = la.anonymize(TABLE, POLICY).table
    for given, where in (
        ({"by": "magic", "policy": POLICY}, "by"),
        ({"by": "all"}, "policy"),
        ({}, "attack"),
        ({"by": "all", "policy": POLICY, "outsiders": TABLE.select(["sex"])}, "on.age"),
    ):
        with pytest.raises(la.PolicyError) as caught:
            la.attack(release, **given)
        assert where in [fault.where for fault in caught.value.faults]
        assert all(fault.fix for fault in caught.value.faults)
    with pytest.raises(la.PolicyError, match="no such column"):
        la.attack(TABLE.select(["ill"]), by="all", policy=POLICY)
