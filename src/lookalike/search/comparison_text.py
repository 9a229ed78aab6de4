"""A comparison as text: what each column shows, and the whole as a plain table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from lookalike.solution.solution import UNKNOWN_GAP, Solution, Stop
from lookalike.words import METRICS

if TYPE_CHECKING:
    from lookalike.search.compare import Comparison, Row

Cell = Callable[["Row", Solution], str]

RESULT: Mapping[str, Cell] = {
    "result": lambda row, s: str(s.status) + ("" if s.stop is Stop.FINISHED else f" ({s.stop})"),
    "k held": lambda row, s: "–" if row.held is None else "yes" if row.held else "no",
    "Prec": lambda row, s: _measure(row, "prec", ".4f"),
    "loss": lambda row, s: _measure(row, "loss", ".4f"),
    "DM": lambda row, s: _measure(row, "discernibility", ",.0f"),
    "CM": lambda row, s: _measure(row, "classification", ",.0f"),
}
SEARCH: Mapping[str, Cell] = {
    "rows out": lambda row, s: f"{s.suppressed:,}",
    "cells *": lambda row, s: f"{row.stars:,}",
    "classes": lambda row, s: f"{s.classes:,}",
    "counted": lambda row, s: f"{s.checks:,}",
    "time": lambda row, s: f"{s.seconds:.2f} s" if s.seconds < 10 else f"{s.seconds:,.0f} s",
    "bound": lambda row, s: f"{s.bound:.4g}" if row.held and math.isfinite(s.bound) else "–",
    "gap": lambda row, s: _gap(row.gap),
}
MEANINGS: Mapping[str, str] = {
    "k held": "does each equivalence class (group of lookalikes) have at least k rows?",
    "Prec": "precision: 1 for the original table, 0 if every cell is *",
    "loss": f"{METRICS['loss'].gloss}: from 0 (one) to 1 (all)",
    "DM": f"discernibility: {METRICS['discernibility'].gloss}; less is better",
    "CM": f"classification: {METRICS['classification'].gloss}; less is better",
    "rows out": "suppressed rows (left out)",
    "cells *": "released cells that show only *",
    "counted": "recodings that the search counted",
    "bound": "no recoding of this kind costs less",
    "gap": "how much of the cost another recoding could save at most",
}
LEFT_ALIGNED = {"algorithm", "result", "k held"}  # words; the other columns are numbers


def as_text(comparison: Comparison) -> str:
    """One row per algorithm; below, why some did not run, the bounds, and what columns mean."""
    columns = used(comparison, {**RESULT, **SEARCH})
    table = [["algorithm", *columns]]
    for row in comparison.rows:
        if row.solution is not None:
            table.append([row.algorithm, *(cell(row, row.solution) for cell in columns.values())])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(
            text.ljust(width) if head in LEFT_ALIGNED else text.rjust(width)
            for head, text, width in zip(table[0], line, widths, strict=True)
        ).rstrip()
        for line in table
    ]
    refused = [row for row in comparison.rows if row.refusal is not None]
    lines += [f"{row.algorithm}: not run: {row.refusal}." for row in refused]
    lines += filter(None, [bounds_sentence(comparison)])
    lines += [f"{name}: {meaning}." for name, meaning in meanings(comparison)]
    return "\n".join([f"Algorithms on the same problem, {comparison.metric} minimized", *lines])


def used(comparison: Comparison, columns: Mapping[str, Cell]) -> dict[str, Cell]:
    """Without CM, if no class column was counted."""
    counted = any("classification" in row.measures for row in comparison.rows)
    return {name: cell for name, cell in columns.items() if name != "CM" or counted}


def meanings(comparison: Comparison) -> list[tuple[str, str]]:
    """What the names of the columns stand for."""
    shown = used(comparison, {**RESULT, **SEARCH})
    return [(name, meaning) for name, meaning in MEANINGS.items() if name in shown]


def bounds_sentence(comparison: Comparison) -> str:
    """What the gaps are measured to, or that nothing meets the policy; "" without a bound."""
    infeasible = [space.recoding for space, bound in comparison.bounds.items() if bound == math.inf]
    if infeasible:
        return f"No {infeasible[0]} meets the policy, and that is proved."
    sentences = [
        f"No {space.recoding} that meets the policy costs less than {bound:.6g}."
        for space, bound in comparison.bounds.items()
        if math.isfinite(bound) and bound
    ]
    return " ".join([*sentences, "Gaps are to these bounds."]) if sentences else ""


def _gap(gap: float | None) -> str:
    if gap is None or gap >= UNKNOWN_GAP:
        return "–"
    if 0 < gap < 0.001:
        return "<0.1%"
    return "0" if gap == 0 else f"{gap:.1%}"


def _measure(row: Row, name: str, shown: str) -> str:
    return format(row.measures[name], shown) if name in row.measures else "–"
