"""A comparison as a picture: quality against time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import Fault, NotProven
from lookalike.report.charts.comparison_charts import Point, quality_against_time

if TYPE_CHECKING:
    import altair as alt

    from lookalike.search.compare import Comparison


def picture(found: Comparison) -> alt.LayerChart:
    """Every system that found something."""
    points = [
        Point(row.algorithm, row.solution.seconds, row.solution.cost, bool(row.held),
              row.solution.space, row.gap)
        for row in found.rows
        if row.solution is not None and row.solution.cost is not None
    ]  # fmt: skip
    if not points:
        raise NotProven(Fault("plot", "no system found a recoding to draw", "leave the plot out"))
    bounds = {str(space): bound for space, bound in found.bounds.items()}
    return quality_against_time(points, found.metric, bounds)
