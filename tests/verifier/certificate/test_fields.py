"""Every field of a certificate is checked from outside, or listed as unchecked by its name."""

from __future__ import annotations

import json
import sys

import pytest
from certificate_mutations import KINDS, refused, release, survivors
from effort import THOROUGH

import lookalike as la
from lookalike.verifier.certificate.certificate import agree
from lookalike.verifier.certificate.fields import (
    CHECKED,
    OTHERS,
    UNCHECKED,
    field_name,
    fields,
    unchecked_fields,
)
from lookalike.verifier.certificate.public_checks import not_checked


@pytest.mark.parametrize("kind", KINDS)
def test_each_field_changed_removed_or_of_another_type_is_refused_or_listed(kind):
    tried, passed = survivors(kind, every=1 if THOROUGH else 7)
    assert tried > (150 if THOROUGH else 20)
    assert passed == []


@pytest.mark.parametrize("kind", KINDS)
def test_an_honest_certificate_passes_and_names_every_unchecked_field(kind):
    made = release(kind)
    content = json.loads(made.certificate.to_json())
    assert not refused(made, content)
    unchecked = unchecked_fields(content)
    assert OTHERS not in unchecked.values()
    sentences = " ".join(not_checked(made.certificate))
    named = {word.strip(",") for word in sentences.split()}
    assert {field_name(path) for path in unchecked} <= named


def test_sentences_findings_promise_and_numbers_of_the_release_are_never_unchecked():
    for kind in KINDS:
        unchecked = unchecked_fields(release(kind).certificate.content)
        for path in unchecked:
            assert path[0] not in ("findings", "promise", "require", "linking", "release_digest")
            assert path not in {("claim", "sentence"), ("rows", "released"), ("rows", "classes")}


def test_a_field_that_nobody_knows_is_listed():
    made = release("levels, rows suppressed")
    content = json.loads(made.certificate.to_json())
    content["rows"]["secret"] = 3
    content["signed_by"] = {"name": "the minister"}
    listed = not_checked(la.Certificate(content))
    [others] = [sentence for sentence in listed if sentence.startswith(OTHERS)]
    assert others == f"{OTHERS}: rows.secret, signed_by.name"


def test_the_table_of_fields_has_no_line_that_fits_no_certificate():
    paths = {path for kind in KINDS for path in fields(release(kind).certificate.content)}
    known = set(CHECKED) | {pattern for pattern, _, _ in UNCHECKED}
    unused = {pattern for pattern in known if not any(_starts(path, pattern) for path in paths)}
    assert unused == {("columns", "*", "by_interval"), ("packages", "**")}


def _starts(path: tuple[object, ...], pattern: tuple[object, ...]) -> bool:
    parts = [part for part in pattern if part != "**"]
    return len(path) >= len(parts) and all(
        wanted in ("*", key) for key, wanted in zip(path, parts, strict=False)
    )


def test_a_field_in_a_list_is_named_by_its_place():
    assert field_name(("findings", 2, "sentence")) == "findings[2].sentence"


@pytest.mark.parametrize("label", [2, {"a": 1}, [], None, True])
def test_a_label_that_is_not_text_is_refused(label):
    made = release("cuts")
    content = json.loads(made.certificate.to_json())
    for interval in content["columns"]["school"]["intervals_listed"]:
        interval["label"] = label
    assert refused(made, content)
    assert not_checked(la.Certificate(content))


def test_true_does_not_agree_with_one():
    made = release("levels, every row kept")
    content = json.loads(made.certificate.to_json())
    assert agree(la.Certificate(content), made.certificate)
    for level in (float(content["columns"]["age"]["level"]), bool(content["rows"]["suppressed"])):
        changed = json.loads(made.certificate.to_json())
        changed["columns"]["age"]["level"] = level
        assert not agree(la.Certificate(changed), made.certificate)


@pytest.mark.parametrize(
    "packages", [["__main__"], [1], [{}], [None], [], "json", ["json", "json"], ["json", "ast"],
                 ["\x1b[2K"], ["no_such_package_at_all"]],
    ids=str,
)  # fmt: skip
def test_packages_that_no_release_names_are_refused(packages, monkeypatch):
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None)  # as in a script
    made = release("levels, rows suppressed")
    assert refused(made, json.loads(made.certificate.to_json()) | {"packages": packages})
