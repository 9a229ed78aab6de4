"""Charts say what they were given, and their files come whole, alone and never unasked."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from itertools import combinations

import pytest

from lookalike.errors import FileError
from lookalike.report.charts import axis_scale
from lookalike.report.charts import comparison_charts as charts
from lookalike.report.charts.chart_files import save
from lookalike.report.charts.comparison_charts import Point, lines, quality_against_time

POINTS = [
    Point("Flash", 0.03, 0.2, True, "full-domain", 0.0),
    Point("Datafly", 0.009, 0.31, True, "full-domain", 0.36),
    Point("Mondrian", 0.05, 0.13, True, "cell-level", None),
    Point("μ-Argus", 0.02, 0.12, False, "cell-level", None),
]
ROWS = [
    {"system": system, "k": k, "u": k * factor}
    for k in (2, 5, 10)
    for factor, system in enumerate(("Flash", "Datafly"), 1)
]


def drawn(points=POINTS, bounds=None):
    return quality_against_time(points, "loss", {"full-domain": 0.2} if bounds is None else bounds)


def values(chart, mark):
    """All rows behind the layers of one kind of mark."""
    spec = chart.to_dict()
    for layer in spec["layer"]:
        if layer["mark"]["type"] == mark:
            data = layer.get("data", spec.get("data"))
            yield from spec["datasets"][data["name"]] if "name" in data else data["values"]


def by_k(rows=ROWS):
    return lines(rows, "k", "u", "system", title="Time", subtitle="", x_title="k", y_title="u")


def test_every_system_has_a_mark_and_a_label():
    systems = {point.system for point in POINTS}
    assert {row["system"] for row in values(drawn(), "point")} == systems
    assert systems < {row["label"] for row in values(drawn(), "text")}


def test_a_mark_stands_at_its_time_and_cost():
    found = {(row["system"], row["seconds"], row["cost"]) for row in values(drawn(), "point")}
    assert found == {(point.system, point.seconds, point.cost) for point in POINTS}


def test_a_result_that_does_not_hold_is_hollow_and_named_in_the_legend():
    kinds = {row["system"]: row["kind"] for row in values(drawn(), "point")}
    assert kinds["Mondrian"] == "cell-level"
    assert kinds["μ-Argus"] == "cell-level, requirement not met"
    marks = next(one for one in drawn().to_dict()["layer"] if one["mark"]["type"] == "point")
    scale = marks["encoding"]["fill"]["scale"]
    inside = dict(zip(scale["domain"], scale["range"], strict=True))
    assert {kind for kind in inside if inside[kind] == "white"} == {kinds["μ-Argus"]}


@pytest.mark.parametrize("nothing", [0.0, -math.inf, math.inf, math.nan])
def test_a_bound_that_says_nothing_is_left_out(nothing):
    chart = drawn(bounds={"full-domain": 0.2, "cell-level": nothing})
    assert [row["cost"] for row in values(chart, "rule") if "x2" not in row] == [0.2]


def test_without_a_bound_the_subtitle_mentions_none():
    assert "dashed" in drawn().to_dict()["title"]["subtitle"]
    assert "dashed" not in drawn(bounds={}).to_dict()["title"]["subtitle"]


def test_labels_of_a_crowd_stay_in_the_plot_and_clear_of_one_another():
    crowd = [Point(f"system {n}", 0.1 + n / 500, 0.2, True, "cell-level", None) for n in range(12)]
    across = axis_scale.log_axis([point.seconds for point in crowd], charts.WIDTH)
    up = axis_scale.linear_axis([0.2, 0.19], charts.HEIGHT)
    boxes = [one.box for one in charts._labels(crowd, {"cell-level": 0.2, "x": 0.19}, across, up)]
    assert len(boxes) == 14
    assert all(box.is_inside() for box in boxes)
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_a_label_far_from_its_mark_has_a_line():
    crowd = [Point(f"system {n}", 0.1, 0.2, True, "cell-level", None) for n in range(5)]
    assert [row for row in values(drawn(crowd), "rule") if "x2" in row]
    assert not [row for row in values(drawn(crowd[:1]), "rule") if "x2" in row]


@pytest.mark.parametrize("log", [False, True])
def test_an_axis_finds_its_way_back(log):
    axis = (axis_scale.log_axis if log else axis_scale.linear_axis)([0.03, 7.0], 700)
    assert 0 < axis.pixel(0.03) < axis.pixel(7.0) < 700
    assert axis.value(axis.pixel(0.4)) == pytest.approx(0.4)


@pytest.mark.parametrize("seconds", [0.0, 5e-9])
def test_a_time_too_short_for_a_log_scale_is_drawn(seconds):
    chart = drawn([Point("Flash", seconds, 0.0, True, "full-domain", 0.0)], {})
    assert "NaN" not in json.dumps(chart.to_dict(), allow_nan=False)


@pytest.mark.parametrize(("seconds", "cost"), [(-1, 0), (math.nan, 0), (1, math.inf)])
def test_a_point_is_made_of_numbers(seconds, cost):
    with pytest.raises(ValueError, match="Flash"):
        Point("Flash", seconds, cost, True, "cell-level", None)


def test_a_chart_of_nothing_is_refused():
    with pytest.raises(ValueError, match="no points"):
        drawn([])
    with pytest.raises(ValueError, match="no rows"):
        by_k([{"system": "Flash", "k": 2, "u": 0.0}])


def test_lines_hold_every_row_and_name_every_system():
    spec = by_k().to_dict()
    assert [row for data in spec["datasets"].values() for row in data] == ROWS
    for layer in spec["layer"]:
        assert layer["encoding"]["color"]["scale"]["domain"] == ["Flash", "Datafly"]
        assert layer["encoding"]["y"]["scale"]["type"] == "log"


@pytest.mark.parametrize("chart", [drawn, by_k])
@pytest.mark.parametrize(
    ("suffix", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG\r\n"), (".PNG", b"\x89PNG\r\n")]
)
def test_a_picture_is_of_the_kind_its_name_says(tmp_path, chart, suffix, start):
    path = save(chart(), tmp_path / f"chart{suffix}")
    assert path.read_bytes().startswith(start)


def test_an_svg_shows_the_names(tmp_path):
    text = save(drawn(), tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert all(f">{point.system}</text>" in text for point in POINTS)


def test_a_page_needs_no_network_and_offers_none(tmp_path):
    page = save(drawn(), tmp_path / "chart.html").read_text(encoding="utf-8")
    assert "vegaEmbed" in page
    assert "Mondrian" in page
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|<link|@import|cdn\b""", page)
    assert '"editor": false' in page


