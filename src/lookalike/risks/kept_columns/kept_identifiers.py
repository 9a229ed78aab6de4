"""Kept columns that are identifiers themselves, by what their cells look like or by their name.

The identifiers of HIPAA's Safe Harbor rule and the guesses of a policy draft are used again
(``hipaa_identifiers.py``, ``draft_roles.py``), with one difference: here a finding refuses a
release, so a name alone is not enough. A column called ``phone`` that holds yes and no, or a count,
names nobody.

A measurement with decimals, such as a blood pressure or an amount of money, has nearly as many
values as rows and still is not an identifier, because nobody knows it exactly. It is reported as
singling out (``singling_out.py``). Whole numbers are record numbers only if they behave so: they
number the rows, have one length, or avoid each other where chance would make some equal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lookalike.counts.level_table import Value
from lookalike.policy.cell_text import text
from lookalike.policy.column_name_words import words_of
from lookalike.policy.draft_roles import (
    IDENTIFIER_WORDS,
    MIN_DISTINCT_SHARE,
    MIN_PEOPLE,
    MIN_TEXT_LENGTH,
    ColumnFacts,
    guess_role,
)
from lookalike.risks.kept_columns.coded_table import CodedColumn, CodedTable, Real, Whole
from lookalike.risks.kept_columns.findings import KeptColumnFinding, Kind
from lookalike.risks.kept_columns.national_numbers import recognize
from lookalike.risks.kept_columns.sentences import identifier_sentence
from lookalike.risks.screening.column_profile import MAX_VALUES, Profile
from lookalike.risks.screening.hipaa_identifiers import IDENTIFIERS, Identifier
from lookalike.risks.screening.safe_harbor import free_text_rows, rows_with

NOT_OF_PEOPLE = frozenset("BC")  # places and dates can be quasi-identifiers; see EXACT_PLACES
EXACT_PLACES = Identifier(
    "B",
    "addresses and coordinates",
    "address street latitude longitude gps coordinates adresse strasse direccion",
)
BY_NAME = (*(i for i in IDENTIFIERS if i.letter not in NOT_OF_PEOPLE), EXACT_PLACES)
VAGUE_WORDS = frozenset(
    ["name", "initials", "account", "vehicle", "certificate", "image", "id", "key", "nr", "no"]
)
NEVER_NUMBERS = frozenset(
    ["ip", "ipaddress", "url", "website", "homepage", "email", "mail", "fax", "photo", "image"]
)
NUMBERING_WORDS = frozenset(["id", "key", "nr", "no"])
PERSON = re.compile(r"[^\W\d_][\w'’.-]*,? (?:[^\W\d_]\.? )?[^\W\d_][\w'’-]+")
TITLED_NAME = re.compile(
    r"\b(?:Dr|Mr|Mrs|Ms|Prof|Herr|Frau|Mme|Mlle|Señora?)\b\.? (?:[A-Z]\. )?[A-Z][\w'’-]+"
)
MIN_WORDS = 3  # of a text on average, from which on it is free text if most occur once
MIN_PERSONS = 0.9  # share of the values that have the form of a person's name
INTERNATIONAL_PHONE = re.compile(r"(?<![\w+])(?:\+|00)[1-9]\d{0,2}[ ./-]?\(?\d[\d ()./-]{6,}\d")
MAX_GUESS_VALUES = 1_000  # values that the guess of a policy draft is given
MIN_ROWS = 20  # in fewer rows, different values say little
MIN_DIGITS = 6  # whole numbers of one length, from which on they look like a code
MIN_RATIO = 4  # of the largest to the smallest code of one length
MAX_CHANCE_WITHOUT_TIES = 1e-3  # of no two equal numbers, below which they avoid each other
YEARS = (1600, 2150)  # a table by years numbers its rows by them


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What a column seems to hold, why, and in how many rows."""

    what: str
    why: str
    rows: int


def find_kept_identifiers(
    table: CodedTable, kept: Sequence[str], types: Mapping[str, str], k: int
) -> list[KeptColumnFinding]:
    """One finding for each kept column that looks like an identifier, by its best evidence."""
    findings = []
    for name in kept:
        column = _profile(table, name, types[name])
        evidence = next(_evidence(table.columns[name], column, k), None)
        if evidence is not None:
            sentence = identifier_sentence(
                name, evidence.what, evidence.why, evidence.rows, table.rows
            )
            findings.append(
                KeptColumnFinding((name,), Kind.IDENTIFIER, (), evidence.rows, True, sentence)
            )
    return findings


