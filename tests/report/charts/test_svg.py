"""SVG for a page: uses its colors, has no style attributes, and its ids are unique in the page."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import altair as alt

from lookalike.report.charts.search_charts import lattice_chart, trace_chart
from lookalike.report.charts.svg import svg
from lookalike.report.facts.search import Lattice, LatticeNode
from lookalike.solution.solution import TracePoint


def chart(link: str = "", value: str = "a") -> alt.Chart:
    rows = [{"x": 1, "y": value, "link": link}, {"x": 2, "y": "b", "link": link}]
    drawn = alt.Chart(alt.InlineData(values=rows)).mark_bar(clip=True, cornerRadius=2)
    drawn = drawn.encode(x="x:Q", y="y:N")
    return drawn.encode(href="link:N") if link else drawn


def test_it_is_one_named_image_in_the_colours_of_the_page():
    text = svg(chart(), label='two <bars> & "more"')
    root = ElementTree.fromstring(text)
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'two <bars> & "more"'
    assert "style=" not in text
    assert "font-family" not in text
    assert all(one.get("fill") == "currentColor" for one in root.iter() if one.tag.endswith("text"))


def test_ids_are_its_own_and_do_not_change():
    one, same, other = svg(chart(), label="x"), svg(chart(), label="x"), svg(chart(), label="y")
    assert one == same
    ids = set(re.findall(r'id="([^"]+)"', one))
    assert ids
    assert ids.isdisjoint(re.findall(r'id="([^"]+)"', other))
    assert set(re.findall(r"url\(#([^)]+)\)", one)) <= ids


def test_marks_stay_links_to_where_they_were_meant_to_lead():
    for link in ("#node", "/lattice/1,2?a=1&b=2", "node/3"):
        text = svg(chart(link), label="links")
        root = ElementTree.fromstring(text)
        assert [one.get("href") for one in root.iter() if one.tag.endswith("}a")] == [link] * 2
        assert root.get("role") == "group"
        assert "vega.github.io" not in text


def test_cells_may_hold_what_xml_cannot():
    text = svg(chart(value="a\x00\ud800<b>"), label="\x07")
    ElementTree.fromstring(text)
    assert "<b>" not in text


def test_pictures_of_a_search_say_what_is_known():
    nodes = (
        LatticeNode((0, 0), "breaks", 9),
        LatticeNode((0, 1), "chosen", 2, 0.5),
        LatticeNode((1, 0), "pruned"),
        LatticeNode((1, 1), "meets", 0, 1.0),
    )
    text = svg(lattice_chart(Lattice(("age", "sex"), nodes)), label="lattice")
    assert "age 0, sex 1: chosen; 2 rows suppressed; cost 0.5" in text
    moments = (
        TracePoint(0.1, 1, None, 0.0),
        TracePoint(0.2, 2, 1.0, 0.2),
        TracePoint(0.3, 5, 0.5, 0.5),
    )
    assert "best so far 0.5 after 0.3 s" in svg(trace_chart(moments, "loss"), label="trace")
