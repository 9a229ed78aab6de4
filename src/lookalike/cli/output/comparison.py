"""Algorithms side by side: one table if the terminal is wide enough, else the same in two."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.text import Text

from lookalike.cli.output import layout as show
from lookalike.search.comparison_text import (
    LEFT_ALIGNED,
    RESULT,
    SEARCH,
    bounds_sentence,
    used,
)

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from lookalike.search.compare import Comparison
    from lookalike.search.comparison_text import Cell

WIDE = 150  # characters that the whole table takes at most


def comparison(found: Comparison) -> list[RenderableType]:
    """One row an algorithm; those that refused say why, below, and what the gaps are to."""
    parts: list[RenderableType] = [Rows(found)]
    refusals = [
        (Text(row.algorithm), Text(f"not run: {row.refusal}."))
        for row in found.rows
        if row.refusal is not None
    ]
    if refusals:
        parts += [show.BLANK, show.facts(refusals)]
    parts += [show.BLANK, *_bounds(found)]
    recodings = [
        (Text(row.algorithm), Text(str(row.solution.recoding)))
        for row in found.rows
        if row.solution is not None and row.solution.recoding is not None
    ]
    return [
        *show.section(f"Algorithms on the same problem, {found.metric} minimized", *parts),
        *(show.section("What they do", show.facts(recodings)) if recodings else []),
    ]


class Rows:
    """The table itself, which looks at the width it has."""

    def __init__(self, found: Comparison) -> None:
        self.found = found
        self.rows = [row for row in found.rows if row.solution is not None]
        costs = [row.solution.cost for row in self.rows if row.solution is not None and row.held]
        self.best = min((cost for cost in costs if cost is not None), default=None)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width >= WIDE:
            yield self._table({**RESULT, **SEARCH})
        else:
            yield self._table(RESULT)
            yield show.BLANK
            yield self._table(SEARCH)

    def _table(self, columns: Mapping[str, Cell]) -> RenderableType:
        shown = used(self.found, columns)
        numbers = [at for at, name in enumerate(shown, start=1) if name not in LEFT_ALIGNED]
        table = show.ruled("algorithm", *shown, right=numbers)
        for row in self.rows:
            solution = row.solution
            assert solution is not None
            best = row.held and solution.cost is not None and solution.cost == self.best
            style = "bold green" if best else "red" if row.held is False else ""
            cells = [Text(cell(row, solution), style=style) for cell in shown.values()]
            table.add_row(Text(row.algorithm, style=style), *cells)
        return table


def _bounds(found: Comparison) -> list[RenderableType]:
    told = bounds_sentence(found)
    proved = any(math.isinf(bound) and bound > 0 for bound in found.bounds.values())
    return [Text(told, style="bold red" if proved else "dim")] if told else []
