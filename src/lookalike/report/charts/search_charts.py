"""Pictures of a search: the lattice with what was counted, intervals on their axes, the trace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
)
from lookalike.report.number_format import number, percent

if TYPE_CHECKING:
    import altair as alt

    from lookalike.problem.recodings.cell_changes import Change
    from lookalike.report.facts.search import CutColumn, Lattice, Moment, Node

WIDE = 620
LINES = 70  # nodes of a lattice whose lines can still be followed
STATES = {  # what the legend calls a node
    "chosen": "chosen",
    "meets": "meets the policy",
    "breaks": "would leave out too many rows",
    "counted": "counted",
    "uncounted": "not counted: ruled out by a bound",
}
LOOKS = {"chosen": AFTER, "meets": GOOD, "breaks": WARN, "counted": BEFORE, "uncounted": BEFORE}
SHAPES = {
    "chosen": "diamond",
    "meets": "circle",
    "breaks": "cross",
    "counted": "square",
    "uncounted": "circle",
}
STEPS = (  # up to this share of the way to *
    (0.0, "unchanged"),
    (0.34, "up to a third coarser"),
    (0.67, "up to two thirds"),
    (0.999, "nearly hidden"),
    (1.0, "hidden (*)"),
)


def lattice_chart(
    lattice: Lattice, links: Mapping[tuple[int, ...], str] | None = None
) -> alt.LayerChart:
    """Nodes by height, the finest at the bottom; ``links`` make marks links."""
    import altair as alt

    places = _places(lattice.nodes)
    rows = [
        {
            "x": places[node.levels],
            "height": node.height,
            "state": STATES[node.state],
            "said": _said(lattice, node),
            "href": (links or {}).get(node.levels),
            "size": 170 if node.state == "chosen" else 46,
            "told": " ".join(map(str, node.levels)) if node.state == "chosen" else "",
        }
        for node in lattice.nodes
    ]
    names = [STATES[one] for one in STATES if any(node.state == one for node in lattice.nodes)]
    keys = {words: state for state, words in STATES.items()}
    reach = max([abs(one) for one in places.values()], default=0) + 0.7
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-reach, reach], nice=False))
    y = alt.Y(
        "height:Q",
        title="steps taken up the hierarchies, over all columns",
        scale=alt.Scale(zero=False, padding=14, nice=False),
        axis=alt.Axis(tickMinStep=1, format="d", grid=False),
    )

    def looks(channel: Any, of: Mapping[str, str]) -> Any:
        scale = alt.Scale(domain=names, range=[of[keys[name]] for name in names])
        return channel("state:N", scale=scale, legend=alt.Legend(columns=2, columnPadding=60))

    hollow = {**LOOKS, "uncounted": "transparent"}
    marks = (
        alt.Chart(data(rows))
        .mark_point(strokeWidth=1.3, opacity=1)
        .encode(
            x=x,
            y=y,
            stroke=looks(alt.Stroke, LOOKS),
            fill=looks(alt.Fill, hollow),
            shape=looks(alt.Shape, SHAPES),
            description=alt.Description("said:N"),
            size=alt.Size("size:Q", scale=None, legend=None),
        )
    )
    if links:
        marks = marks.encode(href=alt.Href("href:N"))
    told = (
        alt.Chart(data(rows))
        .mark_text(dy=-14, fontWeight="bold")
        .encode(x=x, y=y, text=alt.Text("told:N"))
    )
    layers = [marks, told]
    if len(lattice.nodes) <= LINES:
        layers.insert(0, _lines(lattice.nodes, places).encode(x=x, y=y))
    tall = len({node.height for node in lattice.nodes})
    return layered(*layers, width=WIDE, height=max(90, 26 * tall))


def trace_chart(moments: Sequence[Moment], metric: str) -> alt.LayerChart:
    """The best cost so far and the bound below which nothing can be, over time."""
    import altair as alt

    rows: list[dict[str, Any]] = []
    for one in moments:
        for which, value in (("best found", one.cost), ("bound", one.bound)):
            if value is not None:
                rows.append(
                    {
                        "seconds": one.seconds,
                        "which": which,
                        "cost": value,
                        "said": f"{which} {number(value)} after {one.seconds:.3g} s",
                    }
                )
    looks = alt.Scale(domain=["best found", "bound"], range=[AFTER, WARN])
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "seconds:Q",
            title="seconds",
            scale=alt.Scale(domainMin=0),
            axis=alt.Axis(tickCount=6, grid=False),
        ),
        y=alt.Y("cost:Q", title=f"cost by {metric}", axis=alt.Axis(tickCount=5)),
        color=alt.Color("which:N", scale=looks),
    )
    line = base.mark_line(interpolate="step-after", strokeWidth=2).encode(
        strokeDash=alt.StrokeDash(
            "which:N", scale=alt.Scale(domain=["best found", "bound"], range=[[1, 0], [5, 3]])
        )
    )
    dots = base.mark_point(filled=True, size=26, opacity=1).encode(
        description=alt.Description("said:N")
    )
    return layered(line, dots, width=WIDE, height=200)


def cut_chart(column: CutColumn) -> alt.LayerChart:
    """The values of a column from left to right, and where it was cut."""
    import altair as alt

    rows = []
    for place, one in enumerate(column.intervals):
        wide = (one.last - one.first + 1) / max(1, column.values) * WIDE
        told = one.label if wide >= 7 * len(one.label) + 4 else ""
        rows.append(
            {
                "first": one.first,
                "last": one.last + 1,
                "told": told,
                "middle": (one.first + one.last + 1) / 2,
                "alpha": 0.45 if place % 2 else 0.85,
                "said": f"{one.label}: {one.before:,} rows before, {one.after:,} after",
            }
        )
    x = alt.X("first:Q", axis=None, scale=alt.Scale(domain=[0, max(1, column.values)], nice=False))
    base = alt.Chart(data(rows))
    drawn = base.mark_rect(color=AFTER, stroke=FORE, strokeWidth=0.5, y=0, y2=18).encode(
        x=x,
        x2=alt.X2("last:Q"),
        opacity=alt.Opacity("alpha:Q", scale=None, legend=None),
        description=alt.Description("said:N"),
    )
    told = base.mark_text(y=30, fontSize=TEXT - 1).encode(
        x=alt.X("middle:Q", axis=None), text=alt.Text("told:N")
    )
    return layered(drawn, told, width=WIDE, height=36)


def change_chart(changes: Sequence[Change]) -> alt.LayerChart:
    """The released rows of each column side by side, from cells as they were to cells hidden."""
    import altair as alt

    rows = []
    for place, change in enumerate(changes):
        held = [0] * len(STEPS)
        for far, count in change.steps:
            held[next(i for i, (most, _) in enumerate(STEPS) if far <= most)] += count
        for order, ((_, words), count) in enumerate(zip(STEPS, held, strict=True)):
            if count:
                share = count / change.rows
                rows.append(
                    {
                        "place": place,
                        "step": words,
                        "order": order,
                        "share": share,
                        "said": f"{change.column}: {count:,} rows {words}, {percent(share)}",
                    }
                )
    names = [{"place": place, "label": change.column} for place, change in enumerate(changes)]
    steps = [one for _, one in STEPS]
    y = alt.Y("place:O", axis=None, scale=alt.Scale(paddingInner=0.35))
    drawn = (
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
            description=alt.Description("said:N"),
        )
    )
    told = (
        alt.Chart(data(names))
        .mark_text(x=-8, align="right", limit=170)
        .encode(y=y, text=alt.Text("label:N"))
    )
    left = [str(one["label"]) for one in names]
    return layered(drawn, told, width=440, height=alt.Step(22), names=left)


def _places(nodes: Sequence[Node]) -> dict[tuple[int, ...], float]:
    """Each node's place in its row, rows being centred."""
    rows = defaultdict(list)
    for node in nodes:
        rows[node.height].append(node.levels)
    return {
        levels: at - (len(row) - 1) / 2 for row in rows.values() for at, levels in enumerate(row)
    }


def _lines(nodes: Sequence[Node], places: Mapping[tuple[int, ...], float]) -> alt.Chart:
    """From each node to those one step coarser."""
    import altair as alt

    rows = []
    for node in nodes:
        for a, level in enumerate(node.levels):
            up = (*node.levels[:a], level + 1, *node.levels[a + 1 :])
            if up in places:
                rows.append(
                    {
                        "x": places[node.levels],
                        "height": node.height,
                        "x2": places[up],
                        "y2": node.height + 1,
                    }
                )
    chart: alt.Chart = (
        alt.Chart(data(rows))
        .mark_rule(color=FORE, opacity=0.16, strokeWidth=1)
        .encode(x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"))
    )
    return chart


def _said(lattice: Lattice, node: Node) -> str:
    levels = ", ".join(f"{n} {level}" for n, level in zip(lattice.names, node.levels, strict=True))
    known = STATES[node.state]
    if node.suppressed is not None:
        known += f"; {node.suppressed:,} rows left out"
    if node.cost is not None:
        known += f"; cost {number(node.cost)}"
    return f"{levels}: {known}"
