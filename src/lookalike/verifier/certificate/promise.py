"""The promise of a certificate in words: the requirements, and over which columns and rows."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.privacy.requirement import Requirement


def promises(
    rules: Sequence[Requirement], sets: Sequence[Sequence[str]], names: Sequence[str], stars: str
) -> list[str]:
    """A sentence for each set of columns and requirement; ``names`` are all quasi-identifiers."""
    return [
        rule.sentence() + _over(columns, whole=covers_all(sets, names), stars=stars)
        for columns in sets
        for rule in rules
    ]


def covers_all(sets: Sequence[Sequence[str]], names: Sequence[str]) -> bool:
    """Is the promise about all quasi-identifiers together?"""
    return [list(columns) for columns in sets] == [list(names)]


def _over(columns: Sequence[str], *, whole: bool, stars: str) -> str:
    """The columns and rows of a promise, if it is not about all columns together and every row."""
    scope = ""
    if not whole:
        scope = f", over {', '.join(columns)} alone, not together with other columns"
    if stars == "wildcard":
        scope += "; rows that show only * are excepted"
    return scope
