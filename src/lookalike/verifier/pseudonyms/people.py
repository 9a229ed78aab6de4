"""k-anonymity counts people: a pseudonym tells which rows are one person's.

Lookalikes that are one and the same person hide nobody. So every class must hold k different
pseudonyms of each pseudonym column; a null is nobody's, and does not count. Anyone who has the
release can count them.

That is not all that pseudonyms give away. Who knows several rows of a person, of different classes,
can look for the pseudonyms that stand in all of them. How many could be met so is told.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from lookalike.policy.requirement_names import requirements_from
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate
from lookalike.verifier.finding import Finding
from lookalike.verifier.pseudonyms.formats import looks_like_token
from lookalike.verifier.pseudonyms.keyed_values import SHOWN
from lookalike.verifier.requirements.recount import fully_starred

COUNTED = "k-anonymity counts people: "
FIX = (
    "allow coarser levels only, ask for a larger k, or drop the column: name it under identifiers, "
    "not under pseudonyms"
)
NOT_CHECKED = "that pseudonyms are those of the people they stand for, which only the key can tell"


def people_in_classes(
    released: Table,
    sets: Sequence[Sequence[str]],
    pseudonyms: Sequence[str],
    smallest: int,
    stars: str,
) -> list[Finding]:
    """For each pseudonym column and set of quasi-identifiers: has every class enough people?"""
    if smallest < 2:  # of the policy's rules, none is about how many there are
        return []
    several = len(sets) > 1
    return [
        _people(released, names, column, smallest, stars, f" over {', '.join(names)}" * several)
        for column in pseudonyms
        for names in sets
    ]


def is_people_finding(finding: Finding) -> bool:
    return finding.sentence.startswith(COUNTED)


def people_from_outside(released: Table, certificate: Certificate) -> tuple[Finding, ...]:
    """The same, by what a certificate says; it must have been found before, in the same words."""
    content = certificate.content
    columns = pseudonyms_on(certificate)
    asked = {*columns, *(name for names in content["linking"] for name in names)}
    if not asked <= set(released.columns):  # which is a finding already
        return ()
    smallest = max((one.smallest for one in requirements_from(content["require"])), default=1)
    stars = content["conventions"]["stars"]
    found = people_in_classes(released, content["linking"], columns, smallest, stars)
    said = {one.sentence for one in certificate.findings}
    silent = [one for one in found if one.holds and one.sentence not in said]
    if silent:
        sentence = "The certificate does not say how many people its classes hold, or not so many."
        found.append(Finding("findings", False, sentence))
    return tuple(found)


def not_checked(certificate: Certificate) -> tuple[str, ...]:
    """What only the key holder can check."""
    return (NOT_CHECKED,) if pseudonyms_on(certificate) else ()


def pseudonyms_on(certificate: Certificate) -> list[str]:
    columns = certificate.content["columns"].items()
    return [name for name, facts in columns if facts["role"] == "pseudonym"]


def shows_pseudonyms(released: Table, name: str, shown: object) -> bool:
    """Do the cells look as the certificate says, as far as can be told without the key?"""
    if shown not in SHOWN.values():
        return False
    cells = released.distinct_text((name,)).column("c0").to_pylist()
    tell = looks_like_token if shown == SHOWN["token"] else str.isascii
    return all(cell is None or tell(cell) for cell in cells)


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
    met = int(np.count_nonzero(known.column("count_all").to_numpy() > 1))
    few = int(np.count_nonzero(people < smallest))
    if few:
        share = "1 class holds" if few == 1 else f"{few:,} classes hold"
        told = f"{share} fewer than {smallest} different pseudonyms of {column}{over}."
        return Finding("k-anonymity", False, f"{COUNTED}{told}", FIX)
    least = f"{people.min():,}" if len(people) else "none: there is no class"
    told = f"every class holds at least {smallest} different pseudonyms of {column}{over}"
    several = (
        f"; {met:,} of them stand in more than one class, where knowing several rows of a person "
        "may tell more than one row does"
        if met
        else ""
    )
    return Finding("k-anonymity", True, f"{COUNTED}{told}, the poorest {least}{several}.")
