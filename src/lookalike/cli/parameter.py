"""Short forms for the arguments and options of commands."""

from __future__ import annotations

from typing import Any

import typer


def option(usage: str, help: str, **limits: Any) -> Any:
    """An option by its usage: ``--output -o FILE``, or ``--force`` for a switch."""
    parts = usage.split()
    metavar = None if parts[-1].startswith("-") else parts.pop()
    return typer.Option(*parts, metavar=metavar, help=help, **limits)


def argument(metavar: str, help: str, **limits: Any) -> Any:
    """An argument by its position."""
    return typer.Argument(metavar=metavar, help=help, **limits)
