"""A table with a column of every common type, and a policy that recodes some and keeps the rest."""

from __future__ import annotations

import datetime
import random
from decimal import Decimal
from typing import Any

import pyarrow as pa

import lookalike as la

FEE, BORN, MEMBER, TOWN = "fee €", "born", 'is "member"', "town; --"
RATE, SEEN, PAID, GRADE = "rate", "seen at", "paid", "grade"


def typed(rows: int = 60) -> pa.Table:
    rng = random.Random(11)
    start = datetime.date(1979, 12, 1)
    noon = datetime.datetime(2024, 2, 29, 12, 30)
    made = [
        {
            FEE: None if n % 13 == 5 else Decimal(rng.choice([150, 1999, 2000, 35050])) / 100,
            BORN: None if n % 17 == 3 else start + datetime.timedelta(rng.randrange(80)),
            MEMBER: None if n % 19 == 4 else n % 3 > 0,
            TOWN: rng.choice(["Århus", "東京", "O'Hara", 'a "b"', "", None, "*"]),
            RATE: rng.choice([0.0, -0.0, 0.1, 1e16, 1e15, 123456789.125, -2.5, 1e-5, None]),
            SEEN: None if n % 7 == 2 else noon + datetime.timedelta(microseconds=rng.randrange(3)),
            PAID: rng.choice([Decimal("0.00"), Decimal("-1.50"), None]),
            GRADE: rng.choice(["b", "a", None]),
        }
        for n in range(rows)
    ]
    kinds = {
        FEE: pa.decimal128(8, 2),
        BORN: pa.date32(),
        MEMBER: pa.bool_(),
        TOWN: pa.string(),
        RATE: pa.float64(),
        SEEN: pa.timestamp("us"),
        PAID: pa.decimal128(6, 2),
        GRADE: pa.dictionary(pa.int32(), pa.string()),
    }
    return pa.table(
        {name: pa.array([row[name] for row in made], kind) for name, kind in kinds.items()}
    )


def typed_policy(**changed: Any) -> la.Policy:
    asked: dict[str, Any] = {
        "quasi_identifiers": {
            FEE: la.bands(10, 100),
            BORN: la.dates(quarters=True),
            MEMBER: la.flat(),
            TOWN: la.flat(),
        },
        "sensitive": GRADE,
        "insensitive": (RATE, SEEN, PAID),
        "require": la.KAnonymity(3),
        "suppress": 0.1,
    }
    return la.Policy(**asked | changed)
