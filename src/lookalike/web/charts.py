"""The charts of the studio, from plain numbers; drawn by the server: pages need no script."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lookalike.report.charts.search_charts import trace_chart
from lookalike.report.charts.style import AFTER, data, looked
from lookalike.report.charts.svg import svg
from lookalike.report.facts.search import Moment

WIDTH, HEIGHT, MARK = 560, 300, 23  # pixels of the picture, and of a candidate in it
AROUND = sorted(
    ((right, up) for right in range(-6, 7) for up in range(-6, 7)),
    key=lambda way: (abs(way[0]) + abs(way[1]), -way[0], -way[1]),
)  # from near to far, to the right first
MOST = 300  # moments of a search that are drawn


@dataclass(frozen=True, slots=True)
class Point:
    """One candidate."""

    number: int
    label: str
    risk: float  # of the row most at risk
    kept: float  # share of the detail
    suppressed: float  # share of the rows
    href: str


def risk_and_detail(points: Sequence[Point]) -> str:
    """Candidates by what they risk and what they keep: the best are at the upper left."""
    return _risk_and_detail(tuple(points))


@lru_cache(maxsize=32)
def _risk_and_detail(points: tuple[Point, ...]) -> str:
    import altair as alt

    most = min(1.0, 1.2 * max(one.risk for one in points)) or 1.0
    rows = [
        {
            "risk": one.risk, "kept": one.kept, "x": x, "y": y, "href": one.href,
            "number": str(one.number),
            "says": f"candidate {one.number}: {one.label}; highest risk {one.risk:.1%}, "
            f"{one.kept:.1%} of the detail kept, {one.suppressed:.1%} of the rows left out",
        }
        for one, (x, y) in zip(points, _apart(points, most), strict=True)
    ]  # fmt: skip
    base = alt.Chart(data(rows)).encode(
        x=alt.X("x:Q", title="highest risk of being recognized →",
                axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, most], nice=True)),
        y=alt.Y("y:Q", title="detail kept →", axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1])),
    )  # fmt: skip
    marks = base.mark_circle(size=420, color=AFTER, opacity=1).encode(
        href="href:N", description="says:N"
    )
    true = alt.Chart(data(rows)).encode(x="risk:Q", y="kept:Q")
    lines = true.mark_rule(color=AFTER, strokeWidth=1).encode(x2="x:Q", y2="y:Q")
    dots = true.mark_circle(size=30, color=AFTER, opacity=1)
    numbers = base.mark_text(fontSize=12, fontWeight="bold", color="white")
    chart = lines + dots + marks + numbers.encode(text="number:N")
    label = (
        f"{len(points)} candidates by highest risk and detail kept; each number leads to its page"
    )
    return svg(looked(chart.properties(width=WIDTH, height=HEIGHT)), label=label)


def _apart(points: Sequence[Point], most: float) -> list[tuple[float, float]]:
    """Where each mark stands: at its point, or beside it if it would cover another there."""
    placed: list[tuple[float, float]] = []  # pixels
    for one in points:
        at = one.risk / most * WIDTH, one.kept * HEIGHT
        ways = ((at[0] + MARK * right, at[1] + MARK * up) for right, up in AROUND)
        placed.append(next((way for way in ways if _free(way, placed)), at))
    return [(x / WIDTH * most, y / HEIGHT) for x, y in placed]


def _free(at: tuple[float, float], placed: Sequence[tuple[float, float]]) -> bool:
    inside = 0 <= at[0] <= WIDTH and 0 <= at[1] <= HEIGHT
    return inside and all(math.dist(at, other) >= MARK for other in placed)


def trace(events: Sequence[Mapping[str, Any]], metric: str) -> str:
    """Cost of the best so far and bound, against time, as in the report."""
    said = [one for one in events if "bound" in one]
    step = -(-len(said) // MOST) or 1
    some = [*said[::step], *said[-1:]]
    moments = [
        Moment(one["seconds"], one["checks"], one["cost"], one["bound"])
        for one in some
        if math.isfinite(one["bound"]) and one["cost"] is not None
    ]
    if len(moments) < 2:
        return ""
    label = f"The search: best so far {moments[-1].cost:.6g}, bound {moments[-1].bound:.6g}"
    return svg(trace_chart(moments, metric), label=label)
