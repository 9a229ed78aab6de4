"""Which columns an outsider could know: a proposal with reasons, and no decision.

A heuristic: it goes by names, types and by how well a column tells rows apart. It cannot know what
outsiders know. As in a policy draft, what cannot be told is proposed, because a column forgotten
is a leak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lookalike.policy.column_name_words import words_of
from lookalike.policy.draft_roles import guess_role
from lookalike.risks.column_sets.separation import separation_of
from lookalike.risks.screening.column_profile import Profile, profiles
from lookalike.tables.open import open_table

Standing = Literal["likely", "possible", "identifier", "sensitive", "constant"]
PROPOSED = ("likely", "possible")
KNOWN_BY = {
    "registers and profiles list it": (
        "age birth birthday birthdate dob born sex gender zip zipcode postal postcode plz city "
        "town village county state region province district country nation nationality citizenship "
        "race ethnicity ethnic language alter geburt geburtsdatum geschlecht land"
    ),
    "neighbours, colleagues and relatives know it": (
        "marital married spouse children child household family education degree school "
        "occupation job profession employer work workclass industry rank height weight eye hair "
        "insurance military veteran beruf familienstand kinder"
    ),
    "others see it happen": (
        "admission admitted discharge discharged visit arrival departure accident death died "
        "hospital ward clinic purchase travel flight"
    ),
}
_WHO = {word: who for who, words in KNOWN_BY.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One column, whether an outsider could know it, and why it is thought so."""

    name: str
    standing: Standing
    reasons: tuple[str, ...]
    values: int
    distinction: float
    separation: float

    @property
    def proposed(self) -> bool:
        return self.standing in PROPOSED


@dataclass(frozen=True, slots=True)
class Proposal:
    """Every column of a table, those proposed first. Nothing has been decided."""

    columns: tuple[Candidate, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns proposed."""
        return tuple(one.name for one in self.columns if one.proposed)


def propose_columns(table: Any) -> Proposal:
    """Look at every column of a table, and say what an outsider could know of each."""
    return propose(profiles(open_table(table)))


def propose(columns: Sequence[Profile]) -> Proposal:
    """The likely ones first, and within a standing those that tell most rows apart."""
    order: tuple[Standing, ...] = ("likely", "possible", "identifier", "sensitive", "constant")
    found = [_candidate(one) for one in columns]
    return Proposal(
        tuple(sorted(found, key=lambda one: (order.index(one.standing), -one.separation)))
    )


def _candidate(column: Profile) -> Candidate:
    facts = column.facts
    standing, reasons = _standing(column)
    power = separation_of((facts.name,), column.sizes)
    return Candidate(
        facts.name, standing, reasons, facts.distinct, power.distinction, power.separation
    )


def _standing(column: Profile) -> tuple[Standing, tuple[str, ...]]:
    facts = column.facts
    if facts.rows == 1:
        return "possible", ("one row is too few to tell",)
    if len(column.sizes) < 2:
        return "constant", ("all rows have the same, so that it tells nobody apart",)
    guessed = guess_role(facts)
    if guessed.role == "identifiers":
        return "identifier", (guessed.reason, "remove it")
    if guessed.role == "sensitive":
        return "sensitive", (guessed.reason, "add it if outsiders could know it")
    who = next((_WHO[word] for word in words_of(facts.name) if word in _WHO), None)
    if who is not None:
        return "likely", (who,) if guessed.confidence == "unsure" else (who, guessed.reason)
    recognized = guessed.confidence == "recognized"
    return ("likely" if recognized else "possible"), (guessed.reason,)
