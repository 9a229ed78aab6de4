"""The program and its commands; the module of a command is loaded when it is needed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from lookalike.cli.command import add_command
from lookalike.cli.input.table_address import without_passwords
from lookalike.version import VERSION

COMMANDS = (
    "demo", "risk", "check", "init", "key", "screen", "explain", "run", "solve", "release",
    "reapply", "sign", "verify", "compare", "attack", "serve",
)  # fmt: skip
MAY_BE_QUIET = ("run", "solve", "release", "reapply", "sign", "verify")
SETTINGS: Any = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,  # plain help: rich would take three times as long to load
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
UsageError: Any = typer.BadParameter.__base__  # typer has no name for it


@cache
def load_command(name: str) -> Any:
    """The command as typer has it."""
    single = typer.Typer(**SETTINGS)
    function = getattr(import_module(f"lookalike.cli.commands.{name}"), name)
    add_command(single, function, quiet=name in MAY_BE_QUIET)
    return typer.main.get_command(single)


class CommandGroup(typer.core.TyperGroup):
    """Loads commands late; usage errors quote what was typed, but without passwords."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = dict.fromkeys(COMMANDS)  # the names; get_command loads one

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except UsageError as error:
            error.message = without_passwords(error.message)
            raise


app = typer.Typer(
    cls=CommandGroup,
    help="k-anonymous tables with minimal information loss and a checkable proof.",
    epilog="Start with: lookalike demo",
    no_args_is_help=True,
    **SETTINGS,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lookalike {VERSION}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    pass
