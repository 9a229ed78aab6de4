"""β-likeness: a value is not much more likely in a class than in the release, relatively.

Cao and Karras 2012. t-closeness adds up differences, so that a rare value may become far more
likely; here each value is compared by itself with its own share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import CLASS, ROUNDING, ColumnRequirement, Flags, check_number

Kind = Literal["basic", "enhanced"]


@dataclass(frozen=True, slots=True)
class BetaLikeness(ColumnRequirement):
    """(q − p) / p ≤ ``beta`` wherever q > p; ``enhanced``: ≤ min(β, −ln p).

    p is the share of a value in the release, q its share in a class. The enhanced form also keeps
    frequent values from becoming certain. Monotone: q of two merged classes lies between theirs.
    It does not grow. Since the shares q of a class sum to 1 and none exceeds (1 + β)p, a class is
    hopeless if the values it holds make up less than 1 / (1 + β) of the release.

    Parameters
    ----------
    column : str
        A sensitive column of the policy.
    beta : float
        The largest relative gain, above 0.
    kind : {"basic", "enhanced"}
        Which of the paper's two forms.

    Raises
    ------
    TypeError, ValueError
        If ``beta`` or ``kind`` is not as described.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.BetaLikeness("diagnosis", 1).sentence())
    basic 1-likeness: in every equivalence class (group of lookalikes) the share of each value of
    diagnosis exceeds its share p in the whole release by at most 1 times p
    """

    beta: float
    kind: Kind = "basic"

    key = "beta_likeness"
    required_keys = ("column", "beta")
    optional_keys = ("kind",)
    example = 'beta_likeness = [{ column = "diagnosis", beta = 1.0 }]'

    name: ClassVar[str] = "β-likeness"
    monotone: ClassVar[bool] = True
    compares_to_release: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("β", self.beta, 0)
        if self.kind not in ("basic", "enhanced"):
            raise ValueError("the kind of β-likeness is not known; use basic or enhanced")

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
        held = spread.summed(spread.total[spread.code].astype(float), len(classes))
        return held * (1 + self.beta) < max(1, spread.fewest) * (1 - ROUNDING)

    def sentence(self) -> str:
        limit = f"{self.beta:g}" if self.kind == "basic" else f"min({self.beta:g}, −ln p)"
        return (
            f"{self.kind} {self.beta:g}-likeness: in every {CLASS} the share of each value of "
            f"{self.column} exceeds its share p in the whole release by at most {limit} times p"
        )
