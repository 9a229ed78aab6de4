"""A finding: one check of the verifier and its result."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A check by name, whether it holds, and the sentence for the certificate."""

    check: str
    holds: bool
    sentence: str
    fix: str = "do not share this table; make the release again from the original"
