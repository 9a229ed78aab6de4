"""The words in a column's name: ``patientID``, ``patient_id`` and ``Patient Id`` say the same."""

from __future__ import annotations

import re
import unicodedata


def words_of(name: str) -> tuple[str, ...]:
    """Lower case, without accents, in order; digits part words."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    plain = (one for one in unicodedata.normalize("NFKD", parted) if not unicodedata.combining(one))
    return tuple(re.findall(r"[^\W\d_]+", "".join(plain).casefold()))
