"""HIPAA Safe Harbor (45 CFR 164.514(b)(2)): columns that may hold one of its eighteen identifiers.

A help to look with, and no legal advice. It goes by names and by the look of values: no finding is
no proof that there is nothing, and the rule also asks that the holder knows of no way to identify
the people that are left. Findings never show a cell.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.counts.level_table import Value
from lookalike.policy.cell_text import text
from lookalike.policy.column_name_words import words_of
from lookalike.policy.draft_roles import LONG_TEXT, POSTAL_WORDS, guess_role
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
    "A help, and no legal advice. It goes by the names of columns and the look of their values: no "
    "finding is no proof. The rule also asks that you know of no other way to identify people."
)
OLDEST = 89  # ages above it may only be shown as one group, 90 or older
AGES = frozenset(["age", "alter", "edad"])
BIRTH = frozenset(
    ["birth", "birthday", "birthdate", "dob", "born", "geburt", "geburtsdatum", "yob"]
)
YEARS = frozenset(["year", "yob", "jahr", "annee", "ano"])

_YEAR, _MONTH, _DAY = r"(?:1[89]|2[01])\d\d", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_NAMED = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(
    rf"(?<![\w./-])(?:{_YEAR}([-/.]){_MONTH}\1{_DAY}|{_YEAR}[-/]{_MONTH}"  # 1999-12-31, 1999-12
    rf"|{_DAY}([-/.]){_DAY}\2(?:{_YEAR}|\d\d)|{_MONTH}[-/]{_YEAR}"  # 31.12.1999, 12/31/99, 12/1999
    rf"|(?:{_DAY}\.?[ -])?{_NAMED}[ -](?:{_DAY},? )?{_YEAR})"  # 31 Dec 1999, Dec 31, 1999
    r"(?:[T ]\d{1,2}:\d\d|(?![\w/-]|\.\d))",
    re.IGNORECASE | re.ASCII,
)
_ZIP = re.compile(r"\d{3,5}(?:-?\d{4})?", re.ASCII)


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
    """What was found, in the order of the columns, and how far to trust it."""

    findings: tuple[Suspicion, ...]
    caution: str = CAUTION


def check_safe_harbor(table: Any, *, today: datetime.date | None = None) -> SafeHarbor:
    """Look at every column of a table for the identifiers of the rule."""
    return look(profiles(open_table(table)), today or datetime.date.today())


def look(columns: Sequence[Profile], today: datetime.date) -> SafeHarbor:
    """Each identifier is found at most once in a column."""
    found = []
    for column in columns:
        letters: set[str] = set()
        for one in _suspicions(column, today):
            if one.letter not in letters:
                letters.add(one.letter)
                found.append(one)
    return SafeHarbor(tuple(found))


def _suspicions(column: Profile, today: datetime.date) -> Iterator[Suspicion]:
    if not len(column.values):
        return
    words = words_of(column.facts.name)
    reads = [text(value) for value in column.values]
    found = False
    for judge in (_by_pattern, _zip_codes, _dates_and_ages):
        for one in judge(column, words, reads, today):
            found = True
            yield one
    for one in _by_name(column, words):
        found = True
        yield one
    yield from _free_text(column, reads)
    guessed = guess_role(column.facts)
    if not found and guessed.role == "identifiers":
        yield _suspicion(column, "R", guessed.reason, int(column.rows.sum()))


def _by_pattern(
    column: Profile, words: tuple[str, ...], reads: list[str], today: datetime.date
) -> Iterator[Suspicion]:
    for identifier in IDENTIFIERS:
        pattern = identifier.pattern
        if pattern is not None and (rows := _rows(column, reads, _finds(pattern))):
            yield _suspicion(column, identifier.letter, "its cells look like it", rows)


def _by_name(column: Profile, words: tuple[str, ...]) -> Iterator[Suspicion]:
    """Likely by name alone; a county is one also where its cells look like nothing."""
    for identifier in IDENTIFIERS:
        if named(words, identifier):
            rows = int(column.rows.sum())
            yield _suspicion(column, identifier.letter, "its name says so", rows)


def _zip_codes(
    column: Profile, words: tuple[str, ...], reads: list[str], today: datetime.date
) -> Iterator[Suspicion]:
    if not set(words) & POSTAL_WORDS:
        return
    codes = _padded(column.values, reads)
    fine = _rows(column, codes, lambda code: bool(_ZIP.fullmatch(code)) and len(code) > 3)
    other = _rows(column, codes, lambda code: len(code) > 3 and not _ZIP.fullmatch(code))
    rare = _rows(
        column, codes, lambda code: bool(_ZIP.fullmatch(code)) and code[:3] in RESTRICTED_2000
    )
    if fine or other:
        why = "postal codes of more than three digits"
        yield _suspicion(column, "B", why, fine + other, STATE_OR_LARGER)
        return
    advice = (
        "make sure that each three-digit area has more than 20,000 people, by the latest census, "
        "which cannot be told from the table; show 000 for the others"
    )
    if rare:
        why = "three digits, of areas that had too few people in the census of 2000"
        yield _suspicion(column, "B", why, rare, advice)
    elif rows := _rows(column, codes, lambda code: bool(_ZIP.fullmatch(code))):
        why = "three digits of a postal code; how many people live there is not known here"
        yield _suspicion(column, "B", why, rows, advice)


def _padded(values: Sequence[Value], reads: list[str]) -> list[str]:
    """Without stars at the end, and with the zeros at the start that reading as numbers loses."""
    if not all(isinstance(value, int | float | np.number) for value in values):
        return [read.strip().rstrip("*") for read in reads]
    longest = max(map(len, reads))
    return [read.zfill(3 if longest <= 3 else 5) for read in reads]


def _dates_and_ages(
    column: Profile, words: tuple[str, ...], reads: list[str], today: datetime.date
) -> Iterator[Suspicion]:
    dated = [isinstance(value, datetime.date) for value in column.values]
    rows = int(column.rows[np.array(dated)].sum()) or _rows(column, reads, _finds(_DATE))
    if rows:
        why = "dates finer than a year"
        yield _suspicion(
            column, "C", why, rows, "keep the year alone, and none that shows an age over 89"
        )
        return
    numbers = [number(value) for value in column.values]
    if AGES & set(words):
        old = [one is not None and one > OLDEST for one in numbers]
        if rows := int(column.rows[np.array(old)].sum()):
            yield _suspicion(
                column, "C", f"ages over {OLDEST}", rows, "show them as one group, 90 or older"
            )
    elif BIRTH & set(words):
        # with the birthday still to come in doubt, a person of this year may be 90
        last = today.year - OLDEST - 1
        old = [one is not None and 1800 < one <= last for one in numbers]
        if rows := int(column.rows[np.array(old)].sum()):
            why = f"years of birth that show an age over {OLDEST}"
            yield _suspicion(column, "C", why, rows, "show them as one group, 90 or older")
    elif words and words[0] in ("date", "datum", "fecha") and not YEARS & set(words):
        why = "its name says date; how fine it is could not be told"
        yield _suspicion(column, "C", why, int(column.rows.sum()), "keep the year alone")


def _free_text(column: Profile, reads: list[str]) -> Iterator[Suspicion]:
    long = [len(read) > LONG_TEXT and read.count(" ") >= 5 for read in reads]
    rows = int(column.rows[np.array(long)].sum())
    if rows and rows * 2 > int(column.rows.sum()):
        why = "free text, which can hold any of the eighteen"
        yield _suspicion(column, "R", why, rows, "drop it, or read and clean every cell")


def _rows(column: Profile, reads: Sequence[str], holds: Callable[[str], bool]) -> int:
    found = np.fromiter((holds(read) for read in reads), dtype=np.bool_, count=len(reads))
    return int(column.rows[found].sum())


def _finds(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda read: pattern.search(read) is not None


def _suspicion(
    column: Profile, letter: str, why: str, rows: int, advice: str | None = None
) -> Suspicion:
    identifier = BY_LETTER[letter]
    title = identifier.title
    return Suspicion(column.facts.name, letter, title, why, rows, advice or identifier.advice)
