"""Tokens: a keyed text of twenty letters and digits, the same for the same value.

A token is the beginning of the HMAC-SHA256 of the value's text, in base 32: 20 characters, 100
bits. Without the key it is as good as random, and nobody can try out values. Of n different
values, two have the same token by a chance of about n² / 2¹⁰¹: 4 · 10⁻¹⁹ for a million values,
4 · 10⁻¹³ for a thousand million. Should it happen, the release is refused: a longer token for these
two would join with nothing that was released before.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterable

LENGTH = 20  # characters of five bits


def tokens(key: bytes, texts: Iterable[str]) -> list[str]:
    """The token of each text."""
    digest = hmac.digest
    coded = (base64.b32encode(digest(key, text.encode(), "sha256")) for text in texts)
    return [one[:LENGTH].decode().lower() for one in coded]
