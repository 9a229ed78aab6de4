"""Algorithms side by side: one table if the terminal is wide enough, else the same in two."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from lookalike.cli import show
from lookalike.solution.recoding import CellMap, Levels
from lookalike.solution.solution import UNKNOWN_GAP

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from lookalike.search.compare import Comparison, Row
    from lookalike.solution.solution import Solution

Cell = Callable[["Row", "Solution"], str]

WIDE = 150  # characters that the whole table takes at most
RESULT: dict[str, Cell] = {
    "result": lambda row, s: str(s.status) + ("" if s.stop == "finished" else f" ({s.stop})"),
    "k held": lambda row, s: "–" if row.held is None else "yes" if row.held else "no",
    "Prec": lambda row, s: _measure(row, "precision", lambda cost: f"{1 - cost:.4f}"),
    "loss": lambda row, s: _measure(row, "loss", lambda cost: f"{cost:.4f}"),
    "DM": lambda row, s: _measure(row, "discernibility", lambda cost: f"{cost:,.0f}"),
    "CM": lambda row, s: _measure(row, "classification", lambda cost: f"{cost:,.0f}"),
}
SEARCH: dict[str, Cell] = {
    "rows out": lambda row, s: f"{s.suppressed:,}",
    "cells *": lambda row, s: f"{row.stars:,}",
    "classes": lambda row, s: f"{s.classes:,}",
    "counted": lambda row, s: f"{s.checks:,}",
    "time": lambda row, s: show.seconds(s.seconds),
    "bound": lambda row, s: f"{s.bound:.4g}" if row.held and math.isfinite(s.bound) else "–",
    "gap": lambda row, s: _gap(row.gap),
}
LEFT = {"result", "k held"}


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
        (Text(row.algorithm), Text(_recoding(row.solution)))
        for row in found.rows
        if row.solution is not None and row.solution.recoding is not None
    ]
    return [
        *show.section(f"Algorithms on the same problem, {found.metric} kept small", *parts),
        *(show.section("What they do", show.facts(recodings)) if recodings else []),
    ]


class Rows:
    """The table itself, which looks at the width it has."""

    def __init__(self, found: Comparison) -> None:
        self.rows = [row for row in found.rows if row.solution is not None]
        costs = [row.solution.cost for row in self.rows if row.solution is not None and row.held]
        self.best = min((cost for cost in costs if cost is not None), default=None)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width >= WIDE:
            yield self._table(RESULT | SEARCH)
        else:
            yield self._table(RESULT)
            yield show.BLANK
            yield self._table(SEARCH)

    def _table(self, columns: dict[str, Cell]) -> RenderableType:
        used = {
            name: cell
            for name, cell in columns.items()
            if name != "CM" or any("classification" in row.measures for row in self.rows)
        }
        numbers = [at for at, name in enumerate(used, start=1) if name not in LEFT]
        table = show.ruled("algorithm", *used, right=numbers)
        for row in self.rows:
            solution = row.solution
            assert solution is not None
            best = row.held and solution.cost is not None and solution.cost == self.best
            style = "bold green" if best else "red" if row.held is False else ""
            cells = [Text(cell(row, solution), style=style) for cell in used.values()]
            table.add_row(Text(row.algorithm, style=style), *cells)
        return table


def _gap(gap: float | None) -> str:
    if gap is None or gap >= UNKNOWN_GAP:
        return "–"
    return "0" if gap == 0 else f"{gap:.1%}"


def _measure(row: Row, name: str, shown: Callable[[float], str]) -> str:
    return shown(row.measures[name]) if name in row.measures else "–"


def _bounds(found: Comparison) -> list[RenderableType]:
    if any(math.isinf(bound) and bound > 0 for bound in found.bounds.values()):
        proved = "No full-domain recoding meets the policy, and that is proved."
        return [Text(proved, style="bold red")]
    told = [
        f"No {space} recoding that meets the policy costs less than {bound:.6g}."
        for space, bound in found.bounds.items()
        if math.isfinite(bound) and bound
    ]
    return [Text(" ".join([*told, "Gaps are to these bounds."]), style="dim")] if told else []


def _recoding(solution: Solution) -> str:
    """Levels, or how far the cells of each column went on average."""
    recoding = solution.recoding
    if isinstance(recoding, Levels):
        return str(recoding)
    assert isinstance(recoding, CellMap)
    return f"{recoding}; {_spread(recoding)}"


def _spread(recoding: CellMap) -> str:
    kept = ~recoding.gone
    rows = recoding.rows[kept]
    total = max(1, int(rows.sum()))
    means: Sequence[float] = [
        float(rows @ recoding.levels[kept, a]) / total for a in range(len(recoding.names))
    ]
    return f"mean levels [{', '.join(f'{mean:.1f}' for mean in means)}]"
