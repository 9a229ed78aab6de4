"""One column's role and hierarchy, guessed from its name and its values.

A heuristic, and a cautious one: what cannot be told is a quasi-identifier, never insensitive,
because a column kept by mistake is a leak and a column recoded by mistake only costs detail.
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
from lookalike.policy.hierarchies import bands, dates, flat, prefix
from lookalike.policy.hierarchies.level_builder import missing
from lookalike.policy.hierarchies.number_reading import number, within_range
from lookalike.policy.hierarchy import Hierarchy

Role = Literal["identifiers", "quasi_identifiers", "sensitive"]


def _vocabulary(words: str) -> frozenset[str]:
    return frozenset(words.split())


NAMES_A_PERSON = _vocabulary(
    "ssn email mail phone telephone mobile cell fax passport iban uuid guid mrn username login "
    "firstname lastname surname forename fullname license licence plate url ip imei nin "
    "vorname nachname familienname prenom apellido apellidos telefon telefono courriel correo dni"
)
OFTEN_NAMES_A_PERSON = _vocabulary(
    "name id key number no nr address street account nom nombre adresse strasse rue direccion calle"
)
SENSITIVE = _vocabulary(
    "diagnosis diagnoses disease illness condition ailment symptom icd hiv treatment therapy "
    "medication drug procedure outcome result lab salary income wage earnings pay debt loan credit "
    "balance religion faith party vote orientation conviction offence offense crime "
    "diagnose diagnosen krankheit gehalt lohn einkommen diagnostic maladie salaire revenu "
    "diagnostico enfermedad salario sueldo ingresos"
)
POSTAL = _vocabulary("zip zipcode postal postcode postalcode plz postleitzahl cp cep pincode")

MANY_NAMES = 100  # people share names: a large table repeats them, a list of wards is shorter
LONG_TEXT = 40  # characters, on average: free text
NEARLY_ALL = 0.95  # share of rows with a value of their own: an identifier, if it is text


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What a guess may look at: ``values`` are the distinct values, or a sample of them."""

    name: str
    type: str
    rows: int
    distinct: int
    nulls: int
    values: tuple[Value, ...]

    @property
    def share(self) -> float:
        """Distinct values a row, nulls aside: 1 if no two rows agree."""
        return self.distinct / max(self.rows - self.nulls, 1)

    @property
    def known(self) -> list[Value]:
        return [value for value in self.values if not missing(value)]


@dataclass(frozen=True, slots=True)
class Guess:
    """A role, its reason, and for a quasi-identifier the hierarchy."""

    role: Role
    reason: str
    hierarchy: Hierarchy | None = None


def guess(facts: ColumnFacts) -> Guess:
    """The first guess whose hierarchy takes every value given."""
    words = set(words_of(facts.name))
    if words & NAMES_A_PERSON:
        return Guess("identifiers", "its name says that it names people")
    if words & SENSITIVE:
        return Guess("sensitive", "its name says that people would not want it known")
    for candidate in _candidates(facts, words):
        if candidate.hierarchy is None or _takes(candidate.hierarchy, facts):
            return candidate
    raise AssertionError("flat takes every value")


def _candidates(facts: ColumnFacts, words: set[str]) -> Iterator[Guess]:
    known = facts.known
    reads = [text(value) for value in known]
    numbers = [one for one in map(number, known) if one is not None and within_range(one)]
    numeric = bool(known) and len(numbers) == len(known)
    if known:
        timed = any(re.search("[T ][0-9]{2}:[0-9]{2}|[0-9]{2}:[0-9]{2}$", read) for read in reads)
        yield _quasi(dates(days=timed), "its values are dates")
        yield _quasi(
            dates(format="%m/%d/%Y"),
            "its values are dates, but MM/DD or DD/MM the data do not tell: check format",
        )
    if words & POSTAL:
        yield _quasi(prefix(), "its name says postal code")
    if words & OFTEN_NAMES_A_PERSON and (facts.share >= 0.5 or facts.distinct > MANY_NAMES):
        yield Guess("identifiers", "its name says identifier, and it has many values")
    code = _looks_postal(known, reads)
    if (code or not numeric) and facts.rows >= 20 and facts.share >= NEARLY_ALL:
        yield Guess("identifiers", "nearly every row has a value of its own")
    if numeric and facts.rows >= 20 and _counts_off(facts, numbers):
        yield Guess("identifiers", "it counts off the rows")
    if code:
        yield _quasi(prefix(), "digits of one length, as a postal code or another code")
    if numeric and (facts.distinct > 12 or facts.share > 0.25):
        widths = _widths(numbers)
        if widths:
            yield _quasi(bands(*widths), "numbers with many values")
    if reads and sum(map(len, reads)) > LONG_TEXT * len(reads):
        yield Guess("identifiers", "long text can name anybody")
    if facts.distinct > 20:
        yield _quasi(flat(), "many values and no order: a tree would lose less. Unsure of the role")
    else:
        yield _quasi(flat(), "few values. Unsure of the role; an outsider might know it")


def _quasi(hierarchy: Hierarchy, reason: str) -> Guess:
    return Guess("quasi_identifiers", reason, hierarchy)


def _takes(hierarchy: Hierarchy, facts: ColumnFacts) -> bool:
    try:
        hierarchy.tabulate(facts.name, facts.values)
    except PolicyError:
        return False
    return True


def _looks_postal(known: list[Value], reads: list[str]) -> bool:
    """Text of five to ten digits, all of one length."""
    written = all(isinstance(value, str) for value in known)
    lengths = {len(read) for read in reads}
    return (
        written
        and len(lengths) == 1
        and 5 <= min(lengths) <= 10
        and all(read.isascii() and read.isdigit() for read in reads)
    )


def _counts_off(facts: ColumnFacts, numbers: list[Decimal]) -> bool:
    """Whole numbers without gaps, each once. A sample always has gaps, and is let pass."""
    once = facts.distinct == facts.rows == len(numbers)
    return _whole(numbers) and once and max(numbers) - min(numbers) == len(numbers) - 1


def _whole(numbers: list[Decimal]) -> bool:
    return all(one == one.to_integral_value() for one in numbers)


def _widths(numbers: list[Decimal]) -> list[Decimal]:
    """Three nested widths, the narrowest about a twentieth of the range: 5, 10, 20 for ages.

    Whole numbers have whole widths of 2 or more, as many as the range has room for.
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
