"""β-likeness: finding a person's class does not raise the chance of a value much, relatively.

Cao and Karras 2012. t-closeness adds up differences, so a rare value may become far more likely;
here each value counts by itself, against how frequent it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import ROUNDING, Flags, Requirement, check_number

Kind = Literal["basic", "enhanced"]


@dataclass(frozen=True, slots=True)
class BetaLikeness(Requirement):
    """(q − p) / p ≤ ``beta`` wherever q > p; ``enhanced``: ≤ min(β, −ln p).

    p is the share of a value in the release, q its share in a class. The enhanced form also keeps
    frequent values from becoming certain. Monotone: q of two classes together lies between theirs.
    It does not grow. Since the shares q of a class sum to 1 and none exceeds (1 + β)p, a class is
    hopeless if the values it holds make up less than 1 / (1 + β) of the release.
    """

    column: str
    beta: float
    kind: Kind = "basic"

    name: ClassVar[str] = "β-likeness"
    monotone: ClassVar[bool] = True
    against_all: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("β", self.beta, 0)
        if self.kind not in ("basic", "enhanced"):
            raise ValueError("the kind of β-likeness is not known; use basic or enhanced")

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def broken(self, classes: Classes) -> Flags:
        spread = classes.spreads[self.column]
        known = spread.known[spread.code]
        share = spread.count / classes.sizes[spread.of]
        with np.errstate(divide="ignore"):
            limit = np.full(len(known), self.beta)
            if self.kind == "enhanced":
                limit = np.minimum(limit, -np.log(known))
            gain = np.where(known > 0, (share - known) / np.where(known > 0, known, 1), np.inf)
        return spread.most(gain - limit, len(classes)) > ROUNDING

    def hopeless(self, classes: Classes) -> Flags:
        spread = classes.spreads[self.column]
        most = spread.summed(spread.total[spread.code].astype(float), len(classes))
        return most * (1 + self.beta) < max(1, spread.fewest) * (1 - ROUNDING)

    def sentence(self) -> str:
        limit = f"{self.beta:g}" if self.kind == "basic" else f"min({self.beta:g}, −ln p)"
        return (
            f"{self.kind} {self.beta:g}-likeness: no value of {self.column} is in any class of "
            f"lookalikes more frequent than its share p in the release by more than {limit} times p"
        )
