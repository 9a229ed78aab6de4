"""The role of a pseudonym: in Python and in TOML, one role a column, never guessed."""

from __future__ import annotations

from typing import Any

import pytest

import lookalike as la
from lookalike.policy.draft import ColumnFacts, draft_policy
from lookalike.policy.policy_file import dumps, loads
from lookalike.policy.pseudonym import Pseudonym

KEEP = Pseudonym("keep")
REST = "\n[quasi_identifiers]\nage = { flat = true }\n[require]\nk_anonymity = 2\n"


def policy(**more: Any) -> la.Policy:
    return la.Policy(quasi_identifiers={"age": la.flat()}, require=la.KAnonymity(2), **more)


@pytest.mark.parametrize(
    ("given", "written", "expected"),
    [
        ("id", 'pseudonyms = "id"', {"id": Pseudonym()}),
        (("id", "of"), 'pseudonyms = ["id", "of"]', {"id": Pseudonym(), "of": Pseudonym()}),
        ({"id": "keep"}, '[pseudonyms]\nid = "keep"', {"id": KEEP}),
        ({"id": KEEP}, '[pseudonyms]\nid = { format = "keep" }', {"id": KEEP}),
        (
            {"id": {"domain": "person"}, "doc tor": "token"},
            '[pseudonyms]\nid = { domain = "person" }\n"doc tor" = {}',
            {"id": Pseudonym("token", "person"), "doc tor": Pseudonym()},
        ),
        ((), "pseudonyms = []", {}),
    ],
)  # fmt: skip
def test_pseudonyms_are_read_and_written(given: Any, written: str, expected: Any) -> None:
    made = policy(pseudonyms=given)
    assert made.pseudonyms == expected
    assert loads(written + REST).policy == made
    assert loads(dumps(made)).policy == made


def test_a_list_is_written_as_a_list() -> None:
    assert 'pseudonyms = ["id"]' in dumps(policy(pseudonyms="id"))
    assert "pseudonyms" not in dumps(policy())


@pytest.mark.parametrize(
    ("given", "where", "said"),
    [
        ({"id": "kept"}, "pseudonyms.id.format", "did you mean keep"),
        ({"id": {"form": "keep"}}, "pseudonyms.id.form", "use one of: format, domain"),
        ({"id": {"domain": ""}}, "pseudonyms.id.domain", "name it"),
        ({"id": {"domain": 5}}, "pseudonyms.id.domain", "name it"),
        ({"id": True}, "pseudonyms.id", "format"),
        (7, "pseudonyms", "pseudonyms ="),
        ([1, 2], "pseudonyms", "as text"),
        (["id", "id"], "id", "one role"),
    ],
)
def test_what_is_wrong_is_a_fault_with_a_fix(given: Any, where: str, said: str) -> None:
    with pytest.raises(la.PolicyError) as caught:
        policy(pseudonyms=given)
    assert caught.value.faults[0].where == where
    assert said in caught.value.faults[0].fix


def test_faults_of_a_file_come_with_all_others() -> None:
    text = 'identifers = ["x"]\n[pseudonyms]\nid = "kept"\nno = 1\n' + REST
    with pytest.raises(la.PolicyError) as caught:
        loads(text)
    assert [fault.where for fault in caught.value.faults] == [
        "identifers", "pseudonyms.id.format", "pseudonyms.no",
    ]  # fmt: skip
    with pytest.raises(la.PolicyError) as caught:
        policy(pseudonyms=7, weights=3)
    assert len(caught.value.faults) == 2


@pytest.mark.parametrize("role", ["identifiers", "sensitive", "insensitive"])
def test_a_column_has_one_role(role: str) -> None:
    with pytest.raises(la.PolicyError, match="give it one role"):
        policy(pseudonyms="id", **{role: "id"})
    with pytest.raises(la.PolicyError, match="in quasi_identifiers and pseudonyms"):
        policy(pseudonyms="age")


def test_a_column_is_looked_for_and_its_role_known() -> None:
    assert policy(pseudonyms="id").faults(["age", "id"]) == []
    [lacking] = policy(pseudonyms="id").faults(["age"])
    assert lacking.where == "pseudonyms.id"
    [forgotten] = policy().faults(["age", "id"])
    assert "pseudonyms (keyed)" in forgotten.fix


def test_a_pseudonym_is_neither_class_nor_sensitive() -> None:
    with pytest.raises(la.PolicyError, match="id is a pseudonym"):
        policy(pseudonyms="id", metric=la.Classification("id"))
    with pytest.raises(la.PolicyError, match="move it from pseudonyms to sensitive"):
        la.Policy(
            quasi_identifiers={"age": la.flat()},
            require=(la.KAnonymity(2), la.DistinctDiversity("id", 2)),
            pseudonyms="id",
        )


def test_a_draft_mentions_the_role_and_never_guesses_it() -> None:
    facts = [
        ColumnFacts("patient_id", "VARCHAR", 100, 100, 0, tuple(f"P{i:03d}" for i in range(100))),
        ColumnFacts("age", "BIGINT", 100, 40, 0, tuple(range(20, 60))),
    ]
    text = draft_policy(facts, "patients.csv")
    assert "lookalike key FILE" in text
    assert loads(text).policy.pseudonyms == {}
