"""Facts as figures and tables: every picture with its words and its numbers beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike.report.charts import search_charts as charts_search
from lookalike.report.charts import value_charts as charts_values
from lookalike.report.charts.svg import svg
from lookalike.report.facts.risk import size_words
from lookalike.report.facts.suppressed_rows import by_column
from lookalike.report.number_format import number, percent, plural

if TYPE_CHECKING:
    import altair as alt

    from lookalike.problem.recodings.cell_changes import Change
    from lookalike.report.facts.association import Associations
    from lookalike.report.facts.risk import RiskFacts, SetRisk
    from lookalike.report.facts.search import CutColumn, Ladder, Lattice, Moment
    from lookalike.report.facts.suppressed_rows import Suppression
    from lookalike.report.facts.value_distributions import Distribution

CHARTS = 18  # small charts of one kind; further columns have their numbers in a table only
PAIRS = 14  # of columns that are drawn
LISTED = 60  # rows of a table of numbers behind a chart


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under a caption; the first column names the row, ``numbers`` are set right."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()
    more: str = ""  # what was left out


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture, what there is to see, and its numbers."""

    title: str
    sub: str
    svg: str
    table: Table
    note: str = ""


def _figure(
    title: str, sub: str, chart: alt.TopLevelMixin | None, said: str, table: Table, note: str = ""
) -> Figure:
    return Figure(title, sub, svg(chart, label=said) if chart is not None else "", table, note)


def _table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()
) -> Table:
    every = tuple(tuple(row) for row in rows)
    more = f"{len(every) - LISTED:,} more are left out." if len(every) > LISTED else ""
    return Table(caption, tuple(head), every[:LISTED], frozenset(numbers), more)


def class_sizes(risk: RiskFacts) -> Figure:
    """Rows by how many rows look like them."""
    one: SetRisk = risk.main
    words = [size_words(bar) for bar in one.after.histogram]
    before = one.before.histogram if one.before else None
    rows = [
        (size, *([f"{before[at].rows:,}"] if before else []), f"{bar.rows:,}", f"{bar.classes:,}")
        for at, (size, bar) in enumerate(zip(words, one.after.histogram, strict=True))
    ]
    head = (
        "rows that look alike",
        *(["rows before"] if before else []),
        "rows after",
        "classes after",
    )
    if one.before:
        said = (
            f"Before, {percent(_share(one.before.unique, one.before.rows))} of the rows "
            f"looked like no other; after, the smallest class has {one.after.smallest:,} rows."
        )
    else:
        said = f"The smallest class of lookalikes has {one.after.smallest:,} rows."
    chart = charts_values.class_size_chart(one.before, one.after, words) if one.after.rows else None
    return _figure(
        "How many rows look alike",
        "share of rows, by the size of their class",
        chart,
        said,
        _table("Rows by the size of their class", head, rows, range(1, 5)),
    )


def distributions(found: Sequence[Distribution]) -> list[Figure]:
    """One a column."""
    return [_distribution(one, drawn=at < CHARTS) for at, one in enumerate(found)]


def _distribution(found: Distribution, *, drawn: bool) -> Figure:
    head = ("value", *(["before", "share"] if found.compared else []), "after", "share")
    rows = []
    for bar in found.bars:
        before = []
        if bar.before is not None and found.before is not None:
            before = [f"{bar.before:,}", percent(_share(bar.before, found.before))]
        rows.append((bar.label, *before, f"{bar.after:,}", percent(_share(bar.after, found.after))))
    most = max(found.bars, key=lambda bar: bar.after, default=None)
    said = f"Column {found.column}, {found.words}: {plural(len(found.bars), 'bar')}."
    if most is not None and found.after:
        share = percent(_share(most.after, found.after))
        said += f" The longest is {most.label}, {share} of the released rows."
    draw = drawn and found.bars and found.after
    chart = charts_values.distribution_chart(found) if draw else None
    return _figure(
        found.column,
        f"{found.role}, {found.words}",
        chart,
        said,
        _table(f"Rows of {found.column}", head, rows, range(1, 5)),
        found.note,
    )


