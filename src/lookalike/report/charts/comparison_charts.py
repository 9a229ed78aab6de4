"""Charts from plain numbers: what a system cost against how long it took, and lines over a size.

Colours are those of Okabe and Ito, which colour-blind readers can tell apart; a shape always says
the same as the colour, for print in grey. Nothing here reads a table or writes a file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 700, 420  # of the plot itself, in pixels
TEXT = 13  # size of the smallest print, in pixels
INK = "#222222"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-right", "cross")
SPACES = ("full-domain", "cell-level")  # these look the same in every chart; others come after them
NUMBER = ",.12~r"  # all digits that matter: by itself, Vega rounds 3,016 records to 3,000
TICKS = 12  # where lines have no more places than this, each has a tick
INSTANT = 1e-6  # seconds; a log scale has no 0


@dataclass(frozen=True, slots=True)
class Point:
    """What one system reached: its time, its cost, and whether it kept the requirement."""

    system: str
    seconds: float
    cost: float
    held: bool
    space: str
    gap: float | None  # to the bound of its space

    def __post_init__(self) -> None:
        if not (math.isfinite(self.cost) and 0 <= self.seconds < math.inf):
            raise ValueError(f"{self.system}: a point needs a time and a cost that are numbers")

    @property
    def kind(self) -> str:
        """What the legend calls it."""
        return self.space if self.held else f"{self.space}, requirement not kept"


def quality_against_time(
    points: Sequence[Point], metric: str, bounds: Mapping[str, float]
) -> alt.LayerChart:
    """One labelled mark a system: seconds to the right (log), cost upwards.

    ``bounds`` holds the proven lower bound of each space, drawn as a dashed line; one that says
    nothing (0 or infinite) is left out. The cost is on a log scale too where it spans a lot.
    """
    import altair as alt

    if not points:
        raise ValueError("there are no points to draw")
    points = [replace(point, seconds=max(point.seconds, INSTANT)) for point in points]
    bounds = {space: bound for space, bound in bounds.items() if 0 < bound < math.inf}
    costs = [point.cost for point in points]
    wide = min(costs) > 0 and max(costs) / min(costs) > 30
    across = _log_axis([point.seconds for point in points], WIDTH)
    up = (_log_axis if wide else _linear_axis)([*costs, *bounds.values()], HEIGHT)
    labels = _labels(points, bounds, across, up)
    spaces = _spaces(points, *bounds)
    colours = {space: _turn(COLOURS, number) for number, space in enumerate(spaces)}
    x = alt.X("seconds:Q", title="seconds (log scale)", scale=across.scale(), axis=across.ticks())
    title = f"cost by {metric} ({'log scale, ' if wide else ''}lower is better)"
    y = alt.Y("cost:Q", title=title, scale=up.scale(), axis=up.ticks())
    layers = [
        *(_bound_rule(bound, colours[space]).encode(y=y) for space, bound in bounds.items()),
        _leaders(labels, across, up).encode(x=x, y=y),
        _marks(points, spaces).encode(x=x, y=y),
        *(layer.encode(x=x, y=y) for layer in _texts(labels, across, up)),
    ]
    says = "lower left is better"
    if bounds:
        says += "; a dashed line is a bound that nothing in that space can beat"
    return _framed(alt.LayerChart(layer=layers), f"Quality against time, by {metric}", says)


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
    """``y`` (log) against ``x``, one line for each value of ``by``.

    ``steps`` is for what stays as it is until it changes, as the best so far does over time. A row
    whose ``y`` is not a number above 0 has no place on a log scale and is left out.
    """
    import altair as alt

    rows = [row for row in rows if 0 < float(row[y]) < math.inf]
    if not rows:
        raise ValueError("there are no rows to draw")
    names = list(dict.fromkeys(str(row[by]) for row in rows))
    up = _log_axis([float(row[y]) for row in rows], HEIGHT)
    places = sorted({float(row[x]) for row in rows})
    if len(places) <= TICKS:
        scale: dict[str, Any] = {"type": "log"} if log_x else {"type": "linear", "zero": False}
        across = alt.Scale(**scale, nice=False, padding=20)
        ticks = alt.Axis(values=places, format=NUMBER)
    else:
        axis = (_log_axis if log_x else _linear_axis)(places, WIDTH)
        across, ticks = axis.scale(), axis.ticks()
    drawn = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(
        x=alt.X(f"{x}:Q", title=x_title, scale=across, axis=ticks),
        y=alt.Y(f"{y}:Q", title=f"{y_title} (log scale)", scale=up.scale(), axis=up.ticks()),
        color=alt.Color(f"{by}:N", scale=_looks(names, COLOURS), legend=alt.Legend(title=None)),
        tooltip=[f"{by}:N", f"{x}:Q", f"{y}:Q"],
    )
    shape = alt.Shape(f"{by}:N", scale=_looks(names, SHAPES), legend=alt.Legend(title=None))
    layers = [
        drawn.mark_line(strokeWidth=2, interpolate="step-after" if steps else "linear"),
        drawn.mark_point(filled=True, size=25 if steps else 80, opacity=1).encode(shape=shape),
    ]
    return _framed(alt.LayerChart(layer=layers), title, subtitle)


# The parts of a chart.


def _marks(points: Sequence[Point], spaces: Sequence[str]) -> alt.Chart:
    """Colour and shape say the space; a hollow mark did not keep the requirement."""
    import altair as alt

    kinds = sorted({(spaces.index(p.space), not p.held, p.kind) for p in points})
    names = [kind for _, _, kind in kinds]  # in the order of the legend
    edges = [_turn(COLOURS, space) for space, _, _ in kinds]
    insides = ["white" if broken else _turn(COLOURS, space) for space, broken, _ in kinds]
    shapes = [_turn(SHAPES, space) for space, _, _ in kinds]
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
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=values))
        .mark_point(size=100, strokeWidth=2, opacity=1)
        .encode(
            stroke=alt.Stroke("kind:N", scale=_looks(names, edges), legend=legend),
            fill=alt.Fill("kind:N", scale=_looks(names, insides), legend=legend),
            shape=alt.Shape("kind:N", scale=_looks(names, shapes), legend=legend),
            tooltip=[
                alt.Tooltip("system:N"),
                alt.Tooltip("seconds:Q", format=",.3~r"),
                alt.Tooltip("cost:Q", format=",.6~r"),
                alt.Tooltip("gap:N", title="gap to the bound"),
                alt.Tooltip("kind:N", title="space"),
            ],
        )
    )
    return chart


def _bound_rule(bound: float, colour: str) -> alt.Chart:
    import altair as alt

    chart: alt.Chart = alt.Chart(alt.InlineData(values=[{"cost": bound}])).mark_rule(
        strokeDash=[6, 4], strokeWidth=1.2, color=colour
    )
    return chart


def _texts(labels: Sequence[_Label], across: _Axis, up: _Axis) -> list[alt.Chart]:
    """A layer for each alignment, which Vega-Lite cannot take from the data."""
    import altair as alt

    layers = []
    for align in dict.fromkeys(label.align for label in labels):
        values = [
            {"label": one.text, **_data(one.at, across, up)} for one in labels if one.align == align
        ]
        text = alt.Chart(alt.InlineData(values=values)).mark_text(
            align=align, baseline="middle", fontSize=TEXT, color=INK
        )
        layers.append(text.encode(text="label:N"))
    return layers


def _leaders(labels: Sequence[_Label], across: _Axis, up: _Axis) -> alt.Chart:
    """A thin line from a mark to its label, where the label could not stay beside it."""
    import altair as alt

    values = []
    for start, end in (label.leader for label in labels if label.leader):
        far = _data(end, across, up)
        values.append({**_data(start, across, up), "x2": far["seconds"], "y2": far["cost"]})
    rule = alt.Chart(alt.InlineData(values=values)).mark_rule(color="#999999", strokeWidth=1)
    chart: alt.Chart = rule.encode(x2="x2:Q", y2="y2:Q")
    return chart


def _data(spot: _Spot, across: _Axis, up: _Axis) -> dict[str, float]:
    return {"seconds": across.value(spot.x), "cost": up.value(HEIGHT - spot.y)}


def _looks(names: Sequence[str], looks: Sequence[str]) -> alt.Scale:
    import altair as alt

    return alt.Scale(domain=[*names], range=[_turn(looks, n) for n in range(len(names))])


def _turn(looks: Sequence[str], number: int) -> str:
    return looks[number % len(looks)]


def _spaces(points: Sequence[Point], *more: str) -> list[str]:
    return list(dict.fromkeys([*SPACES, *sorted({*more, *(point.space for point in points)})]))


def _framed(chart: alt.LayerChart, title: str, subtitle: str) -> alt.LayerChart:
    """The title, and all that the charts have in common."""
    import altair as alt

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


def _short(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


# Axes whose ends are ours to set, so that it is known beforehand where a value is drawn.


@dataclass(frozen=True, slots=True)
class _Axis:
    """From values to pixels and back."""

    low: float
    high: float
    length: int
    log: bool

    def pixel(self, value: float) -> float:
        low, high = self._bent(self.low), self._bent(self.high)
        return (self._bent(value) - low) / (high - low) * self.length

    def value(self, pixel: float) -> float:
        low, high = self._bent(self.low), self._bent(self.high)
        bent = low + pixel / self.length * (high - low)
        return float(10**bent) if self.log else bent

    def _bent(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def scale(self) -> alt.Scale:
        import altair as alt

        kind: Literal["log", "linear"] = "log" if self.log else "linear"
        return alt.Scale(type=kind, domain=[self.low, self.high], nice=False)

    def ticks(self) -> alt.Axis:
        import altair as alt

        if not self.log:
            return alt.Axis(tickCount=6, format=NUMBER)
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        steps = (1, 2, 5) if last - first <= 4 else (1,)
        values = [step * 10.0**power for power, step in product(range(first, last + 1), steps)]
        inside = [value for value in values if self.low <= value <= self.high]
        return alt.Axis(values=inside, format=NUMBER)


def _linear_axis(values: Sequence[float], length: int) -> _Axis:
    """With some room at both ends, but not below 0 if no value is."""
    low, high = min(values), max(values)
    margin = 0.1 * ((high - low) or abs(high) or 1.0)
    lowest = max(0.0, low - margin) if low >= 0 else low - margin
    return _Axis(lowest, high + margin, length, log=False)


def _log_axis(values: Sequence[float], length: int) -> _Axis:
    """Never less than a power of ten, lest the noise of a clock look like a difference."""
    low, high = math.log10(min(values)), math.log10(max(values))
    margin = max(0.08 * (high - low), (1 - (high - low)) / 2)
    return _Axis(10 ** (low - margin), 10 ** (high + margin), length, log=True)


# Where the labels go: each to the nearest free place around its mark.

Align = Literal["left", "center", "right"]
FAR = (0, 14, 28, 42, 60, 80, 105, 130)  # pixels between a mark and its label
ROUND = (
    (1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1),
    (1, -0.4), (1, 0.4), (-1, -0.4), (-1, 0.4), (0.4, -1), (0.4, 1), (-0.4, -1), (-0.4, 1),
)  # fmt: skip


class _Spot(NamedTuple):
    """A place on the plot, in pixels from the upper left."""

    x: float
    y: float


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right and other.left < self.right
            and self.top < other.bottom and other.top < self.bottom
        )  # fmt: skip

    def inside(self) -> bool:
        return self.left >= 0 and self.top >= 0 and self.right <= WIDTH and self.bottom <= HEIGHT


class _Label(NamedTuple):
    """A text, its room, and the line that leads to it where it could not stay beside its mark."""

    text: str
    at: _Spot
    align: Align
    box: _Box
    leader: tuple[_Spot, _Spot] | None
    trail: list[_Box]  # the leader as a string of small boxes

    def near(self) -> _Box:
        """A mark in here may be taken for the one that is meant."""
        left, top, right, bottom = self.box
        return _Box(left - 8, top - 8, right + 8, bottom + 8)


def _labels(
    points: Sequence[Point], bounds: Mapping[str, float], across: _Axis, up: _Axis
) -> list[_Label]:
    """The names of the systems and the values of the bounds, clear of one another."""
    marks = [_Spot(across.pixel(p.seconds), HEIGHT - up.pixel(p.cost)) for p in points]
    rules = {space: HEIGHT - up.pixel(bound) for space, bound in bounds.items()}
    wanted = [
        _along(f"{space} bound {_short(bounds[space])}", height) for space, height in rules.items()
    ]
    wanted += [_beside(point.system, mark) for point, mark in zip(points, marks, strict=True)]
    solid = [_around(mark, 7) for mark in marks]
    dashed = [_Box(0, height - 1, WIDTH, height + 1) for height in rules.values()]
    return _placed(wanted, solid, dashed)


def _placed(
    wanted: Sequence[Sequence[_Label]], solid: Sequence[_Box], dashed: Sequence[_Box]
) -> list[_Label]:
    """Of the places wanted for each label, the one that covers least, the first of equals.

    One label after the other; then those that cover something are moved while that helps.
    """

    def covers(label: _Label, others: Sequence[_Label]) -> int:
        texts = [*solid, *(other.box for other in others)]
        trails = [step for other in others for step in other.trail]
        return (
            20 * (not label.box.inside())
            + 3 * (0 if label.leader else max(0, sum(label.near().meets(m) for m in solid) - 1))
            + 10 * sum(label.box.meets(text) for text in texts)
            + 4 * sum(label.box.meets(line) for line in dashed)
            + 2 * sum(label.box.meets(step) for step in trails)
            + 2 * sum(step.meets(text) for step in label.trail for text in texts)
            + sum(step.meets(other) for step in label.trail for other in trails)
        )

    def best(places: Sequence[_Label], others: Sequence[_Label]) -> _Label:
        return min(places, key=lambda place: covers(place, others))

    placed: list[_Label] = []
    for places in wanted:
        placed.append(best(places, placed))
    for _ in range(3):
        for number, places in enumerate(wanted):
            others = placed[:number] + placed[number + 1 :]
            if covers(placed[number], others):
                placed[number] = best(places, others)
    return placed


def _along(text: str, height: float) -> list[_Label]:
    """Places for the label of a bound: below or above its line, at either end."""
    places = []
    for away in (0.9, -0.9, 1.8, -1.8):
        places.append(_label(text, _Spot(WIDTH - 4, height + away * TEXT), "right"))
        places.append(_label(text, _Spot(4, height + away * TEXT), "left"))
    return places


def _beside(text: str, mark: _Spot) -> list[_Label]:
    """Places for the label of a mark: all round it, then farther out at the end of a leader."""
    places = []
    for far, (right, down) in product(FAR, ROUND):
        away = 8 / math.hypot(right, down)
        start = _Spot(mark.x + right * away, mark.y + down * away)
        end = _Spot(mark.x + right * (10 + far), mark.y + down * (9 + far))
        at = _Spot(end.x + right * 2, end.y + down * 0.5 * TEXT)
        align: Align = "left" if right == 1 else "right" if right == -1 else "center"
        places.append(_label(text, at, align, (start, end) if far else None))
    return places


def _label(text: str, at: _Spot, align: Align, leader: tuple[_Spot, _Spot] | None = None) -> _Label:
    width = 0.62 * TEXT * len(text) + 4  # as wide as letters get in the usual fonts, and a space
    left = at.x - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * width
    box = _Box(left, at.y - 0.6 * TEXT, left + width, at.y + 0.6 * TEXT)
    return _Label(text, at, align, box, leader, _trail(*leader) if leader else [])


def _trail(start: _Spot, end: _Spot) -> list[_Box]:
    steps = max(1, round(math.dist(start, end) / 6))
    return [
        _around(_Spot(start.x + s * (end.x - start.x), start.y + s * (end.y - start.y)), 2)
        for s in (step / steps for step in range(1, steps + 1))
    ]


def _around(spot: _Spot, reach: float) -> _Box:
    return _Box(spot.x - reach, spot.y - reach, spot.x + reach, spot.y + reach)
