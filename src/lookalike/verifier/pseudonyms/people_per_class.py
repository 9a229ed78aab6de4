"""Check that every class has k different people, where pseudonyms tell which rows are one person's.

Rows of one person do not hide that person. So every class must have k different pseudonyms of each
pseudonym column; nulls do not count. Anyone who has the release can count them.

Pseudonyms disclose more than that. An outsider who knows several rows of a person, in different
classes, can look for the pseudonyms that are in all of them. The finding says how many pseudonyms
are in more than one class.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from lookalike.policy.requirement_names import requirements_from
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate, columns_with_role
from lookalike.verifier.finding import Finding
from lookalike.verifier.pseudonyms.formats import looks_like_token
from lookalike.verifier.pseudonyms.keyed_values import SHOWN
from lookalike.verifier.requirements.recount import fully_starred, rows_by_label

PEOPLE = "k-anonymity counts people: "
FIX = (
    "allow only higher levels, require a larger k, or remove the column: list it under "
    "identifiers, not under pseudonyms"
)


def people_findings(
    released: Table,
    sets: Sequence[Sequence[str]],
    pseudonyms: Sequence[str],
    smallest: int,
    stars: str,
) -> list[Finding]:
    """For each pseudonym column and set of quasi-identifiers: has every class enough people?"""
    if smallest < 2:  # no requirement is about the number of rows
        return []
    several = len(sets) > 1
    return [
        _people(released, names, column, smallest, stars, f" over {', '.join(names)}" * several)
        for column in pseudonyms
        for names in sets
    ]


def is_people_finding(finding: Finding) -> bool:
    """Is this finding about people, not rows?"""
    return finding.sentence.startswith(PEOPLE)


def public_people_findings(released: Table, certificate: Certificate) -> list[Finding]:
    """The same findings from a certificate, which must have them in the same words."""
    content = certificate.content
    pseudonyms = columns_with_role(content, "pseudonym")
    needed = {*pseudonyms, *(name for names in content["linking"] for name in names)}
    if not needed <= set(released.columns):  # another finding says so
        return []
    smallest = max((rule.smallest for rule in requirements_from(content["require"])), default=1)
    stars = content["conventions"]["stars"]
    findings = people_findings(released, content["linking"], pseudonyms, smallest, stars)
    sentences = {finding.sentence for finding in certificate.findings}
    if any(finding.holds and finding.sentence not in sentences for finding in findings):
        sentence = "The certificate does not say how many people its classes have, or differs."
        findings.append(Finding("findings", False, sentence))
    return findings


def shows_pseudonyms(released: Table, name: str, shown: object) -> bool:
    """Do the cells look as the certificate says, as far as that is seen without the key?"""
    if shown not in SHOWN.values():
        return False
    looks_right = looks_like_token if shown == SHOWN["token"] else str.isascii
    return all(cell is None or looks_right(cell) for cell in rows_by_label(released, name))


def _people(
    released: Table, names: Sequence[str], column: str, smallest: int, stars: str, over: str
) -> Finding:
    rows = released.distinct_text([*names, column]).drop_columns(["count"])
    labels, person = [f"c{i}" for i in range(len(names))], f"c{len(names)}"
    classes = rows.group_by(labels).aggregate([(person, "count")])  # nulls are not counted
    if stars == "wildcard":
        classes = classes.filter(pc.invert(fully_starred(classes, labels)))
    people = classes.column(f"{person}_count").to_numpy()
    of_person = rows.group_by(person).aggregate([([], "count_all")])
    known = of_person.filter(pc.is_valid(of_person.column(person)))
    in_several = int(np.count_nonzero(known.column("count_all").to_numpy() > 1))
    few = int(np.count_nonzero(people < smallest))
    if few:
        count = "1 class has" if few == 1 else f"{few:,} classes have"
        sentence = f"{count} fewer than {smallest} different pseudonyms of {column}{over}."
        return Finding("k-anonymity", False, f"{PEOPLE}{sentence}", FIX)
    fewest = f"the fewest in a class are {people.min():,}" if len(people) else "there is no class"
    sentence = f"every class has at least {smallest} different pseudonyms of {column}{over}"
    warning = (
        f"; {in_several:,} pseudonyms are in more than one class, so an outsider who knows several "
        "rows of a person may learn more than from one row"
        if in_several
        else ""
    )
    return Finding("k-anonymity", True, f"{PEOPLE}{sentence}; {fewest}{warning}.")
