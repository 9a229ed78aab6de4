"""The glossary: one name for each term, said plainly."""

from __future__ import annotations

from itertools import chain
from typing import get_args

import pytest

from lookalike import words
from lookalike.policy.conventions import Cutting, Nulls, Stars, Suppressed
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Status, Stop
from lookalike.words import Term

GROUPS = (
    words.ROLES, words.STATUSES, words.STOPS, words.SPACES, words.METRICS, words.REQUIREMENTS,
    words.ATTACKERS, words.CONVENTIONS, words.TERMS,
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
    assert set(words.SPACES) == set(Space)
    choices = {"nulls": Nulls, "stars": Stars, "suppressed": Suppressed, "cuts": Cutting}
    pairs = {(name, choice) for name, kinds in choices.items() for choice in get_args(kinds)}
    assert set(words.CONVENTIONS) == pairs


def test_a_claim_is_no_stronger_than_its_status() -> None:
    assert words.claim_heading("optimal").startswith("Optimal")
    assert "no useful lower bound" in words.claim_heading("feasible")
    assert "the gap is known" in words.claim_heading("feasible", gap_known=True)
