"""What a certificate promises, in words: the requirement, and over which columns and rows."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.privacy.requirement import Requirement


def promises(
    rules: Sequence[Requirement], sets: Sequence[Sequence[str]], names: Sequence[str], stars: str
) -> list[str]:
    """A sentence for each set of columns and each rule; ``names`` are all quasi-identifiers."""
    return [
        rule.sentence() + _over(columns, whole=covers_all(sets, names), stars=stars)
        for columns in sets
        for rule in rules
    ]


def covers_all(sets: Sequence[Sequence[str]], names: Sequence[str]) -> bool:
    """Is the promise about all quasi-identifiers together?"""
    return [list(columns) for columns in sets] == [list(names)]


def _over(columns: Sequence[str], *, whole: bool, stars: str) -> str:
    """Which columns and rows a promise is about, if not all columns together and every row."""
    told = ""
    if not whole:
        told = f", by {', '.join(columns)} alone: not by these together with other columns"
    if stars == "wildcard":
        told += "; rows that show nothing but * apart"
    return told
