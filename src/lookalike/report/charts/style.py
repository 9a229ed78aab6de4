"""The style of the charts in reports: few colors, text in the color of the page.

The colors are those of Okabe and Ito that are visible on white and on black.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

TEXT = 12
FORE = "currentColor"
BEFORE = "#8A8F98"  # a medium gray
AFTER = "#0072B2"
WARN = "#D55E00"
GOOD = "#009E73"
HEAT = ("#0072B2", "#4C9CCB", "#8FBCD8", "#C4CFD8", "#8A8F98")  # from unchanged to hidden


def data(rows: Sequence[Mapping[str, Any]]) -> alt.InlineData:
    import altair as alt

    return alt.InlineData(values=[dict(row) for row in rows])


def layered(
    *layers: alt.Chart, width: int, height: Any, names: Sequence[Mapping[str, Any]] = ()
) -> alt.LayerChart:
    """Layers as one chart in the common style; ``names`` are the rows with a label on its left."""
    import altair as alt

    labels = [row["label"] for row in names]
    return alt.LayerChart(layer=[*layers], width=width, height=height, config=_config(labels))


def row_names(rows: Sequence[Mapping[str, Any]], y: alt.Y, limit: int, gap: int = 8) -> alt.Chart:
    """The ``label`` of each row, left of the chart, at most ``limit`` pixels wide."""
    import altair as alt

    texts = alt.Chart(data(rows)).mark_text(x=-gap, align="right", limit=limit)
    names: alt.Chart = texts.encode(y=y, text="label:N")
    return names


def styled(chart: Any) -> Any:
    """A chart in the common style."""
    copy = chart.copy(deep=False)
    copy.config = _config()
    return copy


def _config(names: Sequence[str] = ()) -> dict[str, Any]:
    """With spare space for names: the reader's font may be wider than the one Vega measures."""
    spare = 2 + round(0.2 * TEXT / 2 * min(26, max(map(len, names), default=0)))
    return {**CONFIG, "padding": {"left": spare, "right": 2 + 2 * TEXT, "top": 2, "bottom": 2}}


# One value, because each configure_… method would copy the whole chart.
_LABELS = {"labelColor": FORE, "titleColor": FORE, "labelFontSize": TEXT, "titleFontSize": TEXT,
          "titleFontWeight": "normal"}  # fmt: skip
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "Helvetica, Arial, sans-serif",
    "axis": {
        **_LABELS, "labelLimit": 220, "gridColor": FORE, "gridOpacity": 0.1,
        "domainColor": FORE, "domainOpacity": 0.4, "tickColor": FORE, "tickOpacity": 0.4,
    },
    "legend": {
        **_LABELS, "labelLimit": 0, "orient": "top", "title": None, "symbolStrokeWidth": 1.5,
        "columnPadding": 24,
    },
    "text": {"color": FORE, "fontSize": TEXT},
    "view": {"stroke": None},
}  # fmt: skip
