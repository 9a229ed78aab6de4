"""The parts of all reports on the terminal: headings, bars, check marks, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lookalike import api
from lookalike.cli.terminal.safe_text import clean

EIGHTHS = " ▏▎▍▌▋▊▉"
GOOD, BAD, QUIET = "green", "red", "dim"
BLANK = Text(" ")  # an empty line would vanish when indented


def bar(share: float, width: int, *, style: str = "cyan", track: bool = False) -> Text:
    """A bar of eighths of a character; a share above 0 is always visible."""
    share = min(1.0, max(0.0, share))
    eighths = round(share * width * 8)
    if share > 0:
        eighths = max(1, eighths)
    if track and share < 1:
        eighths = min(eighths, width * 8 - 1)
    full, part = divmod(eighths, 8)
    drawn = "█" * full + (EIGHTHS[part] if part else "")
    text = Text(drawn, style=style)
    text.append(("░" if track else " ") * (width - len(drawn)), style=QUIET)
    return text


def percent(share: float) -> str:
    """A share; 0% and 100% only if it is exactly that."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{share:.1%}" if share < 1 else "100%"


def plural(count: int, noun: str, plural_noun: str | None = None) -> str:
    """``1 row``, ``2 rows``."""
    return f"{count:,} {noun if count == 1 else plural_noun or noun + 's'}"


def people(count: int) -> str:
    return plural(count, "person", "people")


def listed(names: Sequence[str]) -> str:
    """``age, zip and sex``"""
    shown = [clean(name) for name in names]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def seconds(taken: float) -> str:
    return f"{taken:.2f} s" if taken < 10 else f"{taken:,.0f} s"


def section(title: str, *parts: RenderableType) -> list[RenderableType]:
    """A blank line, a heading, and the parts below it, indented."""
    return [Text(), Text(title, style="bold"), *map(indented, parts)]


def indented(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, 2), expand=False)


class PlainTable(Table):
    """A table whose texts are shown as they are: brackets in a name are not markup."""

    def add_row(self, *cells: RenderableType | None, **settings: Any) -> None:
        plain = (Text(cell) if isinstance(cell, str) else cell for cell in cells)
        super().add_row(*plain, **settings)


def facts(rows: Iterable[tuple[RenderableType, ...]]) -> Table:
    """Aligned columns without headings; the last one wraps."""
    table = PlainTable.grid(padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row(*row)
    return table


def ruled(*headings: str, right: Iterable[int] = ()) -> Table:
    """A table with headings; columns in ``right`` are numbers."""
    table = PlainTable(box=None, header_style=QUIET, padding=(0, 2, 0, 0), pad_edge=False)
    numbers = set(right)
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index in numbers else "left")
    return table


def before_and_after(
    before: str, after: str, measures: Iterable[tuple[str, Iterable[str]]]
) -> Table:
    """Two tables, number by number."""
    table = ruled("", clean(before), clean(after), right=(1, 2))
    for measure, numbers in measures:
        table.add_row(measure, *numbers)
    return table


def led(first: str, style: str, rest: str) -> Text:
    """A text whose first words stand out."""
    return Text(first, style=style).append(rest, style="not bold default")


def dim(text: str) -> Text:
    return Text(text, style=QUIET)


def sign(holds: bool) -> Text:
    return Text("✓", style=f"bold {GOOD}") if holds else Text("✗", style=f"bold {BAD}")


def findings(found: Iterable[api.Finding]) -> Table:
    """✓ or ✗ for each finding, with its sentence."""
    return facts((sign(finding.holds), finding.check, clean(finding.sentence)) for finding in found)
