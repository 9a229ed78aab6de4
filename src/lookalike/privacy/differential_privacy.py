"""(ε, δ)-differential privacy by sampling and generalization: SafePub (Bild, Kuhn, Prasser 2018).

Each row is drawn with probability β = 1 − e^−ε', the drawn rows are generalized, and every class of
fewer than k rows is left out. ``sampling_privacy.py`` has the theorem that gives k. ε' is what
remains of ε when the levels have been chosen from the data by a mechanism that spends
``search_epsilon``; by sequential composition both together are (ε, δ)-differentially private.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

from lookalike.privacy.requirement import Requirement, check_number
from lookalike.privacy.sampling_privacy import exact, sampling_probability, smallest_k

MIN_EPSILON = 0.001  # below it hardly a row is drawn
MAX_EPSILON = 10.0  # above it nothing is promised: probabilities may differ by a factor of 22,000


@dataclass(frozen=True, slots=True)
class DifferentialPrivacy(Requirement):
    """One row more or less changes how likely any release is by a factor of at most e^ε, up to δ.

    It is a property of how a release is made, so only ``la.anonymize`` and ``lookalike run`` can
    keep it: they draw the sample. It implies k-anonymity of the sample, with the ``k`` that follows
    from ε and δ. Every released column must be a quasi-identifier.

    Parameters
    ----------
    epsilon : float
        ε, from 0.001 to 10; 1 is usual.
    delta : float
        δ, above 0 and at most 0.5; usually far less than 1 / rows.
    search_epsilon : float
        The part of ``epsilon`` that is spent on choosing the levels from the data. 0, the default,
        if the policy gives the level of each column.

    Raises
    ------
    TypeError, ValueError
        If a number is not in its range, or nothing of ``epsilon`` is left for the release.

    Examples
    --------
    >>> import lookalike as la
    >>> rule = la.DifferentialPrivacy(epsilon=1.0, delta=1e-5)
    >>> rule.k, round(rule.beta, 3)
    (61, 0.632)
    """

    epsilon: float
    delta: float
    search_epsilon: float = 0.0

    key = "differential_privacy"
    required_keys = ("epsilon", "delta")
    optional_keys = ("search_epsilon",)
    example = "differential_privacy = { epsilon = 1.0, delta = 1e-5 }"
    once = True

    name: ClassVar[str] = "differential privacy"
    by_size: ClassVar[bool] = True
    grows: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    needs_sample: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON, low_allowed=True)
        check_number("delta", self.delta, 0, 0.5)
        check_number("search_epsilon", self.search_epsilon, 0, MAX_EPSILON, low_allowed=True)
        if self.release_epsilon < exact(MIN_EPSILON):
            raise ValueError(
                f"search_epsilon is {self.search_epsilon:g}, which leaves less than "
                f"{MIN_EPSILON:g} of epsilon for the release"
            )

    @property
    def release_epsilon(self) -> Decimal:
        """What is left of ``epsilon`` for the release itself."""
        return exact(self.epsilon) - exact(self.search_epsilon)

    @property
    def beta(self) -> float:
        """The probability with which each row is drawn."""
        return sampling_probability(self.release_epsilon)

    @property
    def k(self) -> int:
        """The fewest rows of a class that is released."""
        return smallest_k(self.release_epsilon, self.delta, self.beta)

    @property
    def smallest(self) -> int:
        return self.k

    @classmethod
    def from_policy(cls, spec: Any, base: Path) -> DifferentialPrivacy:
        return cls(**spec)

    def sentence(self) -> str:
        return (
            f"({self.epsilon:g}, {self.delta:g})-differential privacy: one row more or less in the "
            "table changes the probability of any release by a factor of at most "
            f"{math.exp(self.epsilon):.4g}, up to a difference of {self.delta:g}; each row was "
            f"drawn with probability {self.beta:.4g}, and classes of fewer than {self.k} drawn "
            "rows were left out"
        )
