"""A chart as SVG that stands inside a page: its colours follow the page, and nothing is fetched.

Vega draws for files of their own. For a page the drawing is cleaned: text in the font of the page,
ids that no other chart of the page has, no ``style`` attribute (a strict content security policy
forbids them), one name for those who cannot see it in place of a name for every axis. What a mark
says of itself becomes its ``<title>``, which browsers show when it is pointed at.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from lookalike.report.charts.picture_files import VEGA_LITE

if TYPE_CHECKING:
    import altair as alt

SVG = "http://www.w3.org/2000/svg"
LINK = "{http://www.w3.org/1999/xlink}href"
ELSEWHERE = "https://vega.github.io/vega-datasets/"  # vl-convert puts it before relative links
UNREADABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
REFERENCE = re.compile(r"url\(#([^)]*)\)")
PARTS = {"axis", "legend", "title", "text mark"}  # their text can be read as it is
NEEDLESS = {"style", "class", "role", "font-family", "pointer-events", "cursor", "version"}
INK = ("#000", "#000000", "black")  # as Vega draws what no colour was chosen for


def svg(chart: alt.TopLevelMixin, *, label: str) -> str:
    """``chart`` as SVG to put into a page; ``label`` says in words what there is to see.

    Marks with an ``href`` are links. A picture with links is a group of them for those who cannot
    see it (``role="group"``, each link named by what its mark says); any other is one image.
    """
    import vl_convert

    spec = _readable(chart.to_dict(validate=False))  # its parts were, when they were made
    drawn = ElementTree.fromstring(vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE))
    links = any(one.tag == f"{{{SVG}}}a" for one in drawn.iter())
    _prune(drawn)
    for element in list(drawn.iter()):
        _clean(element)
    _rename(drawn, label)
    drawn.set("class", "chart")
    drawn.set("role", "group" if links else "img")
    drawn.set("aria-label", _readable(label))
    for element in drawn.iter():
        element.tag = element.tag.removeprefix(f"{{{SVG}}}")
    drawn.set("xmlns", SVG)
    return ElementTree.tostring(drawn, encoding="unicode")


def _readable(value: Any) -> Any:
    """The same without the control characters that XML has no place for: a cell may hold any."""
    if isinstance(value, str):
        return UNREADABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_readable(key): _readable(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_readable(one) for one in value]
    return value


def _prune(parent: ElementTree.Element) -> None:
    """Without what cannot be seen: empty backgrounds and foregrounds, of which Vega draws many."""
    for child in list(parent):
        _prune(child)
        if _unseen(child):
            parent.remove(child)


def _unseen(element: ElementTree.Element) -> bool:
    if element.get("display") == "none":
        return True
    if element.tag == f"{{{SVG}}}g":
        return not len(element)
    painted = element.get("fill") or element.get("stroke")
    return element.get("class") == "background" and not painted


def _clean(element: ElementTree.Element) -> None:
    kind, said = element.get("aria-roledescription"), element.get("aria-label")
    for name in [name for name in element.attrib if name.startswith("aria-") or name in NEEDLESS]:
        del element.attrib[name]
    for name in ("fill", "stroke"):
        if element.get(name) in INK:
            element.set(name, "currentColor")
    if element.get("opacity") == "1":
        del element.attrib["opacity"]
    if said and kind and kind not in PARTS:
        title = ElementTree.Element(f"{{{SVG}}}title")
        title.text = said
        element.insert(0, title)
    if element.tag == f"{{{SVG}}}a":
        element.set("href", element.attrib.pop(LINK, "").removeprefix(ELSEWHERE))
        marks = [mark.get("aria-label") for mark in element if mark.get("aria-label")]
        if marks:
            element.set("aria-label", str(marks[0]))


def _rename(drawn: ElementTree.Element, label: str) -> None:
    """Ids that tell this drawing from others: Vega numbers clips anew, or as it comes."""
    known = [element for element in drawn.iter() if element.get("id")]
    places = {str(element.get("id")): str(place) for place, element in enumerate(known)}
    _refer(drawn, places)
    told = ElementTree.tostring(drawn) + label.encode(errors="replace")
    prefix = "chart-" + hashlib.sha256(told).hexdigest()[:10]
    _refer(drawn, {place: f"{prefix}-{place}" for place in places.values()})


def _refer(drawn: ElementTree.Element, names: dict[str, str]) -> None:
    for element in drawn.iter():
        if (own := element.get("id")) in names:
            element.set("id", names[str(own)])
        for attribute, value in element.attrib.items():
            if found := REFERENCE.fullmatch(value):
                element.set(attribute, f"url(#{names[found[1]]})")
