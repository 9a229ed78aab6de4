"""What anyone can check who has a release and its certificate, and not the original.

Who looks alike is counted afresh, and whatever follows from the table and from other parts of the
certificate is worked out once more (``coherent*.py``). What does not follow is named.
"""

from __future__ import annotations

from lookalike.policy.requirement_names import requirements_from
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import PARTS, Certificate, digest, whole
from lookalike.verifier.certificate.consistency import (
    classes_counted,
    findings_follow,
    promise_follows,
    rows_add_up,
)
from lookalike.verifier.certificate.consistency_claim import claim_follows
from lookalike.verifier.certificate.consistency_columns import columns_as_said
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.recount import recount
from lookalike.verifier.rows.row_order import sorted_rows

NOT_CHECKED = (
    "that the rows come from the original and say what it says, how many there were eligible or "
    "suppressed, and how many the policy allows to suppress",
    "how far values were coarsened, beyond what their labels say, and by which model",
    "what the recoding costs, the bound, and the proof that none costs less: of the claim, only "
    "that its sentence follows from these numbers",
)
NEVER = (
    "who wrote the certificate, and by which algorithm the release was made: it is not signed, so "
    "get it from the data holder"
)
KNOWN = PARTS | {"format", "made_with", "model", "eligible", "packages"}


def not_checked(certificate: Certificate) -> tuple[str, ...]:
    """What cannot be seen without the original, and parts that nothing here knows of."""
    unknown = sorted(set(certificate.content) - KNOWN)
    more = [f"what the certificate says besides: {', '.join(unknown)}"] if unknown else []
    asked = [rule.name for rule in requirements_from(certificate.content["require"])
             if rule.needs_population]  # fmt: skip
    people = [f"{name}: what is promised of the population, which only the data holder has"
              for name in asked]  # fmt: skip
    return (*NOT_CHECKED, *people, *more, NEVER)


def verify_from_outside(released: Table, certificate: Certificate) -> tuple[Finding, ...]:
    """Every check; a certificate that contradicts the table or itself fails at least one."""
    content = certificate.content
    if not whole(content):
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
            "The certificate says it was verified."
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
        rows_add_up(content, released.rows()),
        Finding(
            "digest",
            same_rows,
            "The rows are the very rows that were certified."
            if same_rows
            else "These are not the rows that were certified: something was changed.",
            "ask the data holder for the table that belongs to this certificate",
        ),
        promise_follows(content),
        claim_follows(content),
    ]
    counted = [sorted_rows(released)]
    if same_columns:
        rules = requirements_from(content["require"])
        counted += recount(released, content["linking"], rules, content["conventions"]["stars"])
        findings += [classes_counted(released, content), columns_as_said(released, content)]
    findings.append(findings_follow(released, certificate, counted))
    return (*findings, *counted)
