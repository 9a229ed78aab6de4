"""HIPAA Safe Harbor (45 CFR 164.514(b)(2)): find columns that may hold its eighteen identifiers.

This is an aid, not legal advice. It goes by the names of columns and the form of their values, and
can miss identifiers. The rule also requires that the data holder knows of no other way to identify
people. Findings never show a cell.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.counts.level_table import Value
from lookalike.policy.cell_text import text
from lookalike.policy.column_name_words import words_of
from lookalike.policy.draft_roles import MIN_TEXT_LENGTH, POSTAL_WORDS, guess_role
from lookalike.policy.hierarchies.number_reading import number
from lookalike.risks.screening.column_profile import Profile, profiles
from lookalike.risks.screening.hipaa_identifiers import (
    BY_LETTER,
    IDENTIFIERS,
    RESTRICTED_2000,
    STATE_OR_LARGER,
    named,
)
from lookalike.tables.open import open_table

CAUTION = (
    "This is an aid, not legal advice. It goes by the names of columns and the form of their "
    "values, and can miss identifiers. The rule also requires that you know of no other way to "
    "identify people."
)
MAX_AGE = 89  # higher ages may only be shown as one group, 90 or older
AGE_WORDS = frozenset(["age", "alter", "edad"])
BIRTH_WORDS = frozenset(
    ["birth", "birthday", "birthdate", "dob", "born", "geburt", "geburtsdatum", "yob"]
)
YEAR_WORDS = frozenset(["year", "yob", "jahr", "annee", "ano"])

_YEAR, _MONTH, _DAY = r"(?:1[89]|2[01])\d\d", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_NAMED = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(
    rf"(?<![\w./-])(?:{_YEAR}([-/.]){_MONTH}\1{_DAY}|{_YEAR}[-/]{_MONTH}"  # 1999-12-31, 1999-12
    rf"|{_DAY}([-/.]){_DAY}\2(?:{_YEAR}|\d\d)|{_MONTH}[-/]{_YEAR}"  # 31.12.1999, 12/31/99, 12/1999
    rf"|(?:{_DAY}\.?[ -])?{_NAMED}[ -](?:{_DAY},? )?{_YEAR})"  # 31 Dec 1999, Dec 31, 1999
    r"(?:[T ]\d{1,2}:\d\d|(?![\w/-]|\.\d))",
    re.IGNORECASE | re.ASCII,
)
_THREE_DIGITS = re.compile(r"\A\d{3}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A column that may hold an identifier of the rule."""

    column: str
    letter: str  # of 164.514(b)(2)(i)
    identifier: str
    why: str
    rows: int
    advice: str


@dataclass(frozen=True, slots=True)
class SafeHarbor:
    """The findings in the order of the columns, and a caution about them."""

    findings: tuple[Suspicion, ...]
    caution: str = CAUTION


def check_safe_harbor(table: Any, *, today: datetime.date | None = None) -> SafeHarbor:
    """Check every column of a table for the identifiers of HIPAA's Safe Harbor rule.

    This is an aid, not legal advice: it can miss identifiers.

    Parameters
    ----------
    table
        The table, in any of the forms that lookalike reads.
    today : date, optional
        The day on which ages are computed from years of birth; today if not given.

    Returns
    -------
    SafeHarbor
        ``findings`` are columns with the identifier they may hold, why, and advice.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"email": ["ann@example.org", "bob@example.org"], "ward": ["A", "B"]})
    >>> [(finding.column, finding.identifier) for finding in la.check_safe_harbor(table).findings]
    [('email', 'electronic mail addresses')]
    """
    return find_identifiers(profiles(open_table(table)), today or datetime.date.today())


def find_identifiers(columns: Sequence[Profile], today: datetime.date) -> SafeHarbor:
    """Each identifier is found at most once in a column, by its strongest evidence."""
    findings: dict[tuple[str, str], Suspicion] = {}
    for column in columns:
        for suspicion in _suspicions(column, today):
            findings.setdefault((suspicion.column, suspicion.letter), suspicion)
    return SafeHarbor(tuple(findings.values()))


def _suspicions(column: Profile, today: datetime.date) -> Iterator[Suspicion]:
    if not len(column.values):
        return
    words = words_of(column.facts.name)
    texts = [text(value) for value in column.values]
    specific = [
        *_by_pattern(column, texts),
        *_zip_codes(column, words, texts),
        *_dates_and_ages(column, words, texts, today),
        *_by_name(column, words),
    ]
    yield from specific
    yield from _free_text(column, texts)
    guessed = guess_role(column.facts)
    if not specific and guessed.role == "identifiers":
        yield _suspicion(column, "R", guessed.reason)


