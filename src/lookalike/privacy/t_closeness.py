"""t-closeness: the values in a class are distributed nearly as in the whole release.

Li, Li and Venkatasubramanian 2007. How near is measured by the Earth Mover's Distance, over a
ground distance between values (``ground_distance.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from lookalike.counts.classes import Classes
from lookalike.counts.level_table import Value
from lookalike.privacy.ground_distance import Equal, GroundDistance, distance_from
from lookalike.privacy.requirement import CLASS, ROUNDING, ColumnRequirement, Flags, check_number


@dataclass(frozen=True, slots=True)
class TCloseness(ColumnRequirement):
    """EMD(P, Q) ≤ ``t`` for every class: P is its distribution of ``column``, Q the release's.

    Monotone: the distance is convex, so the distance of two merged classes is at most the larger of
    both. It does not grow. An outsider knows the release, so Q is the distribution of the released
    rows: starred rows count, rows that are left out do not.

    Parameters
    ----------
    column : str
        A sensitive column of the policy.
    t : float
        The largest distance, from 0 to 1.
    distance : Equal, Ordered or Hierarchical, optional
        How far apart two values are; ``Equal()`` if not given.

    Raises
    ------
    TypeError, ValueError
        If ``t`` or ``distance`` is not as described.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.TCloseness("salary", 0.2, la.Ordered()).sentence())
    0.2-closeness: in every equivalence class (group of lookalikes) the distribution of salary is
    within 0.2 of its distribution in the whole release, where two values are as far apart as their
    ranks
    """

    t: float
    distance: GroundDistance = field(default_factory=Equal)

    key = "t_closeness"
    required_keys = ("column", "t")
    optional_keys = ("distance", "order", "tree")
    example = 't_closeness = [{ column = "diagnosis", t = 0.3 }]'

    name: ClassVar[str] = "t-closeness"
    monotone: ClassVar[bool] = True
    compares_to_release: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("t", self.t, 0, 1, low_allowed=True)
        if isinstance(self.distance, type) or not isinstance(self.distance, GroundDistance):
            raise TypeError(
                "not a ground distance; use distance = Equal(), Ordered() or Hierarchical(tree)"
            )

    @classmethod
    def from_policy(cls, spec: Any, base: Path) -> TCloseness:
        return cls(spec["column"], spec["t"], distance_from(spec, base))

    def to_policy(self, *, whole: bool = False) -> Mapping[str, Any]:
        named = {"column": self.column, "t": self.t, "distance": self.distance.name}
        return named | self.distance.to_policy(whole=whole)

    def broken(self, classes: Classes) -> Flags:
        spread = classes.spreads[self.column]
        return self.distance.from_release(spread, classes.sizes) > self.t + ROUNDING

    def hopeless(self, classes: Classes) -> Flags:
        spread = classes.spreads[self.column]
        return self.distance.floor(spread, len(classes)) > self.t + ROUNDING

    def fault(self, values: tuple[Value, ...]) -> str | None:
        return self.distance.fault(self.column, values)

    def sentence(self) -> str:
        return (
            f"{self.t:g}-closeness: in every {CLASS} the distribution of {self.column} is within "
            f"{self.t:g} of its distribution in the whole release, where {self.distance.words()}"
        )
