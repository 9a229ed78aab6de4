"""Words of the field as a steward reads them: attackers, roles and conventions in rows of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from lookalike.report.facts.columns import ROLES
from lookalike.report.facts.report_facts import Facts
from lookalike.report.facts.risk import RiskFacts, SetRisk
from lookalike.report.number_format import about, percent
from lookalike.risks.table_risk import Risk

CONVENTIONS = {
    ("nulls", "value"): "A missing cell is a value of its own, alike only to other missing cells.",
    ("nulls", "refuse"): "No quasi-identifier has missing cells: the table would be refused.",
    ("stars", "own"): "A * looks like nothing but another *.",
    ("stars", "wildcard"): "A * might be anything, so rows of nothing but * need no lookalikes.",
    ("suppressed", "drop"): "Suppressed rows are left out.",
    ("suppressed", "star"): "Suppressed rows stay, with * in every quasi-identifier.",
    ("cuts", "free"): "Ordered values may be cut into intervals anywhere.",
    ("cuts", "siblings"): "Every interval is a group of the hierarchy, or neighbours within one.",
}
STOPS = {
    "finished": "It had no more to do.",
    "time": "It was stopped by its limit of time.",
    "checks": "It was stopped by its limit of recodings.",
    "memory": "It was stopped by its limit of memory.",
    "interrupted": "It was interrupted.",
}
ORDER = "So that no hidden order of the original shows."


def stopped(stop: str) -> str:
    return STOPS.get(stop, f"It stopped: {stop}.")


def searched(facts: Facts) -> str:
    """By which algorithm, and why by it."""
    assert facts.repeat is not None
    name, why = facts.repeat.algorithm, facts.repeat.why.removesuffix(".")
    return why if why.startswith(name) else f"{name}, {why}" if why else name


def role_meanings(roles: Iterable[str]) -> list[tuple[str, str]]:
    return [(role, ROLES[role]) for role in roles]


def convention_meanings(conventions: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Each word, what was chosen, and what that means."""
    return [
        (word, chosen, CONVENTIONS.get((word, chosen), ORDER if word == "order" else ""))
        for word, chosen in conventions.items()
    ]


def attackers(one: SetRisk, facts: RiskFacts) -> list[tuple[str, str, str, str, str]]:
    """Attacker, measure, before, after and what is asked of it."""
    limit = facts.required if facts.required is not None else facts.threshold
    promised = not (facts.together and one is facts.sets[-1])
    most = percent(limit) if promised else "–"
    above = f"rows at a risk above {about(facts.threshold)}"

    def told(
        who: str, what: str, measure: Callable[[Risk], float], asked: str
    ) -> tuple[str, str, str, str, str]:
        before = percent(measure(one.before)) if one.before else ""
        return who, what, before, percent(measure(one.after)), asked

    def unique(risk: Risk) -> float:
        return risk.unique / risk.rows if risk.rows else 0.0

    return [
        told("prosecutor", "highest risk of a row", lambda risk: risk.prosecutor.highest, most),
        told("prosecutor", above, lambda risk: risk.prosecutor.above, ""),
        told(
            "journalist",
            "highest risk of a row, at most",
            lambda risk: risk.journalist.highest,
            most,
        ),
        told("marketer", "rows found, on average", lambda risk: risk.marketer, ""),
        told("all", "rows like no other", unique, "0%" if facts.required and promised else ""),
    ]