def _profile(table: CodedTable, name: str, kind: str) -> Profile:
    """The profile of a column; of very many values, patterns are searched in an even sample."""
    column, rows = table.columns[name], table.rows_of(name)
    known = np.flatnonzero(column.present)
    step = -(-len(known) // MAX_VALUES) or 1
    chosen = known[::step].tolist()
    values = tuple(column.values[i] for i in chosen)
    nulls = table.rows - int(rows[known].sum())
    facts = ColumnFacts(name, kind, table.rows, len(known), nulls, values)
    return Profile(facts, values, rows[chosen], rows[known])


def _evidence(column: CodedColumn, profile: Profile, k: int) -> Iterator[_Evidence]:
    """The evidence for an identifier, the most certain first."""
    if not profile.values:
        return
    is_text = column.numbers is None and column.days is None
    texts = [] if column.is_continuous else _texts(profile.values, is_text=is_text)
    held = int(profile.sizes.sum())
    if is_text:
        yield from _patterns(profile, texts)
    if column.days is None and (national := recognize(texts)):
        yield _Evidence(national, "the check digits are right", held)
    yield from _by_name(column, profile, k)
    if is_text:
        yield from _free_text(profile, texts, k)
        yield from _names_of_people(profile, texts, k)
    yield from _record_numbers(column, profile)
    if column.days is not None:
        return
    if column.is_continuous or _counts_years(column):
        return
    if profile.facts.share >= MIN_DISTINCT_SHARE or _average_length(texts) > MIN_TEXT_LENGTH:
        # under another name: a column that looks sensitive can be an identifier all the same
        guess = guess_role(
            replace(profile.facts, name="x", values=profile.values[:MAX_GUESS_VALUES])
        )
        if guess.role == "identifiers":
            yield _Evidence("an identifier", guess.reason, held)


def _texts(values: Sequence[Value], *, is_text: bool) -> list[str]:
    """The cells as texts; of numbers and dates an even sample, which shows their form."""
    step = 1 if is_text else -(-len(values) // MAX_GUESS_VALUES)
    return [text(value) for value in values[::step]]


def _average_length(texts: list[str]) -> float:
    return sum(map(len, texts)) / len(texts)


def _patterns(profile: Profile, texts: list[str]) -> Iterator[_Evidence]:
    for identifier in IDENTIFIERS:
        if identifier.letter not in NOT_OF_PEOPLE and (
            rows := rows_with(profile, identifier.pattern, texts)
        ):
            yield _Evidence(identifier.title, "the cells have the form", rows)
    if rows := rows_with(profile, INTERNATIONAL_PHONE, texts):
        yield _Evidence("telephone numbers", "the cells have the form", rows)


def _by_name(column: CodedColumn, profile: Profile, k: int) -> Iterator[_Evidence]:
    """The name suggests an identifier, and the cells are not a measurement, a date or a few codes.

    Texts with a clear name must have one value of fewer than k rows. With a vague name (``name``
    may be the name of a ward), or if they are numbers, most rows must have such values; a number
    (``id``) may also repeat, if it has many values.
    """
    words = words_of(profile.facts.name)
    entries = _matching_words(words)
    if column.numbers is not None:
        entries = {word: title for word, title in entries.items() if word not in NEVER_NUMBERS}
    if not entries or column.days is not None:
        return
    title = next(iter(entries.values()))
    if column.is_continuous and title != EXACT_PLACES.title:
        return
    held = int(profile.sizes.sum())
    rare = int(profile.sizes[profile.sizes < k].sum())
    clear = column.numbers is None and not set(entries) <= VAGUE_WORDS
    if not clear and held < MIN_ROWS:
        return
    if rare and (clear or 2 * rare > held):
        yield _Evidence(title, "the name of the column says so, and values are rare", held)
    elif words[-1] in NUMBERING_WORDS and guess_role(profile.facts).role == "identifiers":
        yield _Evidence(title, "the name of the column says so, and there are many values", held)


def _matching_words(words: tuple[str, ...]) -> dict[str, str]:
    """The words of the name that suggest an identifier, and which: ``last+name``: names."""
    known = set(words) | {"".join(words)}
    entries = {
        entry: identifier.title
        for identifier in BY_NAME
        for entry in identifier.words.split()
        if set(entry.split("+")) <= known
    }
    others = known & IDENTIFIER_WORDS | set(words[-1:]) & NUMBERING_WORDS
    return entries | dict.fromkeys(sorted(others - set(entries)), "direct identifiers")


def _free_text(profile: Profile, texts: list[str], k: int) -> Iterator[_Evidence]:
    """Long texts, texts of several words that mostly occur once, or rare texts with names."""
    if rows := free_text_rows(profile, texts):
        yield _Evidence("free text", "long texts can name people", rows)
    held, unique = int(profile.sizes.sum()), int((profile.sizes == 1).sum())
    words = sum(len(cell.split()) for cell in texts)
    if held >= MIN_ROWS and 2 * unique > held and words >= MIN_WORDS * len(texts):
        yield _Evidence("free text", "most texts have several words and occur once", unique)
    named = [TITLED_NAME.search(cell) is not None for cell in texts]
    if rows := int(profile.rows[np.array(named) & (profile.rows < k)].sum()):
        yield _Evidence("names", "rare texts have titles and names of people", rows)


def _names_of_people(profile: Profile, texts: list[str], k: int) -> Iterator[_Evidence]:
    """Two words that each begin with a capital letter, in many values of few rows."""
    if profile.facts.distinct <= MIN_PEOPLE:
        return
    rare = int(profile.sizes[profile.sizes < k].sum())
    held = int(profile.sizes.sum())
    people = sum(bool(PERSON.fullmatch(cell)) and cell.istitle() for cell in texts)
    if 2 * rare > held and people >= MIN_PERSONS * len(texts):
        yield _Evidence("names", "the cells have the form of people's names", held)


def _record_numbers(column: CodedColumn, profile: Profile) -> Iterator[_Evidence]:
    """Whole numbers that behave as record numbers: of rows, or of people with several rows each."""
    numbers = column.numbers
    held = int(profile.sizes.sum())
    if numbers is None or held < MIN_ROWS or _counts_years(column):
        return
    whole = numbers[column.present]
    if not (np.isfinite(whole).all() and (whole == np.round(whole)).all()):
        return
    why = None
    if profile.facts.share >= MIN_DISTINCT_SHARE and _of_one_length(whole):
        why = "nearly every row has a different number of the same length"
    elif len(whole) == held and _avoid_each_other(whole):
        why = "no two rows have the same number, though by chance some would"
    elif _equally_often(profile.sizes):
        why = "each of many numbers occurs in the same number of rows"
    if why:
        yield _Evidence("record numbers", why, held)


def _of_one_length(numbers: Real) -> bool:
    """Codes use most of the numbers of their length; measurements lie closer together."""
    least, most = np.abs(numbers).min(), np.abs(numbers).max()
    long_enough = least >= 10 ** (MIN_DIGITS - 1) and most >= MIN_RATIO * least
    return bool(long_enough and math.floor(math.log10(least)) == math.floor(math.log10(most)))


def _avoid_each_other(numbers: Real) -> bool:
    """Are there no ties, where as many random numbers of this range would have some?

    The range is that of the middle half, twice: a few far numbers do not hide that others are near.
    """
    low, high = np.quantile(numbers, (0.25, 0.75))
    values = max(1.0, 2 * (high - low) + 1)
    pairs = len(numbers) * (len(numbers) - 1) / 2
    return math.exp(-min(700.0, pairs / values)) < MAX_CHANCE_WITHOUT_TIES


def _equally_often(sizes: Whole) -> bool:
    return len(sizes) > MIN_PEOPLE and int(sizes.min()) == int(sizes.max()) > 1


def _counts_years(column: CodedColumn) -> bool:
    if column.numbers is None:
        return False
    numbers = column.numbers[column.present]
    return bool(((numbers >= YEARS[0]) & (numbers <= YEARS[1])).all())
