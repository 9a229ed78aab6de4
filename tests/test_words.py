"""The glossary: one name for each term, said plainly."""

from __future__ import annotations

import html
import io
from itertools import chain
from pathlib import Path
from typing import get_args

import pyarrow as pa
import pytest
from rich.console import Console, RenderableType

import lookalike as la
from lookalike import words
from lookalike.cli.output.release import release_summary
from lookalike.cli.output.risk import risk_report
from lookalike.policy.conventions import Cutting, Nulls, Stars, Suppressed
from lookalike.registry import METRICS, REQUIREMENTS
from lookalike.report.page import page
from lookalike.report.report_file import facts_of
from lookalike.solution.solution import Status, Stop
from lookalike.web.pages.form_reading import BUILT_IN_RULES
from lookalike.web.pages.page_frame import TEMPLATES
from lookalike.web.project.policy_document import SECTIONS
from lookalike.web.project.project import Project
from lookalike.words import Term

GROUPS = (
    words.ROLES, words.STATUSES, words.STOPS, words.METRICS, words.REQUIREMENTS, words.ATTACKERS,
    words.CONVENTIONS, words.TERMS,
)  # fmt: skip
ALL: list[Term] = list(chain.from_iterable(group.values() for group in GROUPS))


@pytest.mark.parametrize("term", ALL, ids=lambda term: term.name)
def test_a_term_has_a_name_and_a_sentence(term: Term) -> None:
    assert term.name
    assert term.meaning[0].isupper() or term.meaning[0] in "k(lβδt"
    assert term.meaning.endswith(".")
    assert "\n" not in term.meaning


def test_no_two_terms_share_a_name() -> None:
    names = [term.name for term in ALL]
    assert len(names) == len(set(names))


def test_every_word_of_the_files_has_a_term() -> None:
    assert set(words.STATUSES) == set(Status)
    assert set(words.STOPS) == set(Stop)
    assert set(words.METRICS) == set(METRICS.builtin)
    assert set(words.REQUIREMENTS) | {"anonymity_level"} == set(REQUIREMENTS.builtin)
    choices = {"nulls": Nulls, "stars": Stars, "suppressed": Suppressed, "cuts": Cutting}
    pairs = {(name, choice) for name, kinds in choices.items() for choice in get_args(kinds)}
    assert set(words.CONVENTIONS) == pairs


def test_a_claim_is_no_stronger_than_its_status() -> None:
    assert words.claim_heading("optimal").startswith("Optimal")
    assert "no useful lower bound" in words.claim_heading("feasible")
    assert "the gap is known" in words.claim_heading("feasible", gap_known=True)


@pytest.fixture(scope="module")
def release() -> la.Release:
    """A release with a column of every role but pseudonyms."""
    table = pa.table(
        {
            "name": [f"n{number}" for number in range(8)],
            "age": [31, 34, 36, 39, 52, 55, 57, 58],
            "ill": ["flu", "asthma"] * 4,
            "ward": ["a", "b"] * 4,
        }
    )
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(10)},
        identifiers=["name"],
        sensitive=["ill"],
        insensitive=["ward"],
        require=la.KAnonymity(2),
    )
    return la.anonymize(table, policy)


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_the_report_names_roles_attackers_and_conventions_as_the_glossary_does(release, edition):
    text = html.unescape(page(facts_of(release.subject(), edition)))
    for role in ("quasi-identifier", "identifier", "sensitive", "insensitive"):
        assert f"<dt>{words.ROLES[role].name}</dt>" in text
        assert words.ROLES[role].meaning in text
    chosen = release.certificate.content["conventions"].items()
    conventions = [words.CONVENTIONS[pair] for pair in chosen if pair in words.CONVENTIONS]
    metric = words.METRICS[release.solution.metric]
    for term in (*words.ATTACKERS.values(), *conventions, metric, words.TERMS["gap"]):
        assert term.meaning in text
    assert words.claim_heading("optimal") in text


def test_the_terminal_names_roles_and_attackers_as_the_glossary_does(release):
    shown = _shown(release_summary(release, release.problem, []))
    for role in ("identifier", "sensitive", "insensitive"):
        assert words.ROLES[role].name in shown
    assert words.claim_heading("optimal") in shown
    risk = _shown(risk_report(la.risk(release.table, ["age"]), "table"))
    for attacker in words.ATTACKERS.values():
        assert attacker.name in risk
        assert attacker.gloss in risk


def test_the_studio_names_roles_and_requirements_as_the_glossary_does():
    column = {"name": "age", "type": "text", "chosen": "", "values": 2, "nulls": 0,
              "separation": 0.5, "why": []}  # fmt: skip
    text = TEMPLATES.get_template("columns.html").render(
        project=Project(Path("p")), faults=[], single_user=True, user="me", step="columns",
        columns=[column], sections=SECTIONS, rows=2, decided=False,
    )  # fmt: skip
    for role in ("quasi-identifier", "identifier", "sensitive", "insensitive"):
        assert f">{words.ROLES[role].label}</option>" in html.unescape(text)
    assert set(SECTIONS.values()) == set(words.ROLES)
    for rule in BUILT_IN_RULES.values():
        assert rule.label.startswith(words.REQUIREMENTS[rule.key].name)


def _shown(parts: list[RenderableType]) -> str:
    console = Console(width=200, record=True, file=io.StringIO())
    for part in parts:
        console.print(part)
    return console.export_text()
