"""Checks that anyone can make who has a release and its certificate, without the original.

Classes are counted again, and what follows from the table or from other parts of the certificate is
computed again (``consistency*.py``). What cannot be checked is listed (``fields.py``).
"""

from __future__ import annotations

from lookalike.policy.requirement_names import requirements_from
from lookalike.tables.table import Table
from lookalike.verifier.certificate.accepted_columns import check_accepted
from lookalike.verifier.certificate.certificate import (
    Certificate,
    columns_with_role,
    is_complete,
)
from lookalike.verifier.certificate.consistency import (
    check_classes,
    check_findings,
    check_promise,
    check_rows,
)
from lookalike.verifier.certificate.consistency_claim import check_claim, check_cost
from lookalike.verifier.certificate.consistency_columns import check_columns
from lookalike.verifier.certificate.fields import (
    ACCEPTED,
    COST,
    GENERALIZED,
    NOT_SIGNED,
    OTHERS,
    POPULATION,
    ROLES,
    ROWS,
    SAMPLE,
    field_name,
    unchecked_fields,
)
from lookalike.verifier.certificate.sampled import check_sampling, is_sampled
from lookalike.verifier.finding import Finding
from lookalike.verifier.pseudonyms.people_per_class import public_people_findings
from lookalike.verifier.requirements.recount import recount
from lookalike.verifier.rows.row_order import sorted_rows

SIGNATURE_NOT_CHECKED = (
    "who wrote the certificate, and which algorithm made the release: there is a signature, {}, "
    "which was not checked; to check it, add --signed-by with the data holder's public key "
    "(signed_by= in Python)"
)
SIGNED = "which algorithm made the release; only the signer says so"
PSEUDONYMS = (
    "that the pseudonyms belong to the right people, which can be checked only with the key"
)
REASONS = (ROWS, SAMPLE, GENERALIZED, ROLES, ACCEPTED, COST, POPULATION, OTHERS, NOT_SIGNED)


def not_checked(certificate: Certificate, author: str = NOT_SIGNED) -> tuple[str, ...]:
    """What cannot be checked without the original, with the names of the fields.

    ``author`` is the sentence about who wrote the certificate.
    """
    if not is_complete(certificate.content):
        return (ROWS, GENERALIZED, COST, author)
    sentences = [PSEUDONYMS] if columns_with_role(certificate.content, "pseudonym") else []
    unchecked = unchecked_fields(certificate.content)
    for reason in REASONS:
        names = [field_name(path) for path, why in unchecked.items() if why == reason]
        sentence = author if reason == NOT_SIGNED else reason
        if names:
            sentences.append(f"{sentence}: {', '.join(names)}")
        elif reason == COST:  # if rows were suppressed, the claim may have no number
            sentences.append(sentence)
    return tuple(sentences)


def check_certificate(released: Table, certificate: Certificate) -> tuple[Finding, ...]:
    """Every check; a certificate that contradicts the table or itself fails at least one."""
    content = certificate.content
    if not is_complete(content):
        return (Finding("certificate", False, "The certificate is incomplete or was altered."),)
    columns = content["columns"]
    expected = {name for name, facts in columns.items() if facts["role"] != "identifier"}
    sound = content["verified"] is True and certificate.passed and bool(content["require"])
    same_columns = set(released.columns) == expected
    same_rows = released.digest() == content["release_digest"]
    findings = [
        Finding(
            "certificate",
            sound,
            "The certificate says that the release was verified."
            if sound
            else "The certificate itself says that checks failed, or requires nothing.",
        ),
        Finding(
            "columns",
            same_columns,
            "The columns are those on the certificate."
            if same_columns
            else "The columns are not those on the certificate.",
        ),
        check_rows(content, released.rows()),
        Finding(
            "digest",
            same_rows,
            "The rows are exactly those that were certified."
            if same_rows
            else "These are not the rows that were certified: something was changed.",
            "ask the data holder for the table that belongs to this certificate",
        ),
        check_promise(content),
        check_claim(content),
    ]
    if is_sampled(content):
        findings.append(check_sampling(content))
    people: list[Finding] = []
    if same_columns:
        rules = requirements_from(content["require"])
        counted = recount(released, content["linking"], rules, content["conventions"]["stars"])
        people = public_people_findings(released, certificate)
        findings += check_cost(released, content)
        findings += [check_classes(released, content), check_columns(released, content)]
        if content["accepted"]:
            findings.append(check_accepted(released, content))
        findings.append(check_findings(released, certificate, counted, people))
    else:
        counted = []
    return (*findings, sorted_rows(released), *counted, *people)
