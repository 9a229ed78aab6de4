"""The verifier's own pseudonyms, written from what ``pseudonyms/`` says of them, not with its code.

Plainer and slower: every HMAC by Python's own, and nothing is kept from one value to the next.
"""

from __future__ import annotations

import hmac
import math
import string
from base64 import b32encode
from functools import reduce

ALPHABETS = {
    sign: alphabet
    for alphabet in (string.digits, string.ascii_lowercase, string.ascii_uppercase)
    for sign in alphabet
}
TOKEN = frozenset(string.ascii_lowercase + "234567")  # the signs of a token
CHARACTERS = 20  # of a token
FEWEST = 10_000  # values that a form must have
TURNS = 10


def own_key(secret: bytes, form: str, domain: str) -> bytes:
    """The key of a form and a domain."""
    said = "\n".join(("lookalike pseudonym 1", form, domain))
    return hmac.digest(secret, said.encode("utf-8"), "sha256")


def token(key: bytes, text: str) -> str:
    """The first 100 bits of the HMAC, in base 32."""
    digest = hmac.digest(key, text.encode("utf-8"), "sha256")
    return str(b32encode(digest), "ascii")[:CHARACTERS].lower()


def looks_like_token(text: str) -> bool:
    return len(text) == CHARACTERS and TOKEN.issuperset(text)


def same_form(key: bytes, text: str) -> str | None:
    """Signs of the same alphabets; None where that is refused."""
    alphabets = [ALPHABETS.get(sign, "") for sign in text]
    bases = [len(one) for one in alphabets if one]
    size = math.prod(bases)
    if size < FEWEST or any(ord(sign) > 127 for sign in text):
        return None
    shape = "".join(one[0] if one else sign for sign, one in zip(text, alphabets, strict=True))
    places = [one.index(sign) for sign, one in zip(text, alphabets, strict=True) if one]
    number = reduce(lambda so_far, of: so_far * of[0] + of[1], zip(bases, places, strict=True), 0)
    number = _turned(key, shape, size, number)
    while number >= size:
        number = _turned(key, shape, size, number)
    signs = list(text)
    for at in range(len(text) - 1, -1, -1):
        if alphabets[at]:
            signs[at] = alphabets[at][number % len(alphabets[at])]
            number //= len(alphabets[at])
    return "".join(signs)


def _turned(key: bytes, shape: str, size: int, number: int) -> int:
    """Once through the network; what comes out may be ``size`` or more."""
    high = math.isqrt(size)
    high += high * high < size
    low = (size + high - 1) // high
    bits = max(high, low).bit_length() + 64
    halves, moduli = [number // low, number % low], [high, low]
    for turn in range(TURNS):
        other = halves[1 - turn % 2]
        drawn = b""
        while 8 * len(drawn) < bits:
            said = f"{turn}|{len(drawn) // 32}|{shape}|{other}"
            drawn += hmac.digest(key, said.encode("ascii"), "sha256")
        mine = turn % 2
        halves[mine] = (halves[mine] + int.from_bytes(drawn, "big")) % moduli[mine]
    return halves[0] * low + halves[1]
