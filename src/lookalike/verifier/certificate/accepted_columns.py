"""The kept columns that a policy accepts although they reveal something, and the rows at risk.

An outsider who knows or can compute the value of such a column can use it to find people. So the
rows at risk are those that share the released quasi-identifiers and the column with fewer than k
rows in all. They are counted in the released table, so that anyone can count them again, and they
do not depend on what suppressed rows held. The reason is the data holder's word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow.compute as pc

from lookalike.policy.requirement_names import requirements_from
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import columns_with_role
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.recount import count_classes

Content = Mapping[str, Any]


def accepted_columns(
    released: Table, accept: Mapping[str, str], quasi_identifiers: Sequence[str], k: int
) -> dict[str, dict[str, Any]]:
    """The reason and the rows at risk of each accepted column, by name."""
    return {
        name: {
            "reason": reason,
            "rows_at_risk": _rows_at_risk(released, quasi_identifiers, name, k),
        }
        for name, reason in sorted(accept.items())
        if name in released.columns
    }


def accepted_sentence(name: str, facts: Mapping[str, Any], k: int) -> str:
    """What a reader should know about an accepted column."""
    rows = facts["rows_at_risk"]
    counted = "1 released row has" if rows == 1 else f"{rows:,} released rows have"
    return (
        f"{name} is released although it can help to find people. Together with it, {counted} "
        f"fewer than {k - 1} lookalikes. The data holder accepts this: {facts['reason']}"
    )


def accepted_sentences(content: Content) -> tuple[str, ...]:
    """The same for every accepted column of a certificate."""
    k = smallest_class(content)
    accepted = content.get("accepted", {})
    return tuple(accepted_sentence(name, facts, k) for name, facts in accepted.items())


def check_accepted(released: Table, content: Content) -> Finding:
    """Are the rows at risk those that are counted here?"""
    accepted = content.get("accepted", {})
    names = columns_with_role(content, "quasi-identifier")
    k = smallest_class(content)
    holds = all(
        facts["rows_at_risk"] == _rows_at_risk(released, names, name, k)
        for name, facts in accepted.items()
    )
    sentence = (
        "The rows at risk by each accepted column are as many as the certificate says."
        if holds
        else "The rows at risk by the accepted columns are not as many as the certificate says."
    )
    return Finding("accepted", holds, sentence)


def smallest_class(content: Content) -> int:
    """The fewest rows that a class may have, by the certificate."""
    rules = requirements_from(content["require"])
    return max((rule.smallest for rule in rules), default=1)


def _rows_at_risk(released: Table, quasi_identifiers: Sequence[str], name: str, k: int) -> int:
    columns = [*quasi_identifiers, name]
    places = [f"c{i}" for i in range(len(columns))]
    counts = count_classes(released.distinct_text(columns), places).column("count")
    return int(pc.sum(counts.filter(pc.less(counts, k))).as_py() or 0)
