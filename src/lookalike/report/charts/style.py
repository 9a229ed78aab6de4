"""How the charts of a report look: quiet, in the colour of the page's text, with few colours.

The colours are Okabe and Ito's, those of them that can be seen on white and on black alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

TEXT = 12
FORE = "currentColor"
BEFORE = "#8A8F98"  # a grey of middling lightness
AFTER = "#0072B2"
WARN = "#D55E00"
GOOD = "#009E73"
HEAT = ("#0072B2", "#4C9CCB", "#8FBCD8", "#C4CFD8", "#8A8F98")  # from as it is to hidden


def data(rows: Sequence[Mapping[str, Any]]) -> alt.InlineData:
    import altair as alt

    return alt.InlineData(values=[dict(row) for row in rows])


def layered(
    *layers: alt.Chart, width: int, height: Any, names: Sequence[str] = ()
) -> alt.LayerChart:
    """Layers as one chart, with the look of all of them; ``names`` stand on its left."""
    import altair as alt

    return alt.LayerChart(layer=[*layers], width=width, height=height, config=_look(names))


def looked(chart: Any) -> Any:
    """A chart with the look of all of them."""
    made = chart.copy(deep=False)
    made.config = _look()
    return made


def _look(names: Sequence[str] = ()) -> dict[str, Any]:
    """Names get room to spare: the reader's font may be wider than the one Vega measures by."""
    spare = 2 + round(0.2 * TEXT / 2 * min(26, max(map(len, names), default=0)))
    return {**LOOK, "padding": {"left": spare, "right": 2 + 2 * TEXT, "top": 2, "bottom": 2}}


# As one value: of a chain of configure_… every link copies the whole chart.
_PRINT = {"labelColor": FORE, "titleColor": FORE, "labelFontSize": TEXT, "titleFontSize": TEXT,
          "titleFontWeight": "normal"}  # fmt: skip
LOOK: dict[str, Any] = {
    "background": "transparent",
    "font": "Helvetica, Arial, sans-serif",
    "axis": {
        **_PRINT, "labelLimit": 220, "gridColor": FORE, "gridOpacity": 0.1,
        "domainColor": FORE, "domainOpacity": 0.4, "tickColor": FORE, "tickOpacity": 0.4,
    },
    "legend": {
        **_PRINT, "labelLimit": 0, "orient": "top", "title": None, "symbolStrokeWidth": 1.5,
        "columnPadding": 24,
    },
    "text": {"color": FORE, "fontSize": TEXT},
    "view": {"stroke": None},
}  # fmt: skip
