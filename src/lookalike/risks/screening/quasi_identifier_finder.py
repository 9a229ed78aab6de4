"""Propose which columns an outsider could know, with reasons; the steward decides.

A heuristic: it uses names, values and how well a column tells rows apart. It cannot know what
outsiders know. As in a policy draft, columns of unsure role are proposed, because a forgotten
column is a leak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

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
    "neighbors, colleagues and relatives know it": (
        "marital married spouse children child household family education degree school "
        "occupation job profession employer work workclass industry rank height weight eye hair "
        "insurance military veteran beruf familienstand kinder"
    ),
    "others see it happen": (
        "admission admitted discharge discharged visit arrival departure accident death died "
        "hospital ward clinic purchase travel flight"
    ),
}
_REASONS = {word: reason for reason, words in KNOWN_BY.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One column: whether an outsider could know it, and why."""

    name: str
    standing: Standing
    reasons: tuple[str, ...]
    values: int
    distinction: float
    separation: float

    @property
    def proposed(self) -> bool:
        """Is it proposed as a quasi-identifier?"""
        return self.standing in PROPOSED


@dataclass(frozen=True, slots=True)
class Proposal:
    """Every column of a table, proposed columns first. The steward decides."""

    columns: tuple[Candidate, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The proposed columns."""
        return tuple(column.name for column in self.columns if column.proposed)


def propose_columns(table: Any) -> Proposal:
    """Propose the columns of a table that an outsider could know, with reasons.

    A heuristic, by names and values: it cannot know what outsiders know.

    Parameters
    ----------
    table
        The table, in any of the forms that lookalike reads.

    Returns
    -------
    Proposal
        ``names`` are the proposed columns; ``columns`` has every column with its reasons.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"name": ["Ann", "Bob"], "age": [31, 52], "diagnosis": ["flu", "flu"]})
    >>> la.propose_columns(table).names
    ('age',)
    """
    return propose(profiles(open_table(table)))


def propose(columns: Sequence[Profile]) -> Proposal:
    """Likely columns first, and within a standing those that tell most rows apart."""
    order = get_args(Standing)
    candidates = [_candidate(column) for column in columns]
    candidates.sort(key=lambda column: (order.index(column.standing), -column.separation))
    return Proposal(tuple(candidates))


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
        return "possible", ("one row is not enough to decide",)
    if len(column.sizes) < 2:
        return "constant", ("all rows have the same value, so it tells nobody apart",)
    guessed = guess_role(facts)
    if guessed.role == "identifiers":
        return "identifier", (guessed.reason, "remove it")
    if guessed.role == "sensitive":
        return "sensitive", (guessed.reason, "add it if outsiders could know it")
    known = [_REASONS[word] for word in words_of(facts.name) if word in _REASONS]
    if known:
        more = () if guessed.confidence == "unsure" else (guessed.reason,)
        return "likely", (known[0], *more)
    recognized = guessed.confidence == "recognized"
    return ("likely" if recognized else "possible"), (guessed.reason,)
