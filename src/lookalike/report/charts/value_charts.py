"""Charts of values: distributions, levels, class sizes, suppressed rows, associations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from lookalike.report.charts.style import (
    AFTER,
    BEFORE,
    FORE,
    TEXT,
    WARN,
    data,
    layered,
    row_names,
)
from lookalike.report.number_format import percent

if TYPE_CHECKING:
    from lookalike.report.facts.association import Pair
    from lookalike.report.facts.search import Ladder
    from lookalike.report.facts.suppressed_rows import Hit
    from lookalike.report.facts.value_distributions import Distribution
    from lookalike.risks.table_risk import Risk

NAME_WIDTH = 150  # pixels for the names of values
BAR_WIDTH = 190  # pixels of the longest bar
WIDTH = 560  # pixels of the chart of class sizes


def distribution_chart(column: Distribution) -> alt.LayerChart:
    """Shares of rows, a bar before and a bar after for each value."""
    rows = []
    for place, bar in enumerate(column.bars):
        for which, held, total in (
            ("before", bar.before, column.before),
            ("after", bar.after, column.after),
        ):
            if held is not None and total is not None:
                share = held / total if total else 0.0
                rows.append(
                    {
                        "place": place,
                        "label": bar.label,
                        "which": which,
                        "share": share,
                        "description": f"{bar.label}: {held:,} rows {which}, {percent(share)}",
                        "text": percent(share),
                        "alpha": 0.55 if bar.pooled else 1,
                    }
                )
    return _bars(rows, both=column.compared)


def ladder_chart(ladder: Ladder) -> alt.LayerChart:
    """The levels of a column, and the share of the released rows at each."""
    total = sum(ladder.rows)
    rows = [
        {
            "place": level,
            "label": ladder.levels[level],
            "which": "after",
            "share": held / total if total else 0.0,
            "text": percent(held / total) if held else "",
            "description": f"{ladder.levels[level]}: {held:,} rows",
            "alpha": 1,
        }
        for level, held in enumerate(ladder.rows)
    ]
    return _bars(rows, both=False, longest=1.0)


def class_size_chart(before: Risk | None, after: Risk, labels: Sequence[str]) -> alt.LayerChart:
    """Rows by the size of their equivalence class; ``labels`` name the bars."""
    rows = []
    for which, risk in (("before", before), ("after", after)):
        if risk is None:
            continue
        for place, (bar, size) in enumerate(zip(risk.histogram, labels, strict=True)):
            share = bar.rows / risk.rows if risk.rows else 0.0
            rows.append(
                {
                    "place": place,
                    "size": size,
                    "which": which,
                    "share": share,
                    "description": f"{which}: {bar.rows:,} rows in classes of {size}",
                    "text": percent(share) if bar.rows else "",
                }
            )
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "size:N",
            sort=[*labels],
            title="rows in the equivalence class",
            axis=alt.Axis(labelAngle=0, ticks=False),
        ),
        xOffset=alt.XOffset("which:N", sort=["before", "after"]),
        y=alt.Y(
            "share:Q",
            title="share of rows",
            scale=alt.Scale(domain=[0, 1.08], nice=False),
            axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], domain=False),
        ),
    )
    bars = base.mark_bar(cornerRadiusTopLeft=2, cornerRadiusTopRight=2).encode(
        color=_color(before is not None), description="description:N"
    )
    texts = base.mark_text(baseline="bottom", dy=-3, fontSize=TEXT - 2).encode(text="text:N")
    return layered(bars, texts, width=WIDTH, height=190)


def suppression_chart(hits: Sequence[Hit], overall: float) -> alt.LayerChart:
    """The share of suppressed rows for each value; the dashed line is the share of all rows."""
    rows = [
        {
            "place": place,
            "label": f"{hit.column}: {hit.value}",
            "share": hit.share,
            "text": f"{percent(hit.share)}  ({hit.suppressed:,} of {hit.rows:,})",
            "description": f"{hit.column} {hit.value}: "
            f"{hit.suppressed:,} of {hit.rows:,} rows suppressed",
        }
        for place, hit in enumerate(hits)
    ]
    highest = max([overall, *(hit.share for hit in hits)])
    y = alt.Y("place:O", axis=None)
    x = alt.X(
        "share:Q",
        title="share of rows suppressed",
        scale=alt.Scale(domain=[0, highest * 1.05]),
        axis=alt.Axis(format="~%", tickCount=4),
    )
    base = alt.Chart(data(rows))
    bars = base.mark_bar(color=WARN, cornerRadiusEnd=2, height=10).encode(
        x=x, y=y, description="description:N"
    )
    texts = base.mark_text(align="left", dx=6).encode(x=x, y=y, text="text:N")
    average = data([{"share": overall, "description": f"all rows: {percent(overall)}"}])
    line = alt.Chart(average).mark_rule(strokeDash=[4, 3], color=FORE, strokeWidth=1.5)
    rule = line.encode(x=x, description="description:N")
    layers = (bars, rule, row_names(rows, y, 230), texts)
    return layered(*layers, width=330, height=alt.Step(22), names=rows)


def association_chart(pairs: Sequence[Pair]) -> alt.LayerChart:
    """A hollow mark for before and a filled one for after, for each pair of columns."""
    rows, lines = [], []
    for place, pair in enumerate(pairs):
        label = f"{pair.first} – {pair.second}"
        for which, value in (("before", pair.before), ("after", pair.after)):
            if value is not None:
                words = f"{label}: {value:.2f} {which}"
                rows.append({"place": place, "which": which, "v": value, "description": words})
        lines.append({"place": place, "label": label, "v": pair.before, "v2": pair.after})
    y = alt.Y("place:O", axis=None)
    ticks = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f")
    x = alt.X("v:Q", title="Cramér's V", scale=alt.Scale(domain=[0, 1]), axis=ticks)
    joined = [line for line in lines if line["v"] is not None and line["v2"] is not None]
    rules = alt.Chart(data(joined)).mark_rule(color=FORE, opacity=0.35)
    span = rules.encode(x=x, x2="v2:Q", y=y)
    dots = (
        alt.Chart(data(rows))
        .mark_point(size=70, strokeWidth=2, opacity=1)
        .encode(
            x=x,
            y=y,
            stroke=_which(alt.Stroke, [BEFORE, AFTER], alt.Legend()),
            fill=_which(alt.Fill, ["transparent", AFTER], alt.Legend()),
            description="description:N",
        )
    )
    names = row_names(lines, y, 230, gap=10)
    return layered(span, dots, names, width=380, height=alt.Step(22), names=lines)


def _bars(
    rows: list[dict[str, Any]], *, both: bool, longest: float | None = None
) -> alt.LayerChart:
    top = longest or max([row["share"] for row in rows], default=1.0) or 1.0
    y = alt.Y("place:O", axis=None, scale=alt.Scale(paddingInner=0.28))
    x = alt.X("share:Q", axis=None, scale=alt.Scale(domain=[0, top], nice=False))
    base = alt.Chart(data(rows)).encode(y=y)
    bars = base.mark_bar(cornerRadiusEnd=2).encode(
        x=x,
        color=_color(both),
        opacity=alt.Opacity("alpha:Q", scale=None, legend=None),
        description="description:N",
    )
    texts = base.mark_text(align="left", dx=5, fontSize=TEXT - 2).encode(x=x, text="text:N")
    if both:
        offset = alt.YOffset("which:N", sort=["before", "after"])
        bars, texts = bars.encode(yOffset=offset), texts.encode(yOffset=offset)
    by_place = {row["place"]: row for row in reversed(rows)}
    firsts = [by_place[place] for place in sorted(by_place)]
    step = alt.Step(10 if both else 19)
    names = row_names(firsts, y, NAME_WIDTH)
    return layered(bars, texts, names, width=BAR_WIDTH, height=step, names=firsts)


def _which(channel: Any, looks: Sequence[str], legend: alt.Legend | None) -> Any:
    """Before and after, by color."""
    order = ["before", "after"]
    scale = alt.Scale(domain=order, range=[*looks])
    return channel("which:N", scale=scale, legend=legend, sort=order)


def _color(both: bool) -> Any:
    return _which(alt.Color, [BEFORE, AFTER], alt.Legend(symbolType="square") if both else None)
