"""The share of cells that show nothing but ``*``, with the policy's weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.cost.defined_metric import DefinedMetric
from lookalike.cost.recoded_table import RecodedTable


@dataclass(frozen=True, slots=True)
class StarShare(DefinedMetric):
    """A suppressed row counts as stars in every cell.

    *Floor.* A cell that shows ``*`` shows it at every coarser node too, and so does every cell of a
    row that is suppressed there.
    """

    name = "star-share"
    meaning = "the share of cells that show nothing but *"

    def cost(self, recoded: RecodedTable) -> float:
        return _share(recoded, np.ones(len(recoded.rows), dtype=bool))

    def floor(self, recoded: RecodedTable) -> float:
        return _share(recoded, recoded.of >= 0)

    def sentence(self, cost: float) -> str:
        return f"star share {cost:.4f} (the share of cells that show nothing but *)"


def _share(recoded: RecodedTable, pieces: np.ndarray) -> float:
    stars = (recoded.levels == recoded.heights) @ recoded.weights  # (pieces,)
    return float(stars[pieces] @ recoded.rows[pieces]) / max(1, recoded.total)
