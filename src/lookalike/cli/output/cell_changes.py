"""A heat strip for each column: the share of cells that are unchanged, generalized, or hidden."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

import lookalike as la
from lookalike import api
from lookalike.cli.output import layout as show
from lookalike.cli.terminal.safe_text import clean

WIDTH = 32
HEAT = (  # up to this share of the way to *: a sign that can be seen without color
    (0.0, "·", "green"),
    (0.34, "░", "yellow"),
    (0.67, "▒", "dark_orange"),
    (0.999, "▓", "red"),
    (1.0, "█", "bright_black"),
)
LEGEND = "· unchanged  ░ ▒ ▓ more and more general  █ hidden (*); each strip is one column"


def strip(change: la.Change, width: int = WIDTH) -> Text:
    """At least one character for each kind of cell that occurs."""
    rows = [0] * len(HEAT)
    for far, count in change.steps:
        rows[next(i for i, (upto, _, _) in enumerate(HEAT) if far <= upto)] += count
    text = Text()
    for (_, glyph, style), cells in zip(HEAT, _shares(rows, width), strict=True):
        text.append(glyph * cells, style=style)
    return text


def _shares(rows: list[int], width: int) -> list[int]:
    """``width`` characters in proportion to ``rows``, at least one for each number above 0."""
    total = sum(rows)
    if not total:
        return [0] * len(rows)
    cells = [max(1, round(count / total * width)) if count else 0 for count in rows]
    while sum(cells) != width:
        off = 1 if sum(cells) < width else -1
        spare = [i for i, count in enumerate(rows) if count and (off > 0 or cells[i] > 1)]
        most = max(spare, key=lambda i: off * (rows[i] / total * width - cells[i]))
        cells[most] += off
    return cells


def cell_changes(problem: api.Problem, solution: la.Solution) -> list[RenderableType]:
    """A strip a column, with how many of its cells changed, and how far on average.

    Nothing if all cells of a column go the same way.
    """
    recoding = solution.recoding
    if recoding is None or (applied := problem.apply(recoding)).uniform:
        return []
    table = show.ruled("column", "cells", "changed", "on average", right=(2, 3))
    for one in applied.changes():
        share = one.changed / one.rows if one.rows else 0.0
        mean = f"{show.percent(one.mean)} of the way to *"
        table.add_row(clean(one.column), strip(one), show.percent(share), mean)
    return show.section("Cells that changed", table, show.dim(LEGEND))
