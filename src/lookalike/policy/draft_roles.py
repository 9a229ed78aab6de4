"""Guess the role and the hierarchy of a column from its name and its values.

A cautious heuristic: a column of unsure role is a quasi-identifier, never insensitive, because a
column that is kept by mistake is a leak, and one that is generalized by mistake only loses detail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from lookalike.counts.level_table import Value
from lookalike.errors import PolicyError
from lookalike.policy.cell_text import text
from lookalike.policy.column_name_words import words_of
from lookalike.policy.hierarchies.bands import bands
from lookalike.policy.hierarchies.dates import dates
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.hierarchies.level_builder import missing
from lookalike.policy.hierarchies.number_reading import number, within_range
from lookalike.policy.hierarchies.prefix import prefix
from lookalike.policy.hierarchy import Hierarchy

Role = Literal["identifiers", "quasi_identifiers", "sensitive"]


Confidence = Literal["recognized", "plausible", "unsure"]


def _vocabulary(words: str) -> frozenset[str]:
    return frozenset(words.split())


IDENTIFIER_WORDS = _vocabulary(
    "ssn email mail phone telephone mobile cell fax passport iban uuid guid mrn username login "
    "firstname lastname surname forename fullname license licence plate url ip imei nin "
    "vorname nachname familienname prenom apellido apellidos telefon telefono courriel correo dni"
)
POSSIBLE_IDENTIFIER_WORDS = _vocabulary(
    "name id key number no nr address street account nom nombre adresse strasse rue direccion calle"
)
SENSITIVE_WORDS = _vocabulary(
    "diagnosis diagnoses disease illness condition ailment symptom icd hiv treatment therapy "
    "medication drug procedure outcome result lab salary income wage earnings pay debt loan credit "
    "balance religion faith party vote orientation conviction offence offense crime "
    "diagnose diagnosen krankheit gehalt lohn einkommen diagnostic maladie salaire revenu "
    "diagnostico enfermedad salario sueldo ingresos"
)
POSTAL_WORDS = _vocabulary("zip zipcode postal postcode postalcode plz postleitzahl cp cep pincode")

MIN_PEOPLE = 100  # distinct values above which a column called "name" names people, not wards
MIN_TEXT_LENGTH = 40  # average characters above which it is free text
MIN_DISTINCT_SHARE = 0.95  # share of distinct values from which a column of text is an identifier


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What a guess is based on; ``values`` are the distinct values, or a sample of them."""

    name: str
    type: str
    rows: int
    distinct: int
    nulls: int
    values: tuple[Value, ...]

    @property
    def share(self) -> float:
        """Distinct values divided by rows, without nulls: 1 if no two rows agree."""
        return self.distinct / max(self.rows - self.nulls, 1)

    @property
    def known(self) -> list[Value]:
        """The values that are not null."""
        return [value for value in self.values if not missing(value)]


@dataclass(frozen=True, slots=True)
class Guess:
    """A role, its reason, and for a quasi-identifier the hierarchy."""

    role: Role
    reason: str
    hierarchy: Hierarchy | None = None
    confidence: Confidence = "plausible"


def guess_role(facts: ColumnFacts) -> Guess:
    """The first guess whose hierarchy accepts every value given."""
    words = set(words_of(facts.name))
    if words & IDENTIFIER_WORDS:
        return Guess("identifiers", "looks like a direct identifier, by its name")
    if words & SENSITIVE_WORDS:
        return Guess("sensitive", "looks sensitive, by its name")
    for guess in _guesses(facts, words):
        if guess.hierarchy is None or _accepts(guess.hierarchy, facts):
            return guess
    raise AssertionError("flat accepts every value")


def _guesses(facts: ColumnFacts, words: set[str]) -> Iterator[Guess]:
    """Guesses for a column whose name is neither a direct identifier nor sensitive, best first."""
    known = facts.known
    texts = [text(value) for value in known]
    numbers = [read for read in map(number, known) if read is not None and within_range(read)]
    numeric = bool(known) and len(numbers) == len(known)
    if known:
        timed = any(re.search("[T ][0-9]{2}:[0-9]{2}|[0-9]{2}:[0-9]{2}$", cell) for cell in texts)
        yield _quasi(dates(days=timed), "its values are dates", "recognized")
        yield _quasi(
            dates(format="%m/%d/%Y"),
            "its values are dates; whether MM/DD or DD/MM is unclear: check format",
            "recognized",
        )
    if words & POSTAL_WORDS:
        yield _quasi(prefix(), "looks like a postal code, by its name", "recognized")
    varied = facts.share >= 0.5 or facts.distinct > MIN_PEOPLE
    if words & POSSIBLE_IDENTIFIER_WORDS and varied:
        yield Guess("identifiers", "looks like an identifier, by its name and its many values")
    code = _looks_postal(known, texts)
    if (code or not numeric) and facts.rows >= 20 and facts.share >= MIN_DISTINCT_SHARE:
        yield Guess("identifiers", "nearly every row has a different value")
    if numeric and facts.rows >= 20 and _numbers_rows(facts, numbers):
        yield Guess("identifiers", "it numbers the rows")
    if code:
        yield _quasi(prefix(), "digits of one length, such as a postal code or another code")
    if numeric and (facts.distinct > 12 or facts.share > 0.25):
        widths = _widths(numbers)
        if widths:
            yield _quasi(bands(*widths), "numbers with many values")
    if texts and sum(map(len, texts)) > MIN_TEXT_LENGTH * len(texts):
        yield Guess("identifiers", "long text can contain names")
    reason = "few values. The role is unsure; an outsider might know it"
    if facts.distinct > 20:
        reason = "many values without an order: a tree would lose less. The role is unsure"
    yield _quasi(flat(), reason, "unsure")


def _quasi(hierarchy: Hierarchy, reason: str, confidence: Confidence = "plausible") -> Guess:
    return Guess("quasi_identifiers", reason, hierarchy, confidence)


def _accepts(hierarchy: Hierarchy, facts: ColumnFacts) -> bool:
    try:
        hierarchy.tabulate(facts.name, facts.values)
    except PolicyError:
        return False
    return True


def _looks_postal(known: list[Value], texts: list[str]) -> bool:
    """Is it text of five to ten digits, all of one length?"""
    lengths = {len(cell) for cell in texts}
    return (
        all(isinstance(value, str) for value in known)
        and len(lengths) == 1
        and 5 <= min(lengths) <= 10
        and all(cell.isascii() and cell.isdigit() for cell in texts)
    )


def _numbers_rows(facts: ColumnFacts, numbers: list[Decimal]) -> bool:
    """Whole numbers without gaps, each once? A sample always has gaps, so the answer is no."""
    once = facts.distinct == facts.rows == len(numbers)
    return _whole(numbers) and once and max(numbers) - min(numbers) == len(numbers) - 1


def _whole(numbers: list[Decimal]) -> bool:
    return all(number == number.to_integral_value() for number in numbers)


def _widths(numbers: list[Decimal]) -> list[Decimal]:
    """Three nested widths, the narrowest about 1/20 of the range: 5, 10, 20 for ages.

    Whole numbers have whole widths of 2 or more; widths beyond the range are left out.
    """
    span = max(numbers) - min(numbers)
    if not span:
        return []
    aim = span / 20
    if aim <= 1 and _whole(numbers):
        return [Decimal(width) for width in (2, 4, 8) if width <= span]
    power = Decimal(10) ** aim.adjusted()
    lead = next(digit for digit in (1, 2, 5, 10) if digit * power >= aim)
    nested = (1, 2, 4) if lead == 5 else (1, 5, 10)
    return [lead * power * factor for factor in nested]
