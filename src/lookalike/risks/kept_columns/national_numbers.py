"""National numbers of people, recognized by their check digits.

A check digit fits a random number by chance in one case of ten or fewer, so a column in which
nearly every value fits is a column of such numbers. Each rule is published by the authority that
issues the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MIN_VALUES = 12  # distinct: one chance in 10^12 that all fit
FIRST_LOOK = 100  # numbers that rule out most kinds
MIN_VALID = 0.95  # share of the distinct values; some have typing errors
_SEPARATORS = re.compile(r"[ ./-]")


@dataclass(frozen=True, slots=True)
class NationalNumber:
    """A kind of number: its name, its form without separators, and its check."""

    name: str
    form: re.Pattern[str]
    check: Callable[[str], bool]


def recognize(cells: Sequence[str]) -> str | None:
    """The kind of number that nearly all of these distinct cells are, if there is one."""
    if len(cells) < MIN_VALUES:
        return None
    first = _without_separators(cells[:: -(-len(cells) // FIRST_LOOK)])
    for kind in KINDS:
        if 2 * _valid(kind, first) < len(first):
            continue
        if _valid(kind, _without_separators(cells)) >= MIN_VALID * len(cells):
            return kind.name
    return None


def _without_separators(cells: Sequence[str]) -> list[str]:
    return [_SEPARATORS.sub("", cell.strip()).upper() for cell in cells]


def _valid(kind: NationalNumber, numbers: Sequence[str]) -> int:
    return sum(bool(kind.form.fullmatch(n)) and kind.check(n) for n in numbers)


def _weighted(weights: tuple[int, ...], digits: str) -> int:
    return sum(weight * int(digit) for weight, digit in zip(weights, digits, strict=False))


def luhn(digits: str) -> bool:
    """The check of payment cards and of Swedish and Canadian numbers (ISO/IEC 7812-1)."""
    doubled = [sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(map(int, digits[-1::-2]))) % 10 == 0


def _nhs(digits: str) -> bool:
    return _weighted((10, 9, 8, 7, 6, 5, 4, 3, 2, 1), digits) % 11 == 0


def _bsn(digits: str) -> bool:
    return _weighted((9, 8, 7, 6, 5, 4, 3, 2, -1), digits) % 11 == 0


def _pesel(digits: str) -> bool:
    return _weighted((1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), digits) % 10 == 0


def _cpf(digits: str) -> bool:
    first = _weighted(tuple(range(10, 1, -1)), digits) * 10 % 11 % 10
    second = _weighted(tuple(range(11, 1, -1)), digits) * 10 % 11 % 10
    return digits[9:] == f"{first}{second}"


def _nir(text: str) -> bool:
    body = text[:13].replace("2A", "19").replace("2B", "18")
    return int(text[13:]) == 97 - int(body) % 97


def _dni(text: str) -> bool:
    body = text[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return text[-1] == "TRWAGMYFPDXBNJZSQVHLCKE"[int(body) % 23]


def _tax_number_of_germany(digits: str) -> bool:
    product = 10
    for digit in digits[:10]:
        total = (int(digit) + product) % 10 or 10
        product = 2 * total % 11
    return (11 - product) % 10 == int(digits[10])


def _resident_identity(text: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return text[17] == "10X98765432"[_weighted(weights, text) % 11]


def _ahv(digits: str) -> bool:
    return _weighted((1, 3) * 6 + (1,), digits) % 10 == 0


def _henkilotunnus(text: str) -> bool:
    check = "0123456789ABCDEFHJKLMNPRSTUVWXY"
    return text[-1] == check[int(text[:6] + text[-4:-1]) % 31]


def _always(_: str) -> bool:
    return True


_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0[1-9]|1[0-2])"


def _kind(name: str, form: str, check: Callable[[str], bool]) -> NationalNumber:
    return NationalNumber(name, re.compile(form, re.ASCII), check)


KINDS = (
    _kind("NHS numbers (United Kingdom)", r"\d{10}", _nhs),
    _kind("national insurance numbers (United Kingdom)", r"[A-Z]{2}\d{6}[A-D]", _always),
    _kind("BSN (Netherlands)", r"\d{9}", _bsn),
    _kind("PESEL numbers (Poland)", r"\d{11}", _pesel),
    _kind("tax numbers (Germany)", r"[1-9]\d{10}", _tax_number_of_germany),
    _kind("CPF numbers (Brazil)", r"\d{11}", _cpf),
    _kind("NIR numbers (France)", r"[12]\d{4}(?:\d|[AB])[\dAB]\d{8}", _nir),
    _kind("DNI or NIE numbers (Spain)", r"[\dXYZ]\d{7}[A-Z]", _dni),
    _kind("codici fiscali (Italy)", r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]", _always),
    _kind("AHV numbers (Switzerland)", r"756\d{10}", _ahv),
    _kind("personnummer (Sweden)", rf"\d\d{_MONTH}{_DAY}\d{{4}}", luhn),
    _kind("personnummer (Sweden)", rf"(?:19|20)\d\d{_MONTH}{_DAY}\d{{4}}", lambda n: luhn(n[2:])),
    _kind("henkilötunnukset (Finland)", rf"{_DAY}{_MONTH}\d\d[+A-FU-Y]?\d{{3}}[0-9A-Y]",
          _henkilotunnus),
    _kind("social insurance numbers (Canada)", r"[1-9]\d{8}", luhn),
    _kind("resident identity numbers (China)", r"\d{17}[\dX]", _resident_identity),
    _kind("payment card numbers", r"\d{15,16}", luhn),
)  # fmt: skip
