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
from lookalike.verifier.certificate.public_claim import claim_findings, metrics_named
from lookalike.verifier.certificate.sampled import is_sampled, row_findings
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.recount import released_classes
from lookalike.verifier.supplied_definitions import note_on

Content = Mapping[str, Any]
MAX_PACKAGES = 6  # whose notes are tried in all combinations


def check_rows(content: Content, rows: int) -> Finding:
    """Is the number of rows right, and do the numbers on the certificate add up?"""
    numbers = content["rows"]
    if is_sampled(content):
        said = f"{rows:,} rows; the certificate says {numbers['released']:,}."
        return Finding("rows", rows == numbers["released"], said)
    original, suppressed, released = map(numbers.get, ("original", "suppressed", "released"))
    dropped = _dropped_rows(content)
    model = content.get("model")
    may_suppress = model is None or MODELS[model].suppresses_rows
    holds = (
        rows == released
        and 0 <= suppressed <= min(original, numbers["allowed"])
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
    released: Table,
    certificate: Certificate,
    counted: Sequence[Finding],
    people: Sequence[Finding],
) -> Finding:
    """Has the certificate exactly the findings that follow from the table and its other parts?

    ``counted`` are the findings on requirements and ``people`` those on pseudonyms, made here.
    """
    expected = _expected_findings(released, certificate.content, counted, people)
    written = certificate.findings
    holds = len(written) == len(expected) and all(map(_is_one_of, written, expected))
    return Finding(
        "findings",
        holds,
        "The certificate has a finding for every check, and each agrees with the result here."
        if holds
        else "The certificate lacks a check, or a finding differs from the result here.",
    )


Expected = list[Finding]  # one of these; a sentence without its end may go on


def _expected_findings(
    released: Table, content: Content, counted: Sequence[Finding], people: Sequence[Finding]
) -> list[Expected]:
    """What the verifier writes if all holds, in its order."""
    rows, columns = content["rows"], ", ".join(released.columns)
    sentences = [
        ("columns", f"The release has the columns {columns}; no column declared an "
            "identifier is in it."),
        ("truthful", "Every released row is a row of the original, recoded as stated."),
        *_row_sentences(content),
        *(("truthful", f"Every value in {name} is a pseudonym that the key gives.")
          for name in columns_with_role(content, "pseudonym")),
    ]  # fmt: skip
    expected = [[Finding(check, True, sentence)] for check, sentence in sentences]
    own, rules = iter(counted), requirements_from(content["require"])
    for rule in [rule for _ in content["linking"] for rule in rules]:
        if rule.needs_population:  # only its beginning is known here
            expected.append([Finding(rule.name, True, rule.sentence())])
        else:
            expected.append([next(own)])
    expected += [[finding] for finding in people]
    order = "The rows are sorted, so their order reveals nothing."
    expected.append([Finding("order", True, order)])
    notes = ["", *map(note_on, _subsets(content.get("packages", [])))]
    labels = "Every label is true of the values it stands for."
    expected.append([Finding("labels", True, labels + note) for note in notes])
    expected += claim_choices(content)
    if "table" in rows:
        by = ", ".join(content["eligible"])
        eligible = (
            f"{rows['original']:,} of {rows['table']:,} rows of the table were eligible, by {by}."
        )
        expected.append([Finding("eligible", True, eligible)])
    return expected


def _row_sentences(content: Content) -> list[tuple[str, str]]:
    rows = content["rows"]
    if is_sampled(content):
        findings = row_findings(rows["released"], content["sampling"]["k"])
        return [(finding.check, finding.sentence) for finding in findings]
    kept, dropped, original = rows["released"], _dropped_rows(content), rows["original"]
    return [
        ("rows", f"{kept:,} released rows and {dropped:,} suppressed rows add up to the "
                 f"{original:,} rows of the original."),
        ("suppressed", f"{rows['suppressed']:,} rows are suppressed; the policy allows "
                       f"{rows['allowed']:,}."),
    ]  # fmt: skip


def claim_choices(content: Content) -> list[Expected]:
    """The findings on cost and bound, by each metric that the certificate may mean."""
    claim, rules = content["claim"], requirements_from(content["require"])
    if metrics := metrics_named(claim["metric"], list(content["columns"])):
        pairs = [claim_findings(claim, metric, rules) for metric in metrics]
        return [[pair[0] for pair in pairs], [pair[1] for pair in pairs]]
    notes = ["", *map(note_on, _subsets(content.get("packages", [])))]
    check = "optimality" if claim["status"] == Status.OPTIMAL else "bound"
    bounds = [Finding(check, True, f"{claim['sentence']}{note}") for note in notes]
    return [[Finding("cost", True, "Recomputed: ")], bounds]


def _subsets(packages: Sequence[str]) -> list[list[str]]:
    """All that are not empty; a certificate names one or two packages."""
    subsets: list[list[str]] = [[]]
    for package in packages[:MAX_PACKAGES]:
        subsets += [[*subset, package] for subset in subsets]
    return subsets[1:]


def _is_one_of(written: Finding, expected: Expected) -> bool:
    """Is it one of these, word for word?"""
    if written in expected:
        return True
    [first, *others] = expected
    open_end = not first.sentence.endswith(".")
    return (
        open_end
        and not others
        and written.sentence.startswith(first.sentence)
        and (written.check, written.holds, written.fix) == (first.check, first.holds, first.fix)
    )
