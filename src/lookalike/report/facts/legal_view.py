"""What was measured, arranged as European and American regulators ask.

The European data protection authorities ask of anonymous data whether people can still be singled
out, whether their records can be linked, and whether something can be inferred about them (Article
29 Working Party, Opinion 05/2014). HIPAA asks an expert whether the risk is very small that an
anticipated recipient could identify a person (45 CFR 164.514(b)(1)). lookalike gives figures for
these questions; it does not answer them, because the answer depends on who receives the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lookalike.attacking.release_attacks import AttackResult
from lookalike.report.facts.risk import RiskFacts
from lookalike.report.number_format import listed, percent, plural
from lookalike.risks.kept_columns.screening import Screening
from lookalike.verifier.certificate.accepted_columns import accepted_sentences

Content = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LegalQuestion:
    """One question of a regulator, with what was measured and what was not looked at."""

    name: str
    question: str
    measured: tuple[str, ...]
    not_examined: tuple[str, ...]


def legal_view(
    content: Content,
    risk: RiskFacts,
    screening: Screening | None = None,
    attacks: Sequence[AttackResult] = (),
) -> tuple[LegalQuestion, ...]:
    """The four questions. Without the original, ``screening`` and ``attacks`` are not known."""
    return (
        _singling_out(content, risk, screening),
        _linkability(content, screening),
        _inference(content, attacks),
        _expert_determination(risk),
    )


def _singling_out(content: Content, risk: RiskFacts, screening: Screening | None) -> LegalQuestion:
    measured = []
    for columns_risk in risk.sets:
        rows = plural(columns_risk.after.unique, "row")
        measured.append(
            f"By {listed(columns_risk.columns)}: {rows} unique, and the highest risk of a row is "
            f"{percent(columns_risk.after.highest)}."
        )
    measured += accepted_sentences(content)
    if screening is not None and screening.singling_out:
        worst = max(screening.singling_out, key=lambda single: single.rows)
        measured.append(
            f"By kept columns: {plural(worst.rows, 'row')} of the original are unique in "
            f"{listed(worst.columns)}."
        )
    missing = ["combinations of more than three kept columns, except all together"]
    if screening is None:
        missing = ["which rows the kept columns single out (see the internal edition)"]
    return LegalQuestion(
        "Singling out",
        "Can a person's record be isolated in the release?",
        tuple(measured),
        tuple(missing),
    )


def _linkability(content: Content, screening: Screening | None) -> LegalQuestion:
    measured = ["The rows are sorted, so their order links them to no other table."]
    pseudonyms = [name for name, c in content["columns"].items() if c["role"] == "pseudonym"]
    if pseudonyms:
        measured.append(
            f"The pseudonyms in {listed(pseudonyms)} link all records of a person to each other, "
            "in this release and in others made with the same key."
        )
    if screening is not None:
        measured += [finding.sentence for finding in screening.findings] or [
            "No kept column was found that restores a hidden column."
        ]
    return LegalQuestion(
        "Linkability",
        "Can two records about the same person be linked?",
        tuple(measured),
        (
            "tables of other organizations about the same people",
            "releases that are not in the ledger",
        ),
    )


def _inference(content: Content, attacks: Sequence[AttackResult]) -> LegalQuestion:
    measured = [sentence for attack in attacks for sentence in attack.sentences]
    rules = [f"{sentence}." for sentence in content["promise"][1:]]
    if not any(c["role"] == "sensitive" for c in content["columns"].values()):
        rules.append("No column was declared sensitive, so no inference was looked for.")
    elif not rules:
        rules.append(
            "The policy requires only that rows look alike. It does not limit which other "
            "values lookalikes share."
        )
    return LegalQuestion(
        "Inference",
        "Can something be concluded about a person with high probability?",
        (*rules, *measured),
        (
            "what follows for everybody from the statistics of the release, which is its purpose",
            "what an attacker knows besides the quasi-identifiers",
        ),
    )


def _expert_determination(risk: RiskFacts) -> LegalQuestion:
    after = risk.main.after
    return LegalQuestion(
        "HIPAA expert determination",
        "Is the risk very small that an anticipated recipient could identify a person?",
        (
            f"An attacker who knows that a person is in the release finds the row with a chance "
            f"of at most {percent(after.highest)}; on average {percent(after.marketer)} of all "
            "rows would be recognized.",
        ),
        (
            "who the anticipated recipients are, what they hold, and what a contract forbids them: "
            "the expert has to judge this",
            "the eighteen identifiers of Safe Harbor; lookalike risk --safe-harbor looks for them",
        ),
    )
