"""Words on which tools disagree: always explicit here, always printed on the certificate."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args

from lookalike.errors import Fault

Nulls = Literal["value", "refuse"]
Stars = Literal["own", "wildcard"]
Suppressed = Literal["drop", "star"]
Cutting = Literal["free", "siblings"]


@dataclass(frozen=True, slots=True)
class Conventions:
    """How nulls, stars and suppressed rows are read.

    ``nulls``: ``value``, a null is a value of its own, alike only to other nulls, up to ``*``;
    ``refuse``, a null in a quasi-identifier is a fault.

    ``stars``: ``own``, a ``*`` looks like nothing but another ``*``; ``wildcard``, a ``*`` might be
    anything, so rows that are starred throughout need no lookalikes.

    ``suppressed``: ``drop``, suppressed rows are left out; ``star``, they stay with ``*`` in every
    quasi-identifier, and with ``stars = "own"`` there must then be none of them or enough to meet
    the requirement among themselves, because whoever knows which people stand out could otherwise
    link them to the starred rows (step 4 of Datafly, Sweeney 2002).

    ``cuts``: where ordered values are cut into intervals, ``free``, anywhere; ``siblings``, so that
    every interval is a group of the hierarchy or some neighbours among the members of one.
    """

    nulls: Nulls = "value"
    stars: Stars = "own"
    suppressed: Suppressed = "drop"
    cuts: Cutting = "free"

    def faults(self) -> list[Fault]:
        allowed = {
            "nulls": get_args(Nulls),
            "stars": get_args(Stars),
            "suppressed": get_args(Suppressed),
            "cuts": get_args(Cutting),
        }
        found = []
        for field in fields(self):
            if getattr(self, field.name) not in allowed[field.name]:
                found.append(
                    Fault(
                        f"conventions.{field.name}",
                        "no such convention",
                        f"use one of: {', '.join(allowed[field.name])}",
                    )
                )
        return found
