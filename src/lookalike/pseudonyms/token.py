"""Tokens: keyed texts of twenty letters and digits, equal for equal values.

A token is the beginning of the HMAC-SHA256 of the value's text, in base 32: 20 characters, 100
bits. Without the key it looks random, and nobody can test values. Among n different values, two
have the same token with a chance of about n² / 2¹⁰¹: 4 · 10⁻¹⁹ for a million values, 4 · 10⁻¹³ for
a billion. If it happens, the release is refused: longer tokens for these two values would not join
with earlier releases.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterable

LENGTH = 20  # characters of five bits


def tokens(key: bytes, texts: Iterable[str]) -> list[str]:
    """The token of each text."""
    digest = hmac.digest
    codes = (base64.b32encode(digest(key, text.encode(), "sha256")) for text in texts)
    return [code[:LENGTH].decode().lower() for code in codes]
