"""The words in a column's name: ``patientID``, ``patient_id`` and ``Patient Id`` have the same."""

from __future__ import annotations

import re
import unicodedata


def words_of(name: str) -> tuple[str, ...]:
    """Split a column name into lower-case words without accents; digits separate words."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    signs = unicodedata.normalize("NFKD", spaced)
    plain = "".join(sign for sign in signs if not unicodedata.combining(sign))
    return tuple(re.findall(r"[^\W\d_]+", plain.casefold()))