def _by_pattern(column: Profile, texts: list[str]) -> Iterator[Suspicion]:
    for identifier in IDENTIFIERS:
        if rows := rows_with(column, identifier.pattern, texts):
            yield _suspicion(column, identifier.letter, "its cells have the form", rows)


def _by_name(column: Profile, words: tuple[str, ...]) -> Iterator[Suspicion]:
    """Likely by the name alone; cells of a county, for example, have no special form."""
    for identifier in IDENTIFIERS:
        if named(words, identifier):
            yield _suspicion(column, identifier.letter, "its name suggests it")


def _zip_codes(column: Profile, words: tuple[str, ...], texts: list[str]) -> Iterator[Suspicion]:
    if not set(words) & POSTAL_WORDS:
        return
    codes = _padded(column.values, texts)
    if rows := _rows(column, [len(code) > 3 for code in codes]):
        why = "postal codes of more than three digits"
        yield _suspicion(column, "B", why, rows, STATE_OR_LARGER)
        return
    advice = (
        "make sure that each three-digit area has more than 20,000 people in the latest census, "
        "which the table does not show; use 000 for the others"
    )
    if rows := _rows(column, [code in RESTRICTED_2000 for code in codes]):
        why = "three digits of areas that had too few people in the census of 2000"
        yield _suspicion(column, "B", why, rows, advice)
    elif rows := rows_with(column, _THREE_DIGITS, codes):
        why = "three digits of a postal code; how many people live there is unknown"
        yield _suspicion(column, "B", why, rows, advice)


def _padded(values: Sequence[Value], texts: list[str]) -> list[str]:
    """Without stars at the end, and with the leading zeros that numbers lose."""
    if not all(isinstance(value, int | float | np.number) for value in values):
        return [cell.strip().rstrip("*") for cell in texts]
    longest = max(map(len, texts))
    return [cell.zfill(3 if longest <= 3 else 5) for cell in texts]


def _dates_and_ages(
    column: Profile, words: tuple[str, ...], texts: list[str], today: datetime.date
) -> Iterator[Suspicion]:
    dated = [isinstance(value, datetime.date) for value in column.values]
    if rows := _rows(column, dated) or rows_with(column, _DATE, texts):
        advice = "keep only the year, and no year that reveals an age over 89"
        yield _suspicion(column, "C", "dates more precise than a year", rows, advice)
        return
    one_group = "show them as one group, 90 or older"
    numbers = [number(value) for value in column.values]
    if AGE_WORDS & set(words):
        if rows := _rows(column, [age is not None and age > MAX_AGE for age in numbers]):
            yield _suspicion(column, "C", f"ages over {MAX_AGE}", rows, one_group)
    elif BIRTH_WORDS & set(words):
        # whether the birthday is past is unknown, so a person born in this year may be 90
        last = today.year - MAX_AGE - 1
        if rows := _rows(column, [year is not None and 1800 < year <= last for year in numbers]):
            why = f"years of birth that reveal an age over {MAX_AGE}"
            yield _suspicion(column, "C", why, rows, one_group)
    elif words and words[0] in ("date", "datum", "fecha") and not YEAR_WORDS & set(words):
        why = "its name suggests a date; how precise it is could not be determined"
        yield _suspicion(column, "C", why, advice="keep only the year")


def _free_text(column: Profile, texts: list[str]) -> Iterator[Suspicion]:
    if rows := free_text_rows(column, texts):
        why = "free text, which can contain any of the eighteen"
        yield _suspicion(column, "R", why, rows, "remove it, or read and clean every cell")


def free_text_rows(column: Profile, texts: Sequence[str]) -> int:
    """Rows with long texts of several words, if these are more than half of the rows."""
    rows = _rows(column, [len(cell) > MIN_TEXT_LENGTH and cell.count(" ") >= 5 for cell in texts])
    return rows if rows * 2 > int(column.rows.sum()) else 0


def _rows(column: Profile, flags: Sequence[bool]) -> int:
    """Rows with the values that are flagged."""
    return int(column.rows[np.array(flags)].sum())


def rows_with(column: Profile, pattern: re.Pattern[str] | None, texts: Sequence[str]) -> int:
    """Rows with texts in which the pattern is found."""
    return _rows(column, [pattern.search(cell) is not None for cell in texts]) if pattern else 0


def _suspicion(
    column: Profile, letter: str, why: str, rows: int | None = None, advice: str | None = None
) -> Suspicion:
    """About all rows, if their number is not given; with the usual advice by default."""
    identifier, name = BY_LETTER[letter], column.facts.name
    rows = int(column.rows.sum()) if rows is None else rows
    return Suspicion(name, letter, identifier.title, why, rows, advice or identifier.advice)
