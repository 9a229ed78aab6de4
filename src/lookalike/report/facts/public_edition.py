"""The numbers of the public edition: from the released table and its certificate alone.

So nothing in it can depend on who was suppressed, beyond what the certificate says already. A value
that fewer than k released rows hold is never named: such values are counted together, and rules
that name one are told without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lookalike.policy.nine_models import model_from
from lookalike.policy.requirement_names import requirements_from
from lookalike.privacy.alpha_k import AlphaK
from lookalike.privacy.requirement import Requirement
from lookalike.report.facts.columns import ROLES, ColumnFacts, shown_now
from lookalike.report.facts.quality import quality
from lookalike.report.facts.report_facts import Facts, not_counted, summary
from lookalike.report.facts.risk import residual_risk
from lookalike.report.facts.value_distributions import Bar, Distribution, top_bars
from lookalike.report.number_format import by_size, plural
from lookalike.report.subject import column_rows, crowded
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate

WITHHELD = "(named in the internal edition)"


def public_facts(released: Table, certificate: Certificate) -> Facts:
    """Nothing else is looked at."""
    content = certificate.content
    k = fewest(content)
    rows = {
        name: column_rows(released, name)
        for name, facts in content["columns"].items()
        if facts["role"] not in ("identifier", "pseudonym") and not crowded(released, name)
    }
    said = _unnamed(content, rows, k)
    names = [name for name, one in content["columns"].items() if one["role"] == "quasi-identifier"]
    stars = content["conventions"]["stars"]
    model = content.get("model")
    total = content["rows"]["released"]
    return Facts(
        edition="public",
        title="",
        summary=summary(said, k, None),
        columns=tuple(_column(name, one, rows) for name, one in content["columns"].items()),
        risk=residual_risk(released, content["linking"], names, k, stars),
        distributions=tuple(
            _distribution(name, content["columns"][name], held, k, total)
            for name, held in rows.items()
        ),
        quality=quality(said),
        conventions=content["conventions"],
        findings=Certificate(said).findings,
        digest=content["release_digest"],
        made_with=content["made_with"],
        model=model_from(model).sentence() if model else "",
        algorithm=content["claim"]["algorithm"],
        seed=content["claim"]["seed"],
        left_out=not_counted(
            [
                name
                for name, facts in content["columns"].items()
                if facts["role"] in ("sensitive", "insensitive") and name not in rows
            ]
        ),
    )


def fewest(content: Mapping[str, Any]) -> int:
    """Values of fewer rows are not named: k, or the least rows that the rules imply; 2 at least."""
    rules = requirements_from(content["require"])
    return max([2, *(rule.smallest for rule in rules)])


def pooled_bars(
    rows: Mapping[str, int], k: int, *, ordered: bool = False, listing: bool = False
) -> tuple[Bar, ...]:
    """The values that k rows or more hold, the most frequent first, and the others together."""
    told: dict[str, int] = {}
    for value, held in rows.items():
        if held >= k:
            told[_unlisted(value, told) if listing else value] = held
    rare = [held for held in rows.values() if held < k]
    bars = top_bars(None, told, sorted(told, key=by_size) if ordered else None)
    if rare:
        label = f"{plural(len(rare), 'value')} under {k} rows"
        bars = (*bars, Bar(label, None, sum(rare), pooled=True))
    return bars


def _unlisted(label: str, taken: Mapping[str, int]) -> str:
    """A group that lists its values, of which some may be rare, is told by their number."""
    if not (label.startswith("{") and label.endswith("}")):
        return label
    words = f"{label.count(', ') + 1} values together"
    others = sum(one.startswith(words) for one in taken)
    return f"{words} ({others + 1})" if others else words


def _distribution(
    name: str, facts: Mapping[str, Any], rows: Mapping[str, int], k: int, total: int
) -> Distribution:
    note = ""
    if rows and all(held < k for held in rows.values()):
        note = f"Every value of this column is held by fewer than {k} rows, so none is named."
    words = shown_now(facts)
    return Distribution(
        name,
        facts["role"],
        words,
        pooled_bars(
            rows, k, ordered=facts["role"] == "quasi-identifier", listing="intervals" in facts
        ),
        None,
        total,
        note,
    )


def _column(
    name: str, facts: Mapping[str, Any], rows: Mapping[str, Mapping[str, int]]
) -> ColumnFacts:
    far = None
    if facts["role"] == "quasi-identifier" and facts.get("of"):
        far = facts["level"] / facts["of"] if "by_interval" not in facts else None
    after = len(rows[name]) if name in rows else None
    role = facts["role"]
    return ColumnFacts(name, role, ROLES[role], (), shown_now(facts), far, None, after)


def _unnamed(
    content: Mapping[str, Any], rows: Mapping[str, Mapping[str, int]], k: int
) -> Mapping[str, Any]:
    """The certificate with rules that speak of a rare value told without naming it."""
    told = {
        rule.sentence(): _without_value(rule).sentence()
        for rule in requirements_from(content["require"])
        if isinstance(rule, AlphaK)
        and rule.value is not None
        and rows.get(rule.column, {}).get(rule.value, 0) < k
    }
    if not told:
        return content

    def retold(words: str) -> str:
        for old, new in told.items():
            words = words.replace(old, new)
        return words

    findings = [{**one, "sentence": retold(one["sentence"])} for one in content["findings"]]
    return {**content, "promise": [*map(retold, content["promise"])], "findings": findings}


def _without_value(rule: AlphaK) -> Requirement:
    return replace(rule, value=WITHHELD)
