"""The facts of the public edition, from the released table and its certificate alone.

So the report reveals no more about suppressed rows than the certificate does. A value that occurs
in fewer than k released rows is never named: such values are counted together, and the sentences
of requirements are written without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lookalike.policy.nine_models import model_from
from lookalike.policy.requirement_names import requirements_from
from lookalike.privacy.alpha_k import AlphaK
from lookalike.report.facts.columns import ColumnFacts, released_as
from lookalike.report.facts.legal_view import legal_view
from lookalike.report.facts.quality import quality
from lookalike.report.facts.report_facts import Facts, too_many_values
from lookalike.report.facts.risk import residual_risk
from lookalike.report.facts.value_distributions import Bar, Distribution, top_bars
from lookalike.report.number_format import by_size, plural
from lookalike.report.subject import count_values, has_many_values
from lookalike.tables.table import Table
from lookalike.verifier.certificate.accepted_columns import accepted_sentences
from lookalike.verifier.certificate.certificate import Certificate

KEPT_ROLES = ("sensitive", "insensitive")
WITHHELD = "(named in the internal edition)"


def public_facts(released: Table, certificate: Certificate) -> Facts:
    """The facts; nothing else is read."""
    content = certificate.content
    columns: Mapping[str, Mapping[str, Any]] = content["columns"]
    k = smallest_named(content)
    rows = {
        name: count_values(released, name)
        for name, facts in columns.items()
        if facts["role"] not in ("identifier", "pseudonym") and not has_many_values(released, name)
    }
    public = _without_rare_values(content, rows, k)
    names = [name for name, facts in columns.items() if facts["role"] == "quasi-identifier"]
    kept = [name for name, facts in columns.items() if facts["role"] in KEPT_ROLES]
    stars = content["conventions"]["stars"]
    model = content.get("model")
    total = content["rows"]["released"]
    risk = residual_risk(released, content["linking"], names, k, stars)
    return Facts(
        edition="public",
        title="",
        certificate=Certificate(public),
        k=k,
        columns=tuple(_column(name, facts, rows) for name, facts in columns.items()),
        risk=risk,
        distributions=tuple(
            _distribution(name, columns[name], held, k, total) for name, held in rows.items()
        ),
        quality=quality(public),
        model=model_from(model).sentence() if model else "",
        not_measured=too_many_values([name for name in kept if name not in rows]),
        accepted=accepted_sentences(content),
        legal=legal_view(public, risk),
    )


def smallest_named(content: Mapping[str, Any]) -> int:
    """The rows that a value needs to be named: k, or the smallest class of other rules."""
    rules = requirements_from(content["require"])
    return max([2, *(rule.smallest for rule in rules)])


def pooled_bars(
    rows: Mapping[str, int], k: int, *, ordered: bool = False, listing: bool = False
) -> tuple[Bar, ...]:
    """The values of at least k rows, and the others together."""
    named: dict[str, int] = {}
    for value, held in rows.items():
        if held >= k:
            named[_unlisted(value, named) if listing else value] = held
    rare = [held for held in rows.values() if held < k]
    bars = top_bars(None, named, sorted(named, key=by_size) if ordered else None)
    if rare:
        label = f"{plural(len(rare), 'value')} in fewer than {k} rows"
        bars = (*bars, Bar(label, None, sum(rare), pooled=True))
    return bars


def _unlisted(label: str, taken: Mapping[str, int]) -> str:
    """The number of values in place of a list of them, some of which may be rare."""
    if not (label.startswith("{") and label.endswith("}")):
        return label
    words = f"{label.count(', ') + 1} values together"
    others = sum(other.startswith(words) for other in taken)
    return f"{words} ({others + 1})" if others else words


def _distribution(
    name: str, facts: Mapping[str, Any], rows: Mapping[str, int], k: int, total: int
) -> Distribution:
    note = ""
    if rows and all(held < k for held in rows.values()):
        note = f"Every value of this column occurs in fewer than {k} rows, so none is named."
    ordered = facts["role"] == "quasi-identifier"
    bars = pooled_bars(rows, k, ordered=ordered, listing="intervals" in facts)
    return Distribution(name, facts["role"], released_as(facts), bars, None, total, note)


def _column(
    name: str, facts: Mapping[str, Any], rows: Mapping[str, Mapping[str, int]]
) -> ColumnFacts:
    generalized = None
    if facts["role"] == "quasi-identifier" and facts.get("of") and "by_interval" not in facts:
        generalized = facts["level"] / facts["of"]
    after = len(rows[name]) if name in rows else None
    return ColumnFacts(name, facts["role"], (), released_as(facts), generalized, None, after)


def _without_rare_values(
    content: Mapping[str, Any], rows: Mapping[str, Mapping[str, int]], k: int
) -> Mapping[str, Any]:
    """The certificate, with sentences about a rare value that do not name it."""
    replacements = {
        rule.sentence(): replace(rule, value=WITHHELD).sentence()
        for rule in requirements_from(content["require"])
        if isinstance(rule, AlphaK)
        and rule.value is not None
        and rows.get(rule.column, {}).get(rule.value, 0) < k
    }
    if not replacements:
        return content

    def rewrite(sentence: str) -> str:
        for old, new in replacements.items():
            sentence = sentence.replace(old, new)
        return sentence

    findings = [
        {**finding, "sentence": rewrite(finding["sentence"])} for finding in content["findings"]
    ]
    return {**content, "promise": [*map(rewrite, content["promise"])], "findings": findings}