def changes(found: Sequence[Change]) -> Figure:
    """How far the cells of each column went."""
    rows = [
        (one.column, f"{one.changed:,}", percent(_share(one.changed, one.rows)), percent(one.mean))
        for one in found
    ]
    far = max(found, key=lambda one: one.mean)
    said = (
        f"{far.column} went farthest, {percent(far.mean)} of the way to * on average; "
        f"{sum(one.changed == 0 for one in found)} of {plural(len(found), 'column')} "
        "are as they were."
    )
    head = ("column", "cells changed", "share of cells", "mean way to *")
    chart = charts_search.change_chart(found) if found[0].rows else None
    return _figure(
        "How far each column was generalized",
        "released rows, from cells as they were to cells hidden",
        chart,
        said,
        _table("How far each column went", head, rows, range(1, 4)),
    )


def suppressed(found: Suppression) -> Figure | None:
    """Whom suppression hit harder than others; None if it hit nobody harder."""
    hits = found.foremost
    if not hits:
        return None
    first = hits[0]
    said = (
        f"Of all rows {percent(found.share)} were suppressed. Hit hardest is {first.column} "
        f"{first.value}: {first.suppressed:,} of {first.rows:,} rows, {percent(first.share)}."
    )
    rows = [
        (
            f"{hit.column}: {hit.value}",
            f"{hit.rows:,}",
            f"{hit.suppressed:,}",
            percent(hit.share),
            f"{hit.share / found.share:.1f}×",
        )
        for hit in hits
    ]
    head = ("value", "rows", "suppressed", "share", "of the share overall")
    chart = charts_values.suppression_chart(hits, found.share)
    return _figure(
        "Values hit harder than the whole table",
        f"dashed: all rows, {percent(found.share)}; most rows beyond their share first",
        chart,
        said,
        _table("Share suppressed, by value", head, rows, range(1, 5)),
    )


def suppressed_tables(found: Suppression) -> list[Table]:
    """The same for every column, rare values too."""
    head = ("value", "rows", "suppressed", "share")
    tables = []
    for name, hits, more in by_column(found):
        rows = [(h.value, f"{h.rows:,}", f"{h.suppressed:,}", percent(h.share)) for h in hits]
        left = f"{plural(more, 'more value')} with smaller shares." if more else ""
        tables.append(Table(name, head, tuple(rows), frozenset({1, 2, 3}), left))
    return tables


def associated(found: Associations) -> Figure | None:
    """Pairs of columns; None if there is no pair."""
    if not found.pairs:
        return None
    rows = [
        (
            f"{pair.one} – {pair.other}",
            _v(pair.before),
            _v(pair.after),
            _difference(pair.before, pair.after),
        )
        for pair in found.pairs
    ]
    strongest = sorted(found.pairs, key=lambda one: -max(one.before or 0.0, one.after or 0.0))[
        :PAIRS
    ]
    first = found.pairs[0]
    said = (
        f"Strongest before: {first.one} with {first.other}, Cramér's V {_v(first.before)}, "
        f"after {_v(first.after)}."
    )
    head = ("columns", "before", "after", "change")
    drawn = [pair for pair in strongest if pair.before is not None or pair.after is not None]
    chart = charts_values.association_chart(drawn) if drawn else None
    more = (
        f"the strongest {len(drawn)} of {len(found.pairs)} pairs"
        if len(found.pairs) > len(drawn)
        else plural(len(found.pairs), "pair")
    )
    return _figure(
        "How columns go together",
        f"Cramér's V, {more}",
        chart,
        said,
        _table("Cramér's V of pairs of columns", head, rows, range(1, 4)),
    )


