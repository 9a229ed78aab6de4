"""The key of one domain and form, derived from the secret key, so that no two share pseudonyms."""

from __future__ import annotations

import hmac

VERSION = "lookalike pseudonym 1"


def derived_key(secret: bytes, form: str, domain: str) -> bytes:
    """HMAC-SHA256 of version, form and domain, a line each."""
    return hmac.digest(secret, f"{VERSION}\n{form}\n{domain}".encode(), "sha256")
