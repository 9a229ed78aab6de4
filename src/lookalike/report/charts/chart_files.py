"""Write a chart as an HTML, SVG or PNG file."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.errors import Fault, FileError
from lookalike.tables.files.atomic_write import atomic_write

if TYPE_CHECKING:
    import altair as alt

SUFFIXES = (".html", ".svg", ".png")
VEGA_LITE = "6.4"  # the version that Altair 6 writes and vl-convert reads

# The menu of the page can save a picture. It does not offer Vega's editor, because that is another
# website, which would receive the numbers.
EMBED = {
    "renderer": "svg",
    "actions": {"export": True, "source": False, "compiled": False, "editor": False},
}

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<title>{title}</title>
<style>body {{ margin: 1.5rem; background: white; }}</style>
<script>{library}</script>
</head>
<body>
<div id="chart"></div>
<script>vegaEmbed("#chart", {spec}, {embed}).catch(console.error);</script>
</body>
</html>
"""


def check_suffix(path: Path) -> None:
    """Raise FileError unless the file extension is known."""
    if path.suffix.lower() not in SUFFIXES:
        fix = "use a name that ends in .html, .svg or .png"
        raise FileError(Fault(path.name or str(path), "unrecognized file extension", fix))


def save(chart: alt.LayerChart | alt.Chart, path: Path, *, force: bool = False) -> Path:
    """Write ``chart`` as ``.html``, ``.svg`` or ``.png``.

    An existing file is replaced only with ``force``. Like a release, the file is readable only by
    its owner (mode 0600).
    """
    check_suffix(path)
    content = _content(chart.to_dict(), path.suffix.lower())
    with atomic_write(path, force) as temporary:
        temporary.write_bytes(content)
    return path


def _content(spec: dict[str, Any], suffix: str) -> bytes:
    import vl_convert

    if suffix == ".svg":
        return vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE).encode()
    if suffix == ".png":
        return vl_convert.vegalite_to_png(spec, vl_version=VEGA_LITE, scale=2)
    page = PAGE.format(
        title=html.escape(_title(spec)),
        library=vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE),
        spec=_script(spec),
        embed=_script(EMBED),
    )
    return page.encode()


def _title(spec: Mapping[str, Any]) -> str:
    title = spec.get("title", "Chart")
    return str(title["text"] if isinstance(title, Mapping) else title)


def _script(value: Mapping[str, Any]) -> str:
    """JSON inside a script; a ``</script>`` in a label cannot end it."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")
