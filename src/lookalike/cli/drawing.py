"""The picture of a comparison: quality against time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.errors import Fault, NotProven
from lookalike.report.charts import Point, quality_against_time
from lookalike.report.pictures import save

if TYPE_CHECKING:
    from lookalike.search.compare import Comparison


def draw(found: Comparison, path: Path, *, force: bool) -> Path:
    """Draw every system that found something."""
    points = [
        Point(row.algorithm, row.solution.seconds, row.solution.cost, bool(row.held),
              row.solution.space, row.gap)
        for row in found.rows
        if row.solution is not None and row.solution.cost is not None
    ]  # fmt: skip
    if not points:
        fix = "leave --plot out, or see below why none ran"
        raise NotProven(Fault("--plot", "no system found a recoding to draw", fix))
    bounds = {str(space): bound for space, bound in found.bounds.items()}
    return save(quality_against_time(points, found.metric, bounds), path, force=force)
