"""Charts of comparisons: cost against time for each algorithm, and lines over a size.

The colors are those of Okabe and Ito, which color-blind readers can distinguish. Shapes repeat what
colors say, for prints in gray.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import altair as alt

from lookalike.errors import Fault, NotProven
from lookalike.report.charts.axis_scale import NUMBER_FORMAT, AxisScale, linear_axis, log_axis
from lookalike.report.charts.label_placement import (
    HEIGHT,
    TEXT,
    WIDTH,
    Box,
    Label,
    Spot,
    box_around,
    labels_along_line,
    labels_around_mark,
    place_labels,
)
from lookalike.report.number_format import number

if TYPE_CHECKING:
    from lookalike.search.compare import Comparison

INK = "#222222"
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-right", "cross")
SPACES = ("full-domain", "cell-level")  # they look the same in every chart; others follow
MAX_TICKS = 12  # places of lines that have a tick each
SHORTEST = 1e-6  # seconds; a log scale has no 0


@dataclass(frozen=True, slots=True)
class Point:
    """The result of an algorithm: its time, its cost, and whether it meets the requirement."""

    system: str
    seconds: float
    cost: float
    held: bool
    space: str
    gap: float | None  # to the lower bound of its space

    def __post_init__(self) -> None:
        if not (math.isfinite(self.cost) and 0 <= self.seconds < math.inf):
            raise ValueError(f"{self.system}: a point needs a finite time and a finite cost")

    @property
    def kind(self) -> str:
        """Its name in the legend."""
        return self.space if self.held else f"{self.space}, requirement not met"


def comparison_chart(comparison: Comparison) -> alt.LayerChart:
    """Cost against time, for all algorithms that found a recoding."""
    points = [
        Point(row.algorithm, row.solution.seconds, row.solution.cost, bool(row.held),
              row.solution.space, row.gap)
        for row in comparison.rows
        if row.solution is not None and row.solution.cost is not None
    ]  # fmt: skip
    if not points:
        fault = Fault("plot", "no algorithm found a recoding", "leave the plot out")
        raise NotProven(fault)
    bounds = {str(space): bound for space, bound in comparison.bounds.items()}
    return quality_against_time(points, comparison.metric, bounds)


def quality_against_time(
    points: Sequence[Point], metric: str, bounds: Mapping[str, float]
) -> alt.LayerChart:
    """A labeled mark for each point: seconds to the right (log scale), cost upwards.

    ``bounds`` has the lower bound of each space, drawn as a dashed line if it is above 0 and
    finite. Costs that differ a lot are on a log scale.
    """
    if not points:
        raise ValueError("there are no points to draw")
    points = [replace(point, seconds=max(point.seconds, SHORTEST)) for point in points]
    bounds = {space: bound for space, bound in bounds.items() if 0 < bound < math.inf}
    costs = [point.cost for point in points]
    log_cost = min(costs) > 0 and max(costs) / min(costs) > 30
    across = log_axis([point.seconds for point in points], WIDTH)
    up = (log_axis if log_cost else linear_axis)([*costs, *bounds.values()], HEIGHT)
    labels = _labels(points, bounds, across, up)
    spaces = _spaces(points, *bounds)
    colors = dict(zip(spaces, _cycled(COLORS, len(spaces)), strict=True))
    x = alt.X("seconds:Q", title="seconds (log scale)", scale=across.scale(), axis=across.ticks())
    title = f"cost ({metric}), {'log scale, ' if log_cost else ''}lower is better"
    y = alt.Y("cost:Q", title=title, scale=up.scale(), axis=up.ticks())
    layers = [
        *(_bound_line(bound, colors[space]).encode(y=y) for space, bound in bounds.items()),
        _leaders(labels, across, up).encode(x=x, y=y),
        _marks(points, spaces).encode(x=x, y=y),
        *(layer.encode(x=x, y=y) for layer in _texts(labels, across, up)),
    ]
    subtitle = "lower left is better"
    if bounds:
        subtitle += "; a dashed line is the lower bound of a space"
    return _framed(alt.LayerChart(layer=layers), f"Cost against time ({metric})", subtitle)


def lines(
    rows: Sequence[Mapping[str, str | float]],
    x: str,
    y: str,
    by: str,
    *,
    title: str,
    subtitle: str,
    x_title: str,
    y_title: str,
    log_x: bool = False,
    steps: bool = False,
) -> alt.LayerChart:
    """``y`` (log scale) against ``x``, with a line for each value of ``by``.

    ``steps`` draws values that stay constant until they change, such as the best cost over time.
    Rows whose ``y`` is not a finite number above 0 are not drawn.
    """
    rows = [row for row in rows if 0 < float(row[y]) < math.inf]
    if not rows:
        raise ValueError("there are no rows to draw")
    names = list(dict.fromkeys(str(row[by]) for row in rows))
    up = log_axis([float(row[y]) for row in rows], HEIGHT)
    places = sorted({float(row[x]) for row in rows})
    if len(places) <= MAX_TICKS:
        scale: dict[str, Any] = {"type": "log"} if log_x else {"type": "linear", "zero": False}
        across = alt.Scale(**scale, nice=False, padding=20)
        ticks = alt.Axis(values=places, format=NUMBER_FORMAT)
    else:
        axis = (log_axis if log_x else linear_axis)(places, WIDTH)
        across, ticks = axis.scale(), axis.ticks()
    legend = alt.Legend(title=None)
    chart = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(
        x=alt.X(f"{x}:Q", title=x_title, scale=across, axis=ticks),
        y=alt.Y(f"{y}:Q", title=f"{y_title} (log scale)", scale=up.scale(), axis=up.ticks()),
        color=alt.Color(f"{by}:N", scale=_scale(names, COLORS), legend=legend),
        tooltip=[f"{by}:N", f"{x}:Q", f"{y}:Q"],
    )
    shape = alt.Shape(f"{by}:N", scale=_scale(names, SHAPES), legend=legend)
    layers = [
        chart.mark_line(strokeWidth=2, interpolate="step-after" if steps else "linear"),
        chart.mark_point(filled=True, size=25 if steps else 80, opacity=1).encode(shape=shape),
    ]
    return _framed(alt.LayerChart(layer=layers), title, subtitle)


def _marks(points: Sequence[Point], spaces: Sequence[str]) -> alt.Chart:
    """Color and shape show the space; a hollow mark does not meet the requirement."""
    kinds = sorted({(spaces.index(p.space), not p.held, p.kind) for p in points})
    names = [kind for _, _, kind in kinds]  # in the order of the legend
    colors, shapes = _cycled(COLORS, len(spaces)), _cycled(SHAPES, len(spaces))
    strokes = [colors[space] for space, _, _ in kinds]
    fills = ["white" if hollow else colors[space] for space, hollow, _ in kinds]
    legend = alt.Legend(title=None)
    values = [
        {
            "system": p.system,
            "seconds": p.seconds,
            "cost": p.cost,
            "kind": p.kind,
            "gap": "not known" if p.gap is None else f"{p.gap:.2%}",
        }
        for p in points
    ]
    by_space = [shapes[space] for space, _, _ in kinds]
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=values))
        .mark_point(size=100, strokeWidth=2, opacity=1)
        .encode(
            stroke=alt.Stroke("kind:N", scale=_scale(names, strokes), legend=legend),
            fill=alt.Fill("kind:N", scale=_scale(names, fills), legend=legend),
            shape=alt.Shape("kind:N", scale=_scale(names, by_space), legend=legend),
            tooltip=[
                alt.Tooltip("system:N", title="algorithm"),
                alt.Tooltip("seconds:Q", format=",.3~r"),
                alt.Tooltip("cost:Q", format=",.6~r"),
                alt.Tooltip("gap:N", title="gap to the lower bound"),
                alt.Tooltip("kind:N", title="space"),
            ],
        )
    )
    return chart


def _bound_line(bound: float, color: str) -> alt.Chart:
    chart: alt.Chart = alt.Chart(alt.InlineData(values=[{"cost": bound}])).mark_rule(
        strokeDash=[6, 4], strokeWidth=1.2, color=color
    )
    return chart


def _labels(
    points: Sequence[Point], bounds: Mapping[str, float], across: AxisScale, up: AxisScale
) -> list[Label]:
    """The labels of the bounds and of the points."""
    marks = [Spot(across.pixel(p.seconds), HEIGHT - up.pixel(p.cost)) for p in points]
    heights = {space: HEIGHT - up.pixel(bound) for space, bound in bounds.items()}
    candidates = [
        labels_along_line(f"{space}, lower bound {number(bounds[space])}", height)
        for space, height in heights.items()
    ]
    candidates += [
        labels_around_mark(p.system, mark) for p, mark in zip(points, marks, strict=True)
    ]
    bound_lines = [Box(0, height - 1, WIDTH, height + 1) for height in heights.values()]
    return place_labels(candidates, [box_around(mark, 7) for mark in marks], bound_lines)


def _texts(labels: Sequence[Label], across: AxisScale, up: AxisScale) -> list[alt.Chart]:
    """A layer for each alignment, because Vega-Lite cannot take the alignment from the data."""
    layers = []
    for align in dict.fromkeys(label.align for label in labels):
        values = [
            {"label": label.text, **_position(label.at, across, up)}
            for label in labels
            if label.align == align
        ]
        text = alt.Chart(alt.InlineData(values=values)).mark_text(
            align=align, baseline="middle", fontSize=TEXT, color=INK
        )
        layers.append(text.encode(text="label:N"))
    return layers


def _leaders(labels: Sequence[Label], across: AxisScale, up: AxisScale) -> alt.Chart:
    """Thin lines from marks to labels that are not next to them."""
    values = []
    for start, end in (label.leader for label in labels if label.leader):
        to = _position(end, across, up)
        values.append({**_position(start, across, up), "x2": to["seconds"], "y2": to["cost"]})
    rule = alt.Chart(alt.InlineData(values=values)).mark_rule(color="#999999", strokeWidth=1)
    chart: alt.Chart = rule.encode(x2="x2:Q", y2="y2:Q")
    return chart


def _position(spot: Spot, across: AxisScale, up: AxisScale) -> dict[str, float]:
    return {"seconds": across.value(spot.x), "cost": up.value(HEIGHT - spot.y)}


def _scale(names: Sequence[str], values: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=[*names], range=_cycled(values, len(names)))


def _cycled(values: Sequence[str], length: int) -> list[str]:
    return [values[number % len(values)] for number in range(length)]


def _spaces(points: Sequence[Point], *more: str) -> list[str]:
    return list(dict.fromkeys([*SPACES, *sorted({*more, *(point.space for point in points)})]))


def _framed(chart: alt.LayerChart, title: str, subtitle: str) -> alt.LayerChart:
    """With a title, and the style of all these charts."""
    heading = alt.TitleParams(title, subtitle=subtitle, anchor="start", frame="group")
    framed: alt.LayerChart = (
        chart.properties(width=WIDTH, height=HEIGHT, background="white", padding=14, title=heading)
        .configure(font="Helvetica, Arial, DejaVu Sans, sans-serif")
        .configure_title(fontSize=18, subtitleFontSize=14, subtitleColor=INK, offset=14)
        .configure_axis(
            labelFontSize=TEXT, labelColor=INK, titleFontSize=14, titleFontWeight="normal",
            titleColor=INK, titlePadding=10, gridColor="#ECECEC",
        )
        .configure_legend(
            orient="bottom", labelFontSize=TEXT, labelColor=INK, labelLimit=0, columnPadding=24,
            symbolSize=100, symbolStrokeWidth=2,
        )
        .configure_view(stroke=None)
    )  # fmt: skip
    return framed
