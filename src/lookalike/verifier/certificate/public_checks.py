"""Checks that anyone can make who has a release and its certificate, without the original.

Classes are counted again, and what follows from the table or from other parts of the certificate is
computed again (``consistency*.py``). What cannot be checked is listed.
"""

from __future__ import annotations

from lookalike.policy.requirement_names import requirements_from
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import (
    PARTS,
    Certificate,
    columns_with_role,
    digest,
    is_complete,
)
from lookalike.verifier.certificate.consistency import (
    check_classes,
    check_findings,
    check_promise,
    check_rows,
)
from lookalike.verifier.certificate.consistency_claim import check_claim
from lookalike.verifier.certificate.consistency_columns import check_columns
from lookalike.verifier.finding import Finding
from lookalike.verifier.pseudonyms.people_per_class import public_people_findings
from lookalike.verifier.requirements.recount import recount
from lookalike.verifier.rows.row_order import sorted_rows

NOT_CHECKED = (
    "that the rows come from the original and are recoded truthfully; how many rows were eligible "
    "or suppressed, and how many the policy allows to suppress",
    "how far values were generalized, beyond what their labels say, and by which model",
    "the cost of the recoding, its lower bound and the proof: only that the sentence of the claim "
    "follows from these numbers is checked",
)
NOT_SIGNED = (
    "who wrote the certificate, and which algorithm made the release: the certificate is not "
    "signed, so get it from the data holder"
)
PSEUDONYMS = (
    "that the pseudonyms belong to the right people, which can be checked only with the key"
)
KNOWN_PARTS = PARTS | {"format", "made_with", "model", "eligible", "packages"}


def not_checked(certificate: Certificate) -> tuple[str, ...]:
    """What cannot be checked without the original, and parts that are not known here."""
    if not is_complete(certificate.content):
        return (*NOT_CHECKED, NOT_SIGNED)
    pseudonyms = [PSEUDONYMS] if columns_with_role(certificate.content, "pseudonym") else []
    population = [
        f"{rule.name}: the promise about the population, which only the data holder has"
        for rule in requirements_from(certificate.content["require"])
        if rule.needs_population
    ]
    unknown = sorted(set(certificate.content) - KNOWN_PARTS)
    others = [f"other parts of the certificate: {', '.join(unknown)}"] if unknown else []
    return (*pseudonyms, *NOT_CHECKED, *population, *others, NOT_SIGNED)


def check_certificate(released: Table, certificate: Certificate) -> tuple[Finding, ...]:
    """Every check; a certificate that contradicts the table or itself fails at least one."""
    content = certificate.content
    if not is_complete(content):
        return (Finding("certificate", False, "The certificate is incomplete or was altered."),)
    columns = content["columns"]
    expected = {name for name, facts in columns.items() if facts["role"] != "identifier"}
    sound = content["verified"] is True and certificate.passed and bool(content["require"])
    same_columns = set(released.columns) == expected
    same_rows = digest(released) == content["release_digest"]
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
    counted = [sorted_rows(released)]
    if same_columns:
        rules = requirements_from(content["require"])
        counted += recount(released, content["linking"], rules, content["conventions"]["stars"])
        findings += [check_classes(released, content), check_columns(released, content)]
    findings.append(check_findings(released, certificate, counted))
    return (*findings, *counted, *public_people_findings(released, certificate))
