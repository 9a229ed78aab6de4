"""The eighteen identifiers of 45 CFR 164.514(b)(2)(i), and how to recognize them.

Words are searched in the names of columns, patterns in the text of cells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Identifier:
    """One of the eighteen: its letter in the rule, what it is, and how to recognize it."""

    letter: str
    title: str
    words: str = ""  # in the name of a column: one of these, or all words joined by +
    pattern: re.Pattern[str] | None = None  # in cells
    advice: str = "remove the column"


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
STATE_OR_LARGER = "keep the state, or the first three digits of a ZIP code where the rule allows it"

IDENTIFIERS = (
    Identifier(
        "A",
        "names",
        "firstname lastname surname forename fullname middlename maiden initials nickname "
        "first+name last+name full+name given+name family+name middle+name patient+name name "
        "vorname nachname prenom apellido",
    ),
    Identifier(
        "B",
        "geographic subdivisions smaller than a state",
        "address street city town village county precinct parish district borough suburb "
        "neighborhood neighbourhood census+tract tract geocode latitude longitude lat lon lng gps "
        "coordinates adresse strasse",
        advice=STATE_OR_LARGER,
    ),
    Identifier("C", "dates more precise than a year, and ages over 89"),  # has rules of its own
    Identifier(
        "D",
        "telephone numbers",
        "phone telephone mobile cellphone tel telefon",
        _re(r"(?<![\w.-])(?:\+?1[-. ]?)?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\w-])"),
    ),
    Identifier("E", "fax numbers", "fax telefax"),
    Identifier(
        "F",
        "electronic mail addresses",
        "email mail courriel correo",
        _re(r"(?<![a-z0-9._%+-])[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}"),
    ),
    Identifier(
        "G",
        "social security numbers",
        "ssn social+security",
        _re(r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])"),
    ),
    Identifier(
        "H",
        "medical record numbers",
        "mrn medical+record record+number record+id record+no patient+id patient+number patient+no "
        "chart+number patientid case+number encounter+id visit+id",
    ),
    Identifier(
        "I",
        "health plan beneficiary numbers",
        "beneficiary member+id member+number policy+number insurance+number insurance+id "
        "medicare+number medicaid+number plan+number subscriber",
    ),
    Identifier(
        "J",
        "account numbers",
        "iban account accountnumber",
        _re(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b"),
    ),
    Identifier(
        "K",
        "certificate and license numbers",
        "license licence certificate passport npi dea+number",
    ),
    Identifier("L", "vehicle identifiers and serial numbers", "vin vehicle plate licenseplate"),
    Identifier(
        "M",
        "device identifiers and serial numbers",
        "imei imsi udi serial+number serial device+id mac+address",
        _re(r"(?<![\w:])(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![\w:])"),
    ),
    Identifier("N", "web addresses (URLs)", "url website homepage webpage", _re(r"https?://|\bwww\.")),
    Identifier(
        "O",
        "Internet Protocol addresses",
        "ip ipaddress",
        _re(rf"(?<![\w.])(?:{_OCTET}\.){{3}}{_OCTET}(?![\w.])|(?<![\w:])(?:[0-9a-f]{{1,4}}:){{7}}[0-9a-f]{{1,4}}(?![\w:])"),
    ),
    Identifier(
        "P", "biometric identifiers", "fingerprint voiceprint retina iris biometric genome dna"
    ),
    Identifier(
        "Q", "full-face photographs", "photo photograph picture image portrait selfie",
        _re(r"\.(?:jpe?g|png|gif|tiff?|bmp|heic|dcm)$"),
    ),
    Identifier(
        "R",
        "any other unique identifying number, characteristic or code",
        "uuid guid username login userid",
        advice="remove it, or replace it by a code that is not derived from the person",
    ),
)  # fmt: skip
BY_LETTER = {identifier.letter: identifier for identifier in IDENTIFIERS}

# The areas of all ZIP codes with these first digits had 20,000 people or fewer in the census of
# 2000, according to the guidance of the Department of Health and Human Services of 2012.
RESTRICTED_2000 = frozenset(
    f"{area:03}"
    for area in (36, 59, 63, 102, 203, 556, 692, 790, 821, 823, 830, 831, 878, 879, 884, 890, 893)
)


def named(words: tuple[str, ...], identifier: Identifier) -> bool:
    """Does the name of a column, given by its words, suggest this identifier?"""
    known = set(words) | {"".join(words)}
    return any(set(word.split("+")) <= known for word in identifier.words.split())
