"""One thing that was checked, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A check by name, whether it holds, and the sentence for the certificate."""

    check: str
    holds: bool
    sentence: str
    fix: str = "do not share this table; make the release again from the original"


ANOTHER_TABLE = (
    "The proof belongs to another table, or to this one with columns of other types, as a CSV file "
    "has them, where all is text."
)
