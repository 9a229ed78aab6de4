"""A histogram of how many rows look alike; red: unique, yellow: too few, green: enough."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType

from lookalike.cli.output import layout as show

WIDTH = 34


def sizes(least: int, most: int | None, one: str) -> str:
    """A range of numbers in words, without an upper end if ``most`` is None; ``one`` names 1."""
    if most is None:
        return f"{least} or more"
    if least == most:
        return {0: "none", 1: one}.get(least, str(least))
    return f"{least} to {most}"


def color(least: int, enough: int = 5) -> str:
    if least == 1:
        return "red"
    return "yellow" if 0 < least < enough else "green"


def histogram(
    heads: tuple[str, str], bars: Iterable[tuple[int, int | None, int]], total: int, one: str
) -> RenderableType:
    """One line for each range (least, most, number): number, share, and the share as a bar."""
    table = show.ruled(*heads, "", "", right=(1, 2))
    for least, most, count in bars:
        share = count / total if total else 0.0
        drawn = show.bar(share, WIDTH, style=color(least))
        table.add_row(sizes(least, most, one), f"{count:,}", show.dim(show.percent(share)), drawn)
    return table
