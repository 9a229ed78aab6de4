"""Does a certificate agree with itself, and with the table in hand?

Rows, classes, promise and findings: each is worked out here from the release, or from the other
parts it must follow from. The claim and the columns have files of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lookalike.policy.nine_models import MODELS
from lookalike.policy.requirement_names import requirements_from
from lookalike.solution.solution import Status
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate
from lookalike.verifier.certificate.promise import covers_all, promises
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.findings import MEASURES
from lookalike.verifier.requirements.recount import classes_shown

Content = Mapping[str, Any]
CHECKS = {
    "columns", "truthful", "rows", "suppressed", "k-anonymity", "order", "labels", "cost",
    "optimality", "bound", "eligible", *MEASURES, "average risk", "population uniqueness",
}  # fmt: skip


def rows_add_up(content: Content, rows: int) -> Finding:
    """Are the rows as many as it says, and do its numbers of rows make up each other?"""
    said = content["rows"]
    original, suppressed, released = said["original"], said["suppressed"], said["released"]
    gone = _left_out(content)
    model = content.get("model")
    may_go = model is None or MODELS[model].suppresses_rows
    holds = (
        rows == released
        and 0 <= suppressed <= original
        and released + gone == original
        and original <= said.get("table", original)
        and ("table" not in said or bool(content.get("eligible")))
        and (may_go or not suppressed)
    )
    if holds:
        sentence = f"{rows:,} rows; with {gone:,} left out they make the {original:,} it speaks of."
    else:
        sentence = (
            f"{rows:,} rows; the certificate says {released:,} of {original:,}, with "
            f"{suppressed:,} suppressed, or its numbers do not go together."
        )
    return Finding("rows", holds, sentence)


def _left_out(content: Content) -> int:
    dropped = content["conventions"]["suppressed"] == "drop"
    return int(content["rows"]["suppressed"]) if dropped else 0


def _names(content: Content) -> list[str]:
    """The quasi-identifiers."""
    columns = content["columns"].items()
    return [name for name, facts in columns if facts["role"] == "quasi-identifier"]


def promise_follows(content: Content) -> Finding:
    """Is the promise that of the requirement, over just the sets of columns named?"""
    rules, sets, names = requirements_from(content["require"]), content["linking"], _names(content)
    if content["promise"] != promises(rules, sets, names, content["conventions"]["stars"]):
        sentence = "The promise is not what the certificate requires, over the columns it names."
        return Finding("promise", False, sentence)
    over = "all quasi-identifiers together"
    if not covers_all(sets, names):
        over = " and, apart from these, ".join(f"{', '.join(one)} alone" for one in sets)
    return Finding("promise", True, f"What is promised is what is required, over {over}.")


def classes_counted(released: Table, content: Content) -> Finding:
    """As many classes as it says."""
    starred = content["conventions"]["suppressed"] == "star"
    starred_rows = content["rows"]["suppressed"] if starred else 0
    found = classes_shown(released, _names(content), starred_rows)
    said = content["rows"]["classes"]
    return Finding("classes", found == said, f"{found:,} classes; the certificate says {said:,}.")


def findings_follow(
    released: Table, certificate: Certificate, counted: Sequence[Finding]
) -> Finding:
    """Does it say of every check that it was made, and what was found, where that is seen here?"""
    content = certificate.content
    rows, columns = content["rows"], ", ".join(released.columns)
    kept, gone, original = rows["released"], _left_out(content), rows["original"]
    optimal = content["claim"].get("status") == Status.OPTIMAL
    expected = [
        ("columns", f"The release has the columns {columns}, and no identifier."),
        ("truthful", ""),
        ("rows", f"{kept:,} released rows and {gone:,} left out make {original:,}."),
        ("suppressed", f"{rows['suppressed']:,} rows are suppressed; "),
        *((one.check, one.sentence if one.holds else "") for one in counted),
        ("labels", ""),
        ("cost", "Recomputed: "),
        ("optimality" if optimal else "bound", ""),
    ]
    if "table" in rows:
        of = f"{original:,} of {rows['table']:,} rows of the table were eligible"
        expected.append(("eligible", of))
    known = CHECKS | {finding.check for finding in counted}  # also of other packages
    holds = all(finding.check in known for finding in certificate.findings) and all(
        any(one.check == check and one.sentence.startswith(begins) for one in certificate.findings)
        for check, begins in expected
    )
    return Finding(
        "findings",
        holds,
        "The findings on it are of every check, and say what was found here."
        if holds
        else "The findings on it lack a check, or do not say what was found here.",
    )
