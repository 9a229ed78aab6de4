"""The figures of a report: each chart with its title, its description and its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike.report.charts import search_charts, value_charts
from lookalike.report.charts.svg import svg
from lookalike.report.facts.risk import risk_facts, size_label
from lookalike.report.facts.search import search_facts
from lookalike.report.number_format import number, percent, plural, some
from lookalike.words import ROLES

if TYPE_CHECKING:
    import altair as alt

    from lookalike.problem.recodings.cell_changes import Change
    from lookalike.report.facts.association import Associations
    from lookalike.report.facts.risk import RiskFacts
    from lookalike.report.facts.search import CutColumn, Ladder, Lattice
    from lookalike.report.facts.suppressed_rows import Hit, Suppression
    from lookalike.report.facts.value_distributions import Distribution
    from lookalike.report.subject import Subject
    from lookalike.solution.solution import TracePoint

MAX_CHARTS = 18  # of one kind; further columns have only a table
MAX_PAIRS = 14  # of columns that are drawn
MAX_ROWS = 60  # of the table of a chart
SUPPRESSED_HEAD = ("value", "rows", "suppressed", "share")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts; the first column names the row, columns in ``numbers`` align right."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()
    more: str = ""  # what is not listed


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its title and its numbers."""

    title: str
    sub: str
    svg: str
    table: Table
    note: str = ""


def _svg(chart: alt.TopLevelMixin | None, description: str) -> str:
    return svg(chart, label=description) if chart is not None else ""


def _table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()
) -> Table:
    listed = tuple(tuple(row) for row in rows)
    more = f"{len(listed) - MAX_ROWS:,} more are not listed." if len(listed) > MAX_ROWS else ""
    return Table(caption, tuple(head), listed[:MAX_ROWS], frozenset(numbers), more)


def overview(subject: Subject) -> list[Figure]:
    """The figures of a page about a release."""
    search, generalized = search_facts(subject), subject.applied.changes()
    steps = [lattice(search.lattice)] if search.lattice else ladders(search.ladders)
    return [
        class_sizes(risk_facts(subject)),
        *([changes(generalized)] if generalized else []),
        *steps,
        *cuts(search.cuts),
        *([trace(search.trace, subject.solution.metric)] if len(search.trace) > 1 else []),
    ]


def class_sizes(facts: RiskFacts) -> Figure:
    """Rows by the size of their equivalence class."""
    before, after = facts.main.before, facts.main.after
    labels = [size_label(bar) for bar in after.histogram]
    rows = []
    for at, (label, bar) in enumerate(zip(labels, after.histogram, strict=True)):
        rows_before = [f"{before.histogram[at].rows:,}"] if before else []
        rows.append((label, *rows_before, f"{bar.rows:,}", f"{bar.classes:,}"))
    description = f"After the release, the smallest class has {after.smallest:,} rows."
    if before:
        unique = percent(_share(before.unique, before.rows))
        description = f"Before the release, {unique} of the rows were unique. {description}"
    chart = value_charts.class_size_chart(before, after, labels) if after.rows else None
    compared = ["rows before"] if before else []
    head = ("rows in the class", *compared, "rows after", "classes after")
    columns = f", over {some(facts.main.columns)}" if len(facts.sets) > 1 else ""
    return Figure(
        "How many rows look alike",
        f"share of rows, by the size of their equivalence class{columns}",
        _svg(chart, description),
        _table("Rows by the size of their equivalence class", head, rows, range(1, 5)),
    )


def distributions(columns: Sequence[Distribution]) -> list[Figure]:
    """The values of each column."""
    return [_distribution(column, drawn=at < MAX_CHARTS) for at, column in enumerate(columns)]


