"""δ-disclosure privacy: no value is much more or much less frequent in a class than in the release.

Brickell and Shmatikov 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import ROUNDING, Flags, Requirement, check_number


@dataclass(frozen=True, slots=True)
class DeltaDisclosure(Requirement):
    """|ln(q / p)| < ``delta`` for every class and every value of the release.

    p is the share of a value in the release, q in a class; a value that a class lacks has q = 0,
    which breaks it. Monotone: q of two classes together lies between theirs. It does not grow. A
    class is hopeless if it lacks a value that more rows hold than may be suppressed, or if its
    values make up less than e^−δ of the release.
    """

    column: str
    delta: float

    name: ClassVar[str] = "δ-disclosure privacy"
    monotone: ClassVar[bool] = True
    against_all: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("δ", self.delta, 0)

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def broken(self, classes: Classes) -> Flags:
        spread, many = classes.spreads[self.column], len(classes)
        known = spread.known[spread.code]
        share = spread.count / classes.sizes[spread.of]
        held = known > 0
        apart = np.abs(np.log(share / np.where(held, known, 1)))
        far = spread.most(np.where(held, apart, np.inf), many) >= self.delta - ROUNDING
        lacks = spread.summed(held.astype(float), many) < int((spread.total > 0).sum())
        return far | lacks

    def hopeless(self, classes: Classes) -> Flags:
        spread, many = classes.spreads[self.column], len(classes)
        rows = int(spread.total.sum())
        stays = spread.total > rows - spread.fewest  # more than may be suppressed hold it
        lacks = spread.summed(stays[spread.code].astype(float), many) < int(stays.sum())
        most = spread.summed(spread.total[spread.code].astype(float), many)
        return lacks | (most * math.exp(self.delta) < max(1, spread.fewest) * (1 - ROUNDING))

    def sentence(self) -> str:
        return (
            f"{self.delta:g}-disclosure privacy: in every class of lookalikes each value of "
            f"{self.column} is more and less frequent than in the release by less than a factor "
            f"of {math.exp(self.delta):.4g} (e to the {self.delta:g})"
        )
