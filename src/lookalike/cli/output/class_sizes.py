"""A histogram of how many rows look alike; red: unique, yellow: too few, green: enough."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from lookalike.cli.output import layout as show

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDTH = 34
ENOUGH = 5


class Span(Protocol):
    """A range of numbers; without an upper end if ``most`` is None."""

    @property
    def least(self) -> int: ...

    @property
    def most(self) -> int | None: ...


def sizes(span: Span, one: str) -> str:
    """The span in words; ``one`` names the span that is just 1."""
    if span.most is None:
        return f"{span.least} or more"
    if span.least == span.most:
        return {0: "none", 1: one}.get(span.least, str(span.least))
    return f"{span.least} to {span.most}"


def color(span: Span, enough: int = ENOUGH) -> str:
    if span.least == 1:
        return "red"
    return "yellow" if 0 < span.least < enough else "green"


def histogram(
    heads: tuple[str, str], bars: Iterable[tuple[Span, int]], total: int, one: str
) -> RenderableType:
    """One line for each span: number, share, and the share as a bar."""
    table = show.ruled(*heads, "", "", right=(1, 2))
    for span, count in bars:
        share = count / total if total else 0.0
        drawn = show.bar(share, WIDTH, style=color(span))
        table.add_row(sizes(span, one), f"{count:,}", show.dim(show.percent(share)), drawn)
    return table