def _distribution(column: Distribution, *, drawn: bool) -> Figure:
    head = ("value", *(["before", "share"] if column.compared else []), "after", "share")
    rows = []
    for bar in column.bars:
        before = []
        if bar.before is not None and column.before is not None:
            before = [f"{bar.before:,}", percent(_share(bar.before, column.before))]
        after = (f"{bar.after:,}", percent(_share(bar.after, column.after)))
        rows.append((bar.label, *before, *after))
    description = f"Column {column.column}, {column.words}: {plural(len(column.bars), 'bar')}."
    longest = max(column.bars, key=lambda bar: bar.after, default=None)
    if longest is not None and column.after:
        share = percent(_share(longest.after, column.after))
        description += f" The longest is {longest.label}, {share} of the released rows."
    visible = drawn and column.bars and column.after
    role = ROLES[column.role].name
    return Figure(
        column.column,
        role if column.words in role else f"{role}, {column.words}",
        _svg(value_charts.distribution_chart(column) if visible else None, description),
        _table(f"Rows of {column.column}", head, rows, range(1, 5)),
        column.note,
    )


def changes(columns: Sequence[Change]) -> Figure:
    """How far the cells of each column were generalized."""
    rows = []
    for column in columns:
        share = percent(_share(column.changed, column.rows))
        rows.append((column.column, f"{column.changed:,}", share, percent(column.mean)))
    coarsest = max(columns, key=lambda column: column.mean)
    unchanged = sum(column.changed == 0 for column in columns)
    description = (
        f"{coarsest.column} was generalized most, {percent(coarsest.mean)} on average; "
        f"{unchanged} of {plural(len(columns), 'column')} are unchanged."
    )
    title = "How far each column was generalized"
    head = ("column", "cells changed", "share of cells", "generalized by")
    return Figure(
        title,
        "released rows, from unchanged to hidden cells",
        _svg(search_charts.change_chart(columns) if columns[0].rows else None, description),
        _table(title, head, rows, range(1, 4)),
    )


def suppressed(facts: Suppression) -> Figure | None:
    """Values that were suppressed more often than the average; None if there are none."""
    hits = facts.above_average
    if not hits:
        return None
    first = hits[0]
    rows = [
        (f"{hit.column}: {hit.value}", *_hit_cells(hit), f"{hit.share / facts.share:.1f}×")
        for hit in hits
    ]
    description = (
        f"{percent(facts.share)} of all rows were suppressed, but {first.suppressed:,} of "
        f"{first.rows:,} rows ({percent(first.share)}) with {first.column} {first.value}."
    )
    head = (*SUPPRESSED_HEAD, "relative to average")
    return Figure(
        "Values suppressed more often than the average",
        f"dashed line: all rows, {percent(facts.share)}; sorted by excess rows",
        _svg(value_charts.suppression_chart(hits, facts.share), description),
        _table("Share of suppressed rows, by value", head, rows, range(1, 5)),
    )


def suppressed_tables(facts: Suppression) -> list[Table]:
    """The share of suppressed rows for the values of all columns."""
    tables = []
    for name, hits, more in facts.by_column():
        rows = tuple((hit.value, *_hit_cells(hit)) for hit in hits)
        rest = f"{plural(more, 'more value')} with smaller shares." if more else ""
        tables.append(Table(name, SUPPRESSED_HEAD, rows, frozenset({1, 2, 3}), rest))
    return tables


def _hit_cells(hit: Hit) -> tuple[str, ...]:
    return f"{hit.rows:,}", f"{hit.suppressed:,}", percent(hit.share)


def associated(facts: Associations) -> Figure | None:
    """Associations between pairs of columns; None if there is no pair."""
    if not facts.pairs:
        return None
    rows = []
    for pair in facts.pairs:
        unknown = pair.before is None or pair.after is None
        change = "–" if unknown else f"{(pair.after or 0) - (pair.before or 0):+.2f}"
        rows.append((f"{pair.first} – {pair.second}", _v(pair.before), _v(pair.after), change))
    strongest = sorted(facts.pairs, key=lambda pair: -max(pair.before or 0.0, pair.after or 0.0))
    drawn = [pair for pair in strongest[:MAX_PAIRS] if (pair.before, pair.after) != (None, None)]
    top = facts.pairs[0]
    which = plural(len(facts.pairs), "pair")
    if len(facts.pairs) > len(drawn):
        which = f"the strongest {len(drawn)} of {which}"
    description = (
        f"Strongest before: {top.first} with {top.second}, Cramér's V {_v(top.before)}, "
        f"after {_v(top.after)}."
    )
    head = ("columns", "before", "after", "change")
    return Figure(
        "Associations between columns",
        f"Cramér's V, {which}",
        _svg(value_charts.association_chart(drawn) if drawn else None, description),
        _table("Cramér's V of pairs of columns", head, rows, range(1, 4)),
    )


