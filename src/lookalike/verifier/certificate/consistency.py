"""Check that a certificate agrees with itself and with the released table.

Rows, classes, promise and findings are computed here from the release, or from other parts of the
certificate. ``consistency_claim.py`` checks the claim and ``consistency_columns.py`` the columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lookalike.policy.nine_models import MODELS
from lookalike.policy.requirement_names import requirements_from
from lookalike.solution.solution import Status
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate, columns_with_role
from lookalike.verifier.certificate.promise import covers_all, promises
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.findings import MEASURES
from lookalike.verifier.requirements.recount import released_classes

Content = Mapping[str, Any]
CHECKS = {
    "columns", "truthful", "rows", "suppressed", "k-anonymity", "order", "labels", "cost",
    "optimality", "bound", "eligible", *MEASURES, "average risk", "population uniqueness",
}  # fmt: skip


def check_rows(content: Content, rows: int) -> Finding:
    """Is the number of rows right, and do the numbers on the certificate add up?"""
    numbers = content["rows"]
    original, suppressed, released = map(numbers.get, ("original", "suppressed", "released"))
    dropped = _dropped_rows(content)
    model = content.get("model")
    may_suppress = model is None or MODELS[model].suppresses_rows
    holds = (
        rows == released
        and 0 <= suppressed <= original
        and released + dropped == original
        and original <= numbers.get("table", original)
        and ("table" not in numbers or bool(content.get("eligible")))
        and (may_suppress or not suppressed)
    )
    if holds:
        sentence = (
            f"{rows:,} rows; with {dropped:,} suppressed rows they add up to the {original:,} "
            "rows that the certificate names."
        )
    else:
        sentence = (
            f"{rows:,} rows; the certificate says {released:,} of {original:,}, with "
            f"{suppressed:,} suppressed, or its numbers do not add up."
        )
    return Finding("rows", holds, sentence)


def _dropped_rows(content: Content) -> int:
    """Suppressed rows that are not in the release."""
    dropped = content["conventions"]["suppressed"] == "drop"
    return int(content["rows"]["suppressed"]) if dropped else 0


def check_promise(content: Content) -> Finding:
    """Does the promise follow from the requirements and the sets of columns?"""
    rules, sets = requirements_from(content["require"]), content["linking"]
    names = columns_with_role(content, "quasi-identifier")
    if content["promise"] != promises(rules, sets, names, content["conventions"]["stars"]):
        sentence = "The promise is not what the certificate requires, over the columns it names."
        return Finding("promise", False, sentence)
    over = "all quasi-identifiers together"
    if not covers_all(sets, names):
        over = " and, separately, ".join(f"{', '.join(columns)} alone" for columns in sets)
    return Finding("promise", True, f"What is promised is what is required, over {over}.")


def check_classes(released: Table, content: Content) -> Finding:
    """Is the number of classes right?"""
    starred = content["conventions"]["suppressed"] == "star"
    starred_rows = content["rows"]["suppressed"] if starred else 0
    names = columns_with_role(content, "quasi-identifier")
    count = released_classes(released, names, starred_rows)
    claimed = content["rows"]["classes"]
    sentence = f"{count:,} classes; the certificate says {claimed:,}."
    return Finding("classes", count == claimed, sentence)


def check_findings(
    released: Table, certificate: Certificate, counted: Sequence[Finding]
) -> Finding:
    """Does the certificate have a finding for every check, and does each agree with ours?"""
    content = certificate.content
    rows, columns = content["rows"], ", ".join(released.columns)
    kept, dropped, original = rows["released"], _dropped_rows(content), rows["original"]
    optimal = content["claim"].get("status") == Status.OPTIMAL
    expected = [  # checks, and how their sentences begin
        ("columns", f"The release has the columns {columns}, and no identifier."),
        ("truthful", ""),
        ("rows", f"{kept:,} released rows and {dropped:,} suppressed rows add up to the "
                 f"{original:,} rows of the original."),
        ("suppressed", f"{rows['suppressed']:,} rows are suppressed; "),
        *((finding.check, finding.sentence if finding.holds else "") for finding in counted),
        ("labels", ""),
        ("cost", "Recomputed: "),
        ("optimality" if optimal else "bound", ""),
    ]  # fmt: skip
    if "table" in rows:
        eligible = f"{original:,} of {rows['table']:,} rows of the table were eligible"
        expected.append(("eligible", eligible))
    findings = certificate.findings
    known = CHECKS | {finding.check for finding in counted}  # those of other packages too
    holds = all(finding.check in known for finding in findings) and all(
        any(f.check == check and f.sentence.startswith(begins) for f in findings)
        for check, begins in expected
    )
    return Finding(
        "findings",
        holds,
        "The certificate has a finding for every check, and each agrees with the result here."
        if holds
        else "The certificate lacks a check, or a finding differs from the result here.",
    )
