"""A chart as SVG inside a page, in the colors and the font of the page.

Vega draws SVG for separate files. For a page, the drawing is changed: ids are unique in the page,
``style`` attributes are removed (a strict content security policy forbids them), and one label
for screen readers replaces the labels of all axes. The description of a mark becomes its
``<title>``, which browsers show as a tooltip.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from lookalike.report.charts.chart_files import VEGA_LITE

if TYPE_CHECKING:
    import altair as alt

SVG = "http://www.w3.org/2000/svg"
LINK = "{http://www.w3.org/1999/xlink}href"
VEGA_HOST = "https://vega.github.io/vega-datasets/"  # vl-convert puts it before relative links
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
REFERENCE = re.compile(r"url\(#([^)]*)\)")
PARTS = {"axis", "legend", "title", "text mark"}  # their texts need no description
REMOVED = {"style", "class", "role", "font-family", "pointer-events", "cursor", "version"}
DEFAULT_COLORS = ("#000", "#000000", "black")  # where no color was chosen


def svg(chart: alt.TopLevelMixin, *, label: str) -> str:
    """``chart`` as SVG for a page; ``label`` describes it for screen readers.

    Marks with an ``href`` are links. For a screen reader, a chart with links is a group of links
    (``role="group"``), each named by the description of its mark; any other chart is an image.
    """
    import vl_convert

    spec = _valid_text(chart.to_dict(validate=False))  # its parts were validated when made
    drawn = ElementTree.fromstring(vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE))
    has_links = any(element.tag == f"{{{SVG}}}a" for element in drawn.iter())
    _prune(drawn)
    for element in list(drawn.iter()):
        _clean(element)
    _rename(drawn, label)
    drawn.set("class", "chart")
    drawn.set("role", "group" if has_links else "img")
    drawn.set("aria-label", _valid_text(label))
    for element in drawn.iter():
        element.tag = element.tag.removeprefix(f"{{{SVG}}}")
    drawn.set("xmlns", SVG)
    return ElementTree.tostring(drawn, encoding="unicode")


def _valid_text(value: Any) -> Any:
    """Without the control characters that XML forbids, which a cell may contain."""
    if isinstance(value, str):
        return NOT_XML.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_valid_text(key): _valid_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_valid_text(item) for item in value]
    return value


def _prune(parent: ElementTree.Element) -> None:
    """Remove invisible elements, of which Vega draws many."""
    for child in list(parent):
        _prune(child)
        if _is_invisible(child):
            parent.remove(child)


def _is_invisible(element: ElementTree.Element) -> bool:
    if element.get("display") == "none":
        return True
    if element.tag == f"{{{SVG}}}g":
        return not len(element)
    painted = element.get("fill") or element.get("stroke")
    return element.get("class") == "background" and not painted


def _clean(element: ElementTree.Element) -> None:
    kind, description = element.get("aria-roledescription"), element.get("aria-label")
    for name in [name for name in element.attrib if name.startswith("aria-") or name in REMOVED]:
        del element.attrib[name]
    for name in ("fill", "stroke"):
        if element.get(name) in DEFAULT_COLORS:
            element.set(name, "currentColor")
    if element.get("opacity") == "1":
        del element.attrib["opacity"]
    if description and kind and kind not in PARTS:
        title = ElementTree.Element(f"{{{SVG}}}title")
        title.text = description
        element.insert(0, title)
    if element.tag == f"{{{SVG}}}a":
        element.set("href", element.attrib.pop(LINK, "").removeprefix(VEGA_HOST))
        marks = [mark.get("aria-label") for mark in element if mark.get("aria-label")]
        if marks:
            element.set("aria-label", str(marks[0]))


def _rename(drawn: ElementTree.Element, label: str) -> None:
    """Make ids unique in the page: Vega numbers them in each chart."""
    known = [element for element in drawn.iter() if element.get("id")]
    places = {str(element.get("id")): str(place) for place, element in enumerate(known)}
    _replace_ids(drawn, places)
    content = ElementTree.tostring(drawn) + label.encode(errors="replace")
    prefix = "chart-" + hashlib.sha256(content).hexdigest()[:10]
    _replace_ids(drawn, {place: f"{prefix}-{place}" for place in places.values()})


def _replace_ids(drawn: ElementTree.Element, names: dict[str, str]) -> None:
    for element in drawn.iter():
        if (own := element.get("id")) in names:
            element.set("id", names[str(own)])
        for attribute, value in element.attrib.items():
            if match := REFERENCE.fullmatch(value):
                element.set(attribute, f"url(#{names[match[1]]})")