def lattice(facts: Lattice) -> Figure:
    """All full-domain recodings."""
    evaluated = [node for node in facts.nodes if node.state != "pruned"]
    chosen = next((node for node in evaluated if node.state == "chosen"), None)
    rows = [
        (
            ", ".join(map(str, node.levels)),
            search_charts.state_label(node),
            "" if node.suppressed is None else f"{node.suppressed:,}",
            _cost(node.cost),
        )
        for node in evaluated
    ]
    choice = f"; chosen: {', '.join(map(str, chosen.levels))}" if chosen else ""
    description = f"{len(facts.nodes):,} recodings by height, {len(evaluated):,} of them evaluated"
    head = (f"levels of {', '.join(facts.names)}", "result", "rows suppressed", "cost")
    return Figure(
        "The lattice",
        "each mark is a recoding; more generalized ones are higher",
        _svg(search_charts.lattice_chart(facts), f"{description}{choice}."),
        _table("Evaluated recodings", head, rows, (2, 3)),
    )


def ladders(columns: Sequence[Ladder]) -> list[Figure]:
    """The levels of each column, and the released rows at each level."""
    return [_ladder(column, drawn=at < MAX_CHARTS) for at, column in enumerate(columns)]


def _ladder(column: Ladder, *, drawn: bool) -> Figure:
    rows = []
    levels = zip(column.levels, column.values, column.rows, strict=True)
    for level, (name, values, held) in enumerate(levels):
        allowed = "" if column.low <= level <= column.high else "not allowed"
        rows.append((name, f"{values:,}", f"{held:,}", allowed))
    used = [name for name, held in zip(column.levels, column.rows, strict=True) if held]
    shown = ", ".join(used) or "none"
    description = f"{column.column} has {plural(len(rows), 'level')}; used: {shown}."
    head = ("level", "different values", "released rows", "policy")
    return Figure(
        column.column,
        "levels, most precise first; share of released rows at each",
        _svg(value_charts.ladder_chart(column) if drawn and used else None, description),
        _table(f"Levels of {column.column}", head, rows, (1, 2)),
    )


def cuts(columns: Sequence[CutColumn]) -> list[Figure]:
    """Each column as an axis with its intervals."""
    return [_cut(column, drawn=at < MAX_CHARTS) for at, column in enumerate(columns)]


def _cut(column: CutColumn, *, drawn: bool) -> Figure:
    rows = [
        (part.label, f"{part.last - part.first + 1:,}", f"{part.before:,}", f"{part.after:,}")
        for part in column.intervals
    ]
    values, intervals = plural(column.values, "value"), plural(len(rows), "interval")
    chart = search_charts.cut_chart(column) if drawn and column.values else None
    head = ("interval", "values", "rows before", "rows after")
    return Figure(
        column.column,
        f"{values} from left to right, {intervals}",
        _svg(chart, f"{column.column}: {values} cut into {intervals}."),
        _table(f"Intervals of {column.column}", head, rows, range(1, 4)),
    )


def trace(moments: Sequence[TracePoint], metric: str) -> Figure:
    """Best cost and lower bound over time."""
    rows = [
        (f"{moment.seconds:.3g}", f"{moment.checks:,}", _cost(moment.cost), _cost(moment.bound))
        for moment in moments
    ]
    seconds, _, cost, bound = rows[-1]
    costs = f" with cost {cost} and lower bound {bound}" if cost and bound else ""
    title = "The search over time"
    head = ("seconds", "recodings evaluated", "best cost", "lower bound")
    return Figure(
        title,
        "the best cost falls, the lower bound rises",
        _svg(
            search_charts.trace_chart(moments, metric),
            f"The search ended after {seconds} seconds{costs}.",
        ),
        _table(title, head, rows, range(4)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _cost(value: float | None) -> str:
    return "" if value is None or not math.isfinite(value) else number(value)


def _v(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
