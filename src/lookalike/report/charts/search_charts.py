"""Charts of a search: the lattice, intervals of cuts, generalization, progress over time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from lookalike.report.charts.style import (
    AFTER,
    BEFORE,
    FORE,
    GOOD,
    HEAT,
    TEXT,
    WARN,
    data,
    layered,
    row_names,
)
from lookalike.report.number_format import number, percent

if TYPE_CHECKING:
    from lookalike.problem.recodings.cell_changes import Change
    from lookalike.report.facts.search import CutColumn, Lattice, LatticeNode
    from lookalike.solution.solution import TracePoint

WIDTH = 620  # pixels
MAX_LINKED = 70  # nodes of a lattice that is drawn with its edges
# Of a node: its label in the legend, its color and its shape
STATES = {
    "chosen": ("chosen", AFTER, "diamond"),
    "meets": ("meets the policy", GOOD, "circle"),
    "breaks": ("would suppress too many rows", WARN, "cross"),
    "evaluated": ("evaluated", BEFORE, "square"),
    "pruned": ("not evaluated: ruled out by a bound", BEFORE, "circle"),
}
STEPS = (  # upper limit of a share of the way to *
    (0.0, "unchanged"),
    (0.34, "up to a third"),
    (0.67, "up to two thirds"),
    (0.999, "nearly hidden"),
    (1.0, "hidden (*)"),
)
SERIES = ("best so far", "lower bound")


def lattice_chart(lattice: Lattice) -> alt.LayerChart:
    """Nodes by height, the finest at the bottom."""
    places = _places(lattice.nodes)
    rows = [
        {
            "x": places[node.levels],
            "height": node.height,
            "state": state_label(node),
            "description": _description(lattice, node),
            "size": 170 if node.state == "chosen" else 46,
            "text": " ".join(map(str, node.levels)) if node.state == "chosen" else "",
        }
        for node in lattice.nodes
    ]
    states = {node.state for node in lattice.nodes}
    looks = [look for state, look in STATES.items() if state in states]
    names, colors, shapes = zip(*looks, strict=True)
    reach = max(map(abs, places.values()), default=0) + 0.7
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-reach, reach], nice=False))
    y = alt.Y(
        "height:Q",
        title="height: sum of the levels of all columns",
        scale=alt.Scale(zero=False, padding=14, nice=False),
        axis=alt.Axis(tickMinStep=1, format="d", grid=False),
    )

    def by_state(channel: Any, values: Sequence[str]) -> Any:
        scale = alt.Scale(domain=names, range=values)
        return channel("state:N", scale=scale, legend=alt.Legend(columns=2, columnPadding=60))

    fills = (*colors[:-1], "transparent" if "pruned" in states else colors[-1])
    marks = (
        alt.Chart(data(rows))
        .mark_point(strokeWidth=1.3, opacity=1)
        .encode(
            x=x,
            y=y,
            stroke=by_state(alt.Stroke, colors),
            fill=by_state(alt.Fill, fills),
            shape=by_state(alt.Shape, shapes),
            description="description:N",
            size=alt.Size("size:Q", scale=None, legend=None),
        )
    )
    bold = alt.Chart(data(rows)).mark_text(dy=-14, fontWeight="bold")
    texts = bold.encode(x=x, y=y, text="text:N")
    layers = [marks, texts]
    if len(lattice.nodes) <= MAX_LINKED:
        layers.insert(0, _edges(lattice.nodes, places).encode(x=x, y=y))
    heights = len({node.height for node in lattice.nodes})
    return layered(*layers, width=WIDTH, height=max(90, 26 * heights))


def trace_chart(moments: Sequence[TracePoint], metric: str) -> alt.LayerChart:
    """Best cost and lower bound over time."""
    rows: list[dict[str, Any]] = []
    for moment in moments:
        for which, value in zip(SERIES, (moment.cost, moment.bound), strict=True):
            if value is not None and math.isfinite(value):
                words = f"{which} {number(value)} after {moment.seconds:.3g} s"
                row = {"seconds": moment.seconds, "which": which, "cost": value}
                rows.append(row | {"description": words})
    colors = alt.Scale(domain=[*SERIES], range=[AFTER, WARN])
    seconds = alt.Axis(tickCount=6, grid=False)
    base = alt.Chart(data(rows)).encode(
        x=alt.X("seconds:Q", title="seconds", scale=alt.Scale(domainMin=0), axis=seconds),
        y=alt.Y("cost:Q", title=f"cost ({metric})", axis=alt.Axis(tickCount=5)),
        color=alt.Color("which:N", scale=colors),
    )
    dashes = alt.Scale(domain=[*SERIES], range=[[1, 0], [5, 3]])
    line = base.mark_line(interpolate="step-after", strokeWidth=2).encode(
        strokeDash=alt.StrokeDash("which:N", scale=dashes)
    )
    dots = base.mark_point(filled=True, size=26, opacity=1).encode(description="description:N")
    return layered(line, dots, width=WIDTH, height=200)


def cut_chart(column: CutColumn) -> alt.LayerChart:
    """The values of a column from left to right, and where it was cut."""
    rows = []
    for place, part in enumerate(column.intervals):
        width = (part.last - part.first + 1) / max(1, column.values) * WIDTH
        rows.append(
            {
                "first": part.first,
                "last": part.last + 1,
                "text": part.label if width >= 7 * len(part.label) + 4 else "",
                "middle": (part.first + part.last + 1) / 2,
                "alpha": 0.45 if place % 2 else 0.85,
                "description": f"{part.label}: {part.before:,} rows before, {part.after:,} after",
            }
        )
    x = alt.X("first:Q", axis=None, scale=alt.Scale(domain=[0, max(1, column.values)], nice=False))
    base = alt.Chart(data(rows))
    bars = base.mark_rect(color=AFTER, stroke=FORE, strokeWidth=0.5, y=0, y2=18).encode(
        x=x,
        x2="last:Q",
        opacity=alt.Opacity("alpha:Q", scale=None, legend=None),
        description="description:N",
    )
    middle = alt.X("middle:Q", axis=None)
    texts = base.mark_text(y=30, fontSize=TEXT - 1).encode(x=middle, text="text:N")
    return layered(bars, texts, width=WIDTH, height=36)


def change_chart(changes: Sequence[Change]) -> alt.LayerChart:
    """The released rows of each column, from unchanged to hidden cells."""
    rows = []
    for place, change in enumerate(changes):
        held = [0] * len(STEPS)
        for share, count in change.steps:
            held[next(i for i, (limit, _) in enumerate(STEPS) if share <= limit)] += count
        for order, ((_, label), count) in enumerate(zip(STEPS, held, strict=True)):
            if count:
                share = count / change.rows
                rows.append(
                    {
                        "place": place,
                        "step": label,
                        "order": order,
                        "share": share,
                        "description": f"{change.column}: {count:,} rows {label}, {percent(share)}",
                    }
                )
    names = [{"place": place, "label": change.column} for place, change in enumerate(changes)]
    steps = [label for _, label in STEPS]
    y = alt.Y("place:O", axis=None, scale=alt.Scale(paddingInner=0.35))
    bars = (
        alt.Chart(data(rows))
        .mark_bar(stroke=FORE, strokeWidth=0.4)
        .encode(
            x=alt.X(
                "share:Q",
                stack="zero",
                title="share of released rows",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%", values=[0, 0.5, 1]),
            ),
            y=y,
            color=alt.Color("step:N", scale=alt.Scale(domain=steps, range=[*HEAT]), sort=steps),
            order=alt.Order("order:Q"),
            description="description:N",
        )
    )
    return layered(bars, row_names(names, y, 170), width=440, height=alt.Step(22), names=names)


def state_label(node: LatticeNode) -> str:
    """What is known about a node, as the legend says it."""
    return STATES[node.state][0]


def _places(nodes: Sequence[LatticeNode]) -> dict[tuple[int, ...], float]:
    """The place of each node in its row; rows are centered."""
    rows = defaultdict(list)
    for node in nodes:
        rows[node.height].append(node.levels)
    return {
        levels: at - (len(row) - 1) / 2 for row in rows.values() for at, levels in enumerate(row)
    }


def _edges(nodes: Sequence[LatticeNode], places: Mapping[tuple[int, ...], float]) -> alt.Chart:
    """From each node to its direct generalizations."""
    rows = []
    for node in nodes:
        for a, level in enumerate(node.levels):
            up = (*node.levels[:a], level + 1, *node.levels[a + 1 :])
            if up in places:
                start = {"x": places[node.levels], "height": node.height}
                rows.append(start | {"x2": places[up], "y2": node.height + 1})
    rules = alt.Chart(data(rows)).mark_rule(color=FORE, opacity=0.16, strokeWidth=1)
    edges: alt.Chart = rules.encode(x2="x2:Q", y2="y2:Q")
    return edges


def _description(lattice: Lattice, node: LatticeNode) -> str:
    levels = ", ".join(f"{n} {level}" for n, level in zip(lattice.names, node.levels, strict=True))
    known = state_label(node)
    if node.suppressed is not None:
        known += f"; {node.suppressed:,} rows suppressed"
    if node.cost is not None:
        known += f"; cost {number(node.cost)}"
    return f"{levels}: {known}"
