"""Pseudonyms that keep the form: digits for digits, letters for letters of the same case.

Other characters stay, and so does the length. The values of one form, for example ``00-aaa``, are
numbered from 0 to N - 1, and the key selects a permutation of these numbers. So two values never
get the same pseudonym. A value is its own pseudonym with a chance of 1/N.

The permutation is a Feistel network of ten rounds over two halves of about √N numbers each, with
HMAC-SHA256 as the round function. The product of the halves is rarely exactly N, so numbers from N
up are permuted again until they are below N (cycle walking). The construction is similar to FF1 of
NIST SP 800-38G, but it is our own: it is neither FF1 nor certified.

There are few short values. If fewer than a million are possible, somebody who can request
pseudonyms, or who knows how frequent some values are, can try all of them. Forms with fewer than
``MIN_VALUES`` possible values are refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from math import isqrt, prod

MIN_VALUES = 10_000  # possible values of a form
ROUNDS = 10
SPARE = 64  # more bits than a half needs, so that all numbers are nearly equally likely
BLOCK = 256  # bits of a digest
SIZES = {"0": 10, "a": 26, "A": 26}
FORMS = {code: sign for sign in "0aA" for code in range(ord(sign), ord(sign) + SIZES[sign])}

Mac = Callable[[bytes], bytes]


def form_of(text: str) -> str | None:
    """The form, such as ``00-aaa``: 0 for digits, a and A for letters; None if it is not ASCII."""
    return text.translate(FORMS) if text.isascii() else None


def possible(form: str) -> int:
    """How many values have this form."""
    return prod(SIZES.get(sign, 1) for sign in form)


def kept_forms(key: bytes, texts: Sequence[str]) -> list[str]:
    """The pseudonym of each text. All texts are ASCII and of forms with enough values."""
    mac = _mac(key)

    @cache
    def permutation(form: str | None) -> Permutation:
        if form is None or possible(form) < MIN_VALUES:
            raise ValueError("this form cannot be kept")
        return Permutation(mac, form)

    return [permutation(form_of(text))(text) for text in texts]


class Permutation:
    """A permutation of all values of one form, selected by the key."""

    def __init__(self, mac: Mac, form: str) -> None:
        self.mac = mac
        self.signs = [(ord(sign), SIZES.get(sign, 1)) for sign in form]
        self.size = possible(form)
        self.left = isqrt(self.size - 1) + 1  # √N, rounded up
        self.right = -(-self.size // self.left)
        bits = max(self.left, self.right).bit_length() + SPARE
        self.begins = [
            [f"{turn}|{block}|{form}|".encode() for block in range(-(-bits // BLOCK))]
            for turn in range(ROUNDS)
        ]

    def __call__(self, text: str) -> str:
        number = self._permuted(self._number(text))
        while number >= self.size:
            number = self._permuted(number)
        return self._text(number)

    def _number(self, text: str) -> int:
        number = 0
        for code, (start, size) in zip(text.encode(), self.signs, strict=True):
            if size > 1:
                number = number * size + code - start
        return number

    def _text(self, number: int) -> str:
        codes = []
        for start, size in reversed(self.signs):
            number, at = divmod(number, size)
            codes.append(start + at)
        return bytes(reversed(codes)).decode()

    def _permuted(self, number: int) -> int:
        left, right = divmod(number, self.right)
        for turn in range(0, ROUNDS, 2):
            left = (left + self._round(turn, right)) % self.left
            right = (right + self._round(turn + 1, left)) % self.right
        return left * self.right + right

    def _round(self, turn: int, half: int) -> int:
        """The round function: a pseudorandom number for this round and half."""
        end = b"%d" % half
        return int.from_bytes(b"".join([self.mac(begin + end) for begin in self.begins[turn]]))


def _mac(key: bytes) -> Mac:
    """HMAC-SHA256 that reads the key once: twice as fast as Python's, for millions of calls."""
    block = key.ljust(64, b"\0")  # a derived key has 32 bytes, and a block of SHA-256 has 64
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block))
    outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))

    def mac(message: bytes) -> bytes:
        first, second = inner.copy(), outer.copy()
        first.update(message)
        second.update(first.digest())
        return second.digest()

    return mac
