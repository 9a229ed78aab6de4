"""Pseudonyms, implemented again for the verifier from the description in ``pseudonyms/``.

Plainer and slower than the code there: every HMAC is Python's own, and nothing is cached.
"""

from __future__ import annotations

import hmac
import math
import string
from base64 import b32encode

ALPHABETS = {
    sign: alphabet
    for alphabet in (string.digits, string.ascii_lowercase, string.ascii_uppercase)
    for sign in alphabet
}
TOKEN_ALPHABET = frozenset(string.ascii_lowercase + "234567")
TOKEN_CHARACTERS = 20
MIN_VALUES = 10_000  # that texts of the same format can take
ROUNDS = 10


def own_key(secret: bytes, form: str, domain: str) -> bytes:
    """The key of a format and a domain."""
    message = "\n".join(("lookalike pseudonym 1", form, domain))
    return hmac.digest(secret, message.encode("utf-8"), "sha256")


def token(key: bytes, text: str) -> str:
    """The first 100 bits of the HMAC, in base 32."""
    digest = hmac.digest(key, text.encode("utf-8"), "sha256")
    return str(b32encode(digest), "ascii")[:TOKEN_CHARACTERS].lower()


def looks_like_token(text: str) -> bool:
    """Could this be a token? Seen without the key."""
    return len(text) == TOKEN_CHARACTERS and TOKEN_ALPHABET.issuperset(text)


def same_format(key: bytes, text: str) -> str | None:
    """Characters of the same alphabets; None if too few texts have the format."""
    alphabets = [ALPHABETS.get(sign, "") for sign in text]
    bases = [len(alphabet) for alphabet in alphabets if alphabet]
    size = math.prod(bases)
    if size < MIN_VALUES or any(ord(sign) > 127 for sign in text):
        return None
    pairs = list(zip(text, alphabets, strict=True))
    shape = "".join(alphabet[0] if alphabet else sign for sign, alphabet in pairs)
    places = [alphabet.index(sign) for sign, alphabet in pairs if alphabet]
    number = 0
    for base, place in zip(bases, places, strict=True):
        number = number * base + place
    number = _permuted(key, shape, size, number)
    while number >= size:
        number = _permuted(key, shape, size, number)
    signs = list(text)
    for at in range(len(text) - 1, -1, -1):
        if alphabets[at]:
            signs[at] = alphabets[at][number % len(alphabets[at])]
            number //= len(alphabets[at])
    return "".join(signs)


def _permuted(key: bytes, shape: str, size: int, number: int) -> int:
    """Once through the Feistel network; the result may be ``size`` or more."""
    high = math.isqrt(size)
    high += high * high < size
    low = (size + high - 1) // high
    bits = max(high, low).bit_length() + 64
    halves, moduli = [number // low, number % low], [high, low]
    for turn in range(ROUNDS):
        half, other = turn % 2, halves[1 - turn % 2]
        drawn = b""
        while 8 * len(drawn) < bits:
            message = f"{turn}|{len(drawn) // 32}|{shape}|{other}"
            drawn += hmac.digest(key, message.encode("ascii"), "sha256")
        halves[half] = (halves[half] + int.from_bytes(drawn, "big")) % moduli[half]
    return halves[0] * low + halves[1]