def lattice(found: Lattice) -> Figure:
    """The recodings there were to choose from."""
    counted = [node for node in found.nodes if node.state != "uncounted"]
    chosen = next((node for node in counted if node.state == "chosen"), None)
    rows = [
        (
            ", ".join(map(str, node.levels)),
            charts_search.STATES[node.state],
            "" if node.suppressed is None else f"{node.suppressed:,}",
            "" if node.cost is None else number(node.cost),
        )
        for node in counted
    ]
    at = f"; chosen is {', '.join(map(str, chosen.levels))}" if chosen else ""
    said = f"{len(found.nodes):,} recodings by height, {len(counted):,} of them counted{at}."
    head = (f"levels of {', '.join(found.names)}", "what came of it", "rows left out", "cost")
    return _figure(
        "The lattice",
        "a mark is one recoding; coarser ones are higher up",
        charts_search.lattice_chart(found),
        said,
        _table("Recodings that were counted", head, rows, (2, 3)),
    )


def ladders(found: Sequence[Ladder]) -> list[Figure]:
    """The levels of each column, and the rows that stand on each."""
    figures = []
    for at, one in enumerate(found):
        rows = [
            (
                words,
                f"{values:,}",
                f"{held:,}",
                "" if one.low <= level <= one.high else "not allowed",
            )
            for level, (words, values, held) in enumerate(
                zip(one.levels, one.values, one.rows, strict=True)
            )
        ]
        used = [one.levels[level] for level, held in enumerate(one.rows) if held]
        levels = plural(len(one.levels), "level")
        said = f"{one.column} can show {levels}; used: {', '.join(used) or 'none'}."
        head = ("level", "different values", "released rows", "policy")
        figures.append(
            _figure(
                one.column,
                "levels, finest first; share of released rows on each",
                _ladder_chart(one, at),
                said,
                _table(f"Levels of {one.column}", head, rows, (1, 2)),
            )
        )
    return figures


def _ladder_chart(one: Ladder, at: int) -> alt.LayerChart | None:
    return charts_values.ladder_chart(one) if at < CHARTS and any(one.rows) else None


def cuts(found: Sequence[CutColumn]) -> list[Figure]:
    """Each column as an axis with its intervals."""
    figures = []
    for at, one in enumerate(found):
        rows = [
            (part.label, f"{part.last - part.first + 1:,}", f"{part.before:,}", f"{part.after:,}")
            for part in one.intervals
        ]
        said = (
            f"{one.column}: {plural(one.values, 'value')} cut into {plural(len(rows), 'interval')}."
        )
        head = ("interval", "values", "rows before", "rows after")
        chart = charts_search.cut_chart(one) if at < CHARTS and one.values else None
        figures.append(
            _figure(
                one.column,
                f"{plural(one.values, 'value')} from left to right, "
                f"{plural(len(rows), 'interval')}",
                chart,
                said,
                _table(f"Intervals of {one.column}", head, rows, range(1, 4)),
            )
        )
    return figures


def trace(found: Sequence[Moment], metric: str) -> Figure:
    """Cost and bound against time."""
    rows = [
        (
            f"{one.seconds:.3g}",
            f"{one.checks:,}",
            "" if one.cost is None else number(one.cost),
            "" if one.bound is None else number(one.bound),
        )
        for one in found
    ]
    last = found[-1]
    moments = plural(len(found), "moment")
    said = f"{moments} of the search, which ended after {last.seconds:.3g} seconds"
    if last.cost is not None and last.bound is not None:
        said += f" with cost {number(last.cost)} and bound {number(last.bound)}"
    head = ("seconds", "recodings counted", "best cost", "bound")
    return _figure(
        "The search over time",
        "the best found comes down, the bound comes up",
        charts_search.trace_chart(found, metric),
        said + ".",
        _table("Moments of the search", head, rows, range(4)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _v(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _difference(before: float | None, after: float | None) -> str:
    return "–" if before is None or after is None else f"{after - before:+.2f}"