def test_a_name_cannot_break_out_of_the_page(tmp_path):
    evil = Point("</script><b>", 1.0, 0.2, True, "cell-level", None)
    page = save(drawn([evil]), tmp_path / "chart.html").read_text(encoding="utf-8")
    assert "</script><b>" not in page
    assert page.count("</script>") == 2


@pytest.mark.parametrize("name", ["chart.pdf", "chart"])
def test_another_kind_of_file_is_a_fault_that_names_the_three(tmp_path, name):
    with pytest.raises(FileError) as caught:
        save(drawn(), tmp_path / name)
    (fault,) = caught.value.faults
    assert fault.where == name
    assert all(kind in fault.fix for kind in (".html", ".svg", ".png"))
    assert not list(tmp_path.iterdir())


def test_an_existing_file_is_kept_unless_forced(tmp_path):
    path = tmp_path / "chart.svg"
    path.write_text("mine")
    with pytest.raises(FileError, match="exists"):
        save(drawn(), path)
    assert path.read_text() == "mine"
    save(drawn(), path, force=True)
    assert path.read_text().startswith("<svg")


def test_a_chart_that_cannot_be_drawn_leaves_the_old_file(tmp_path, monkeypatch):
    import vl_convert

    def fails(*args, **kwargs):
        raise ValueError("not drawn")

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", fails)
    path = tmp_path / "chart.svg"
    path.write_text("old")
    with pytest.raises(ValueError, match="not drawn"):
        save(drawn(), path, force=True)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("chart.svg", "old")]


def test_a_file_name_is_checked_without_altair():
    code = (
        "import sys\n"
        "from lookalike.report.charts import chart_files\n"
        "assert not {'altair', 'vl_convert'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
