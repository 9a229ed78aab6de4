"""δ-disclosure privacy: no value is much more or much less frequent in a class than in the release.

Brickell and Shmatikov 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import CLASS, ROUNDING, ColumnRequirement, Flags, check_number


@dataclass(frozen=True, slots=True)
class DeltaDisclosure(ColumnRequirement):
    """|ln(q / p)| < ``delta`` for every class and every value of the release.

    p is the share of a value in the release, q in a class; a class that lacks a value has q = 0,
    which breaks the requirement. Monotone: q of two merged classes lies between theirs. It does not
    grow. A class is hopeless if it lacks a value that more rows hold than may be suppressed, or if
    its values make up less than e^−δ of the release.

    Parameters
    ----------
    column : str
        A sensitive column of the policy.
    delta : float
        The largest difference of the logarithms of both shares, above 0.

    Raises
    ------
    TypeError, ValueError
        If ``delta`` is not such a number.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.DeltaDisclosure("diagnosis", 1.5).sentence())
    1.5-disclosure privacy: in every equivalence class (group of lookalikes) the share of each
    value of diagnosis differs from its share in the whole release by less than a factor of 4.482
    (e to the power 1.5)
    """

    delta: float

    key = "delta_disclosure"
    required_keys = ("column", "delta")
    example = 'delta_disclosure = [{ column = "diagnosis", delta = 1.5 }]'

    name: ClassVar[str] = "δ-disclosure privacy"
    monotone: ClassVar[bool] = True
    compares_to_release: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("δ", self.delta, 0)

    def broken(self, classes: Classes) -> Flags:
        spread, class_count = classes.spreads[self.column], len(classes)
        known = spread.known[spread.code]
        share = spread.count / classes.sizes[spread.of]
        held = known > 0
        apart = np.abs(np.log(share / np.where(held, known, 1)))
        far = spread.most(np.where(held, apart, np.inf), class_count) >= self.delta - ROUNDING
        lacks = spread.summed(held.astype(float), class_count) < int((spread.total > 0).sum())
        return far | lacks

    def hopeless(self, classes: Classes) -> Flags:
        spread, class_count = classes.spreads[self.column], len(classes)
        rows = int(spread.total.sum())
        stays = spread.total > rows - spread.fewest  # more than may be suppressed hold it
        lacks = spread.summed(stays[spread.code].astype(float), class_count) < int(stays.sum())
        held = spread.summed(spread.total[spread.code].astype(float), class_count)
        return lacks | (held * math.exp(self.delta) < max(1, spread.fewest) * (1 - ROUNDING))

    def sentence(self) -> str:
        return (
            f"{self.delta:g}-disclosure privacy: in every {CLASS} the share of each value of "
            f"{self.column} differs from its share in the whole release by less than a factor of "
            f"{math.exp(self.delta):.4g} (e to the power {self.delta:g})"
        )
