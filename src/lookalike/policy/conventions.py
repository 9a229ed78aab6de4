"""Conventions: choices on which tools differ. They are explicit and printed on the certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from lookalike.errors import Fault

Nulls = Literal["value", "refuse"]
Stars = Literal["own", "wildcard"]
Suppressed = Literal["drop", "star"]
Cutting = Literal["free", "siblings"]


@dataclass(frozen=True, slots=True)
class Conventions:
    """How nulls, stars, suppressed rows and cuts are treated.

    Parameters
    ----------
    nulls : {"value", "refuse"}
        ``"value"``: a null is a value of its own, alike only to other nulls, up to ``*``.
        ``"refuse"``: a null in a quasi-identifier is a fault.
    stars : {"own", "wildcard"}
        ``"own"``: a ``*`` looks only like another ``*``. ``"wildcard"``: a ``*`` could be any
        value, so rows with ``*`` in all quasi-identifiers need no lookalikes.
    suppressed : {"drop", "star"}
        ``"drop"``: suppressed rows are left out. ``"star"``: they stay, with ``*`` in every
        quasi-identifier. With ``stars="own"`` there must then be none of them, or enough to meet
        the requirements among themselves. Otherwise an outsider who knows which people stand out
        could link them to the starred rows (step 4 of Datafly, Sweeney 2002).
    cuts : {"free", "siblings"}
        ``"free"``: ordered values may be cut into intervals anywhere. ``"siblings"``: every
        interval is a group of the hierarchy, or neighbors within one group.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Conventions(suppressed="star").nulls
    'value'
    """

    nulls: Nulls = "value"
    stars: Stars = "own"
    suppressed: Suppressed = "drop"
    cuts: Cutting = "free"

    def faults(self) -> list[Fault]:
        """A fault for each convention that is unknown.

        Returns
        -------
        list of Fault
        """
        allowed = {"nulls": Nulls, "stars": Stars, "suppressed": Suppressed, "cuts": Cutting}
        return [
            Fault(f"conventions.{name}", "unknown", f"use one of: {', '.join(get_args(words))}")
            for name, words in allowed.items()
            if getattr(self, name) not in get_args(words)
        ]
