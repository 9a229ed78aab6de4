"""Reading a certificate: old formats, other files, and what two certificates have in common."""

from __future__ import annotations

import json

import pytest
from sabotaged import opened, policy

import lookalike as la
from lookalike.verifier.certificate.certificate import OLD_FORMATS, Certificate, agree


@pytest.fixture(scope="module")
def content():
    return json.loads(la.anonymize(opened(), policy()).certificate.to_json())


@pytest.mark.parametrize("old", OLD_FORMATS)
def test_an_old_certificate_is_refused_with_the_reason(content, old):
    with pytest.raises(la.FileError, match=r"old format.*other rows can be made to fit"):
        Certificate.read(json.dumps(content | {"format": old}), "out.csv.certificate.json")


@pytest.mark.parametrize("format_", ["lookalike certificate 5", "", None, 4])
def test_another_format_is_not_a_certificate(content, format_):
    with pytest.raises(la.FileError, match="this is not a certificate"):
        Certificate.read(json.dumps(content | {"format": format_}), "out.csv.certificate.json")


def test_certificates_agree_if_only_the_version_differs(content):
    here = Certificate(content)
    assert agree(Certificate(content | {"made_with": "lookalike 9"}), here)
    for name in content.keys() - {"made_with"}:
        assert not agree(Certificate({k: v for k, v in content.items() if k != name}), here)
