"""The program and the list of its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.command import PasswordHidingGroup, add_command
from lookalike.cli.commands.attack import attack
from lookalike.cli.commands.check import check
from lookalike.cli.commands.compare import compare
from lookalike.cli.commands.demo import demo
from lookalike.cli.commands.explain import explain
from lookalike.cli.commands.init import init
from lookalike.cli.commands.key import key
from lookalike.cli.commands.reapply import reapply
from lookalike.cli.commands.release import release
from lookalike.cli.commands.risk import risk
from lookalike.cli.commands.run import run
from lookalike.cli.commands.serve import serve
from lookalike.cli.commands.solve import solve
from lookalike.cli.commands.verify import verify
from lookalike.version import VERSION

app = typer.Typer(
    cls=PasswordHidingGroup,
    help="k-anonymous tables with minimal information loss and a checkable proof.",
    epilog="Start with: lookalike demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: rich would take three times as long to load
    context_settings={"help_option_names": ["-h", "--help"]},
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


add_command(app, demo)
add_command(app, risk)
add_command(app, check)
add_command(app, init)
add_command(app, key)
add_command(app, explain)
add_command(app, run, quiet=True)
add_command(app, solve, quiet=True)
add_command(app, release, quiet=True)
add_command(app, reapply, quiet=True)
add_command(app, verify, quiet=True)
add_command(app, compare)
add_command(app, attack)
add_command(app, serve)
