"""Who looks alike after recoding: the classes of a recoded frequency set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Equivalence classes over the released quasi-identifiers.

    ``member`` names one group of each class: with it and the levels, a class's released codes can
    be read off without storing them.
    """

    sizes: NDArray[np.int64]  # (classes,) rows in each class
    member: NDArray[np.int64]  # (classes,) a group inside each class
    sensitive: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)  # (classes, values)

    def __len__(self) -> int:
        return len(self.sizes)
