"""The comparison of algorithms: one table, or two if the terminal is narrow."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from lookalike import api
from lookalike.cli.output import layout as show

MAX_WIDTH = 150  # characters that the whole table needs at most


def comparison_report(comparison: api.Comparison) -> list[RenderableType]:
    """One row for each algorithm; below, why some did not run, and what the gaps are to."""
    parts: list[RenderableType] = [Rows(comparison)]
    refusals = [
        (row.algorithm, f"not run: {row.refusal}.")
        for row in comparison.rows
        if row.refusal is not None
    ]
    if refusals:
        parts += [show.BLANK, show.facts(refusals)]
    parts += [show.BLANK, *_bounds(comparison)]
    recodings = [
        (row.algorithm, str(row.solution.recoding))
        for row in comparison.rows
        if row.solution is not None and row.solution.recoding is not None
    ]
    return [
        *show.section(f"Algorithms on the same problem, {comparison.metric} minimized", *parts),
        *show.section("What the columns mean", show.facts(api.column_meanings(comparison))),
        *(show.section("Recodings", show.facts(recodings)) if recodings else []),
    ]


class Rows:
    """The table, split in two if the console is narrow."""

    def __init__(self, comparison: api.Comparison) -> None:
        self.comparison = comparison
        self.rows = [row for row in comparison.rows if row.solution is not None]
        costs = [row.solution.cost for row in self.rows if row.solution is not None and row.held]
        self.best = min((cost for cost in costs if cost is not None), default=None)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width >= MAX_WIDTH:
            yield self._table({**api.RESULT_COLUMNS, **api.SEARCH_COLUMNS})
        else:
            yield self._table(api.RESULT_COLUMNS)
            yield show.BLANK
            yield self._table(api.SEARCH_COLUMNS)

    def _table(self, columns: Mapping[str, api.ComparisonCell]) -> RenderableType:
        shown = api.used_columns(self.comparison, columns)
        numbers = [at for at, name in enumerate(shown, start=1) if name not in api.LEFT_ALIGNED]
        table = show.ruled("algorithm", *shown, right=numbers)
        for row in self.rows:
            solution = row.solution
            assert solution is not None
            best = row.held and solution.cost is not None and solution.cost == self.best
            style = "bold green" if best else "red" if row.held is False else ""
            cells = [Text(cell(row, solution), style=style) for cell in shown.values()]
            table.add_row(Text(row.algorithm, style=style), *cells)
        return table


def _bounds(comparison: api.Comparison) -> list[RenderableType]:
    sentence = api.bounds_sentence(comparison)
    infeasible = math.inf in comparison.bounds.values()
    return [Text(sentence, style="bold red" if infeasible else "dim")] if sentence else []
