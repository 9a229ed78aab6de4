"""The promise of a certificate in words: the requirements, and over which columns and rows."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.privacy.requirement import Requirement


def promises(
    rules: Sequence[Requirement], sets: Sequence[Sequence[str]], names: Sequence[str], stars: str
) -> list[str]:
    """A sentence for each set of columns and requirement; ``names`` are all quasi-identifiers."""
    alone = "" if covers_all(sets, names) else ", over {} alone, not together with other columns"
    excepted = "; rows that show only * are excepted" if stars == "wildcard" else ""
    scopes = [alone.format(", ".join(columns)) + excepted for columns in sets]
    return [rule.sentence() + scope for scope in scopes for rule in rules]


def covers_all(sets: Sequence[Sequence[str]], names: Sequence[str]) -> bool:
    """Is the promise about all quasi-identifiers together?"""
    return [list(columns) for columns in sets] == [list(names)]
