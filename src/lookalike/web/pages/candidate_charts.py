"""The charts of the candidates' pages, drawn by the server as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lookalike.api import TracePoint
from lookalike.report.charts.style import AFTER, data, styled
from lookalike.report.charts.svg import svg

WIDTH, HEIGHT, MARK = 560, 300, 23  # pixels of the chart, and of a candidate's mark in it
OFFSETS = sorted(
    ((right, up) for right in range(-6, 7) for up in range(-6, 7)),
    key=lambda step: (abs(step[0]) + abs(step[1]), -step[0], -step[1]),
)  # in marks, from near to far, to the right first
MAX_MOMENTS = 300  # of a search that are drawn


@dataclass(frozen=True, slots=True)
class Point:
    """A candidate."""

    number: int
    label: str
    risk: float  # of the row with the highest risk
    kept: float  # share of the detail
    suppressed: float  # share of the rows
    href: str


@lru_cache(maxsize=32)
def risk_and_detail(points: tuple[Point, ...]) -> str:
    """Candidates by risk and detail kept: the best are at the upper left."""
    import altair as alt

    highest = min(1.0, 1.2 * max(point.risk for point in points)) or 1.0
    rows = [
        {
            "risk": point.risk, "kept": point.kept, "x": x, "y": y, "href": point.href,
            "number": str(point.number),
            "description": f"candidate {point.number}: {point.label}; "
            f"highest risk {point.risk:.1%}, {point.kept:.1%} of the detail kept, "
            f"{point.suppressed:.1%} of the rows suppressed",
        }
        for point, (x, y) in zip(points, _mark_places(points, highest), strict=True)
    ]  # fmt: skip
    base = alt.Chart(data(rows)).encode(
        x=alt.X("x:Q", title="highest risk of being recognized →",
                axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, highest], nice=True)),
        y=alt.Y("y:Q", title="detail kept →", axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1])),
    )  # fmt: skip
    marks = base.mark_circle(size=420, color=AFTER, opacity=1).encode(
        href="href:N", description="description:N"
    )
    exact = alt.Chart(data(rows)).encode(x="risk:Q", y="kept:Q")
    lines = exact.mark_rule(color=AFTER, strokeWidth=1).encode(x2="x:Q", y2="y:Q")
    dots = exact.mark_circle(size=30, color=AFTER, opacity=1)
    numbers = base.mark_text(fontSize=12, fontWeight="bold", color="white")
    chart = lines + dots + marks + numbers.encode(text="number:N")
    label = f"{len(points)} candidates by highest risk and detail kept; each number is a link"
    return svg(styled(chart.properties(width=WIDTH, height=HEIGHT)), label=label)


def _mark_places(points: Sequence[Point], highest: float) -> list[tuple[float, float]]:
    """Each mark at its point, or near it where it would cover another mark."""
    places: list[tuple[float, float]] = []  # pixels
    for point in points:
        x, y = point.risk / highest * WIDTH, point.kept * HEIGHT
        near = ((x + MARK * right, y + MARK * up) for right, up in OFFSETS)
        places.append(next((place for place in near if _is_free(place, places)), (x, y)))
    return [(x / WIDTH * highest, y / HEIGHT) for x, y in places]


def _is_free(place: tuple[float, float], taken: Sequence[tuple[float, float]]) -> bool:
    inside = 0 <= place[0] <= WIDTH and 0 <= place[1] <= HEIGHT
    return inside and all(math.dist(place, other) >= MARK for other in taken)


def trace(events: Sequence[Mapping[str, Any]], metric: str) -> str:
    """Best cost and lower bound over time, as in the report; "" while there is little to draw."""
    from lookalike.report.charts.search_charts import trace_chart  # late: loads Altair

    bounded = [event for event in events if "bound" in event]
    step = -(-len(bounded) // MAX_MOMENTS) or 1
    moments = [
        TracePoint(event["seconds"], event["checks"], event["cost"], event["bound"])
        for event in [*bounded[::step], *bounded[-1:]]
        if math.isfinite(event["bound"]) and event["cost"] is not None
    ]
    if len(moments) < 2:
        return ""
    last = moments[-1]
    label = f"The search: best so far {last.cost:.6g}, lower bound {last.bound:.6g}"
    return svg(trace_chart(moments, metric), label=label)
