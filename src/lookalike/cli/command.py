"""What all commands share: the common options, and how an error ends the program."""

from __future__ import annotations

import functools
import inspect
import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, get_type_hints

import typer
import typer.core

import lookalike as la
from lookalike.cli.exit_codes import Exit, exit_code, signal_exit_code
from lookalike.cli.input.table_address import looks_like_address
from lookalike.cli.options import option
from lookalike.cli.terminal.interrupt import Abandoned, Interrupted
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import Fault, FileError, LookalikeError

Json = Annotated[bool, option("--json", "Print one JSON document to stdout, and nothing else.")]
ShowValues = Annotated[
    bool, option("--show-values", "Allow messages to show cell values of the table.")
]
Verbose = Annotated[bool, option("--verbose -v", "Log each step to stderr, including SQL.")]
Quiet = Annotated[bool, option("--quiet -q", "Print nothing unless something goes wrong.")]
Memory = Annotated[
    str | None, option("--memory SIZE", "Memory limit of the engine, for example 4GB.")
]
Spill = Annotated[
    Path | None, option("--spill DIR", "Where the engine stores what exceeds its memory limit.")
]
Cache = Annotated[
    Path | None,
    option("--cache DIR", "A private folder that keeps counts of files for later commands."),
]
COMMON: dict[str, Any] = {"json": Json, "show_values": ShowValues, "verbose": Verbose}
ENGINE: dict[str, Any] = {"memory": Memory, "spill": Spill, "cache": Cache}

PACKAGE = Path(__file__).parent.parent


class CommandWithNames(typer.core.TyperCommand):
    """A command whose help ends with the names that its options take, of other packages too."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from lookalike import registry

        taken = {(param.name, param.metavar) for param in self.params}
        names = [
            (label, ", ".join(name + suffix for name in known.names))
            for label, param, known, suffix in (
                ("ALGORITHM", "by", registry.ALGORITHMS, ""),
                ("ALGORITHMS", "by", registry.ALGORITHMS, ""),
                ("NAME", "metric", registry.METRICS, ""),
                ("RULE", "require", registry.REQUIREMENTS, ""),
                ("COLUMN=KIND", "hierarchy", registry.HIERARCHIES, ""),
                ("TABLE", "table", registry.ADDRESSES, ":"),
            )
            if (param, label) in taken
        ]
        if names:
            with formatter.section("Names"):
                formatter.write_dl(names)


def add_command(app: typer.Typer, function: Callable[..., None], *, quiet: bool = False) -> None:
    """Register ``function(terminal, …)`` with the common options, and ``--quiet`` if wanted.

    A parameter whose type is a dataclass stands for several options: its fields.
    """
    common = COMMON | ({"quiet": Quiet} if quiet else {})

    @functools.wraps(function)
    def wrapper(**given: Any) -> None:
        verbose = given.pop("verbose")
        limits = {name: given.pop(name) for name in ENGINE}
        terminal = Terminal(**{name: given.pop(name) for name in common if name != "verbose"})
        terminal.document["command"] = function.__name__

        def body() -> None:
            _check_files(given | limits)
            if any(one is not None for one in limits.values()):
                la.limit_engine(**limits)
            for name, group in groups.items():
                typed = {one.name: given.pop(one.name) for one in fields(group)}
                given[name] = group(**{key: one for key, one in typed.items() if one is not None})
            function(terminal, **given)

        with _logging(verbose):
            code = run(terminal, body)
        if code:
            raise typer.Exit(code)

    # typer reads the signature: the function's parameters without terminal, then the common ones
    _, *own = inspect.signature(function, eval_str=True).parameters.values()
    groups: dict[str, Any] = {p.name: p.annotation for p in own if is_dataclass(p.annotation)}
    parameters = [
        parameter
        for one in own
        for parameter in (_options(groups[one.name]) if one.name in groups else [one])
    ]
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters += [
        inspect.Parameter(name, keyword, default=default, annotation=annotation)
        for options, default in ((ENGINE, None), (common, False))
        for name, annotation in options.items()
    ]
    signature = inspect.Signature([one.replace(kind=keyword) for one in parameters])
    wrapper.__signature__ = signature  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    app.command(function.__name__, cls=CommandWithNames)(wrapper)


def _options(group: Any) -> list[inspect.Parameter]:
    """The options that a dataclass has as fields."""
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None if one.default is MISSING else one.default,
            annotation=hints[one.name],
        )
        for one in fields(group)
    ]


def _check_files(given: dict[str, Any]) -> None:
    """Refuse addresses where only files are accepted: as a path, one would show its password."""
    found = [
        Fault(name.replace("_", "-"), "this is an address, but a file is needed", "name a file")
        for name, one in given.items()
        if isinstance(one, Path) and looks_like_address(one)
    ]
    if found:
        raise FileError(found)


def run(terminal: Terminal, body: Callable[[], None]) -> int:
    """Run a command; an error becomes a message and an exit code."""
    try:
        with terminal.interrupt.handle_signals():
            body()
        code: int = Exit.DONE
    except (typer.BadParameter, typer.Exit, BrokenPipeError):
        raise  # typer reports usage errors
    except (KeyboardInterrupt, Abandoned):
        code = _interrupted(terminal)
    except Interrupted as reason:
        code = _interrupted(terminal, str(reason))
    except LookalikeError as error:
        code = _interrupted(terminal) if terminal.interrupt.raised else _failed(terminal, error)
    except Exception as error:
        code = _interrupted(terminal) if terminal.interrupt.raised else _bug(terminal, error)
    terminal.document["exit_code"] = int(code)
    terminal.close()
    return int(code)


def _failed(terminal: Terminal, error: LookalikeError) -> Exit:
    terminal.error(error.text(show_values=terminal.show_values))
    terminal.document["error"] = type(error).__name__
    terminal.document["faults"] = [
        {"where": fault.where, "problem": fault.problem, "fix": fault.fix}
        | ({"values": fault.values} if terminal.show_values else {})
        for fault in error.faults
    ]
    return exit_code(error)


def _interrupted(terminal: Terminal, text: str = "") -> int:
    fate = "while writing; a release that was there before is unchanged or completely replaced"
    terminal.error(
        text or f"interrupted {fate if terminal.writing else 'before anything was written'}"
    )
    terminal.document |= {"error": "Interrupted", "faults": []}
    return signal_exit_code(terminal.interrupt.number)


def _bug(terminal: Terminal, error: Exception) -> Exit:
    """A bug in lookalike. Only its kind and place are shown: the message may hold cell values."""
    text = f"internal error: {type(error).__name__} at {_place(error.__traceback__)}"
    terminal.error(f"{text}\nthis is a bug in lookalike; nothing was released")
    if terminal.show_values:
        traceback.print_exception(error, file=sys.stderr)
    else:
        terminal.err.print("run again with --show-values to see the full message")
    terminal.document |= {"error": text, "faults": []}
    return Exit.INTERNAL


def _place(trace: TracebackType | None) -> str:
    """File and line of the last frame inside lookalike."""
    place = "an unknown place"
    for frame, line in traceback.walk_tb(trace):
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(PACKAGE):
            place = f"{file.relative_to(PACKAGE.parent).as_posix()}:{line}"
    return place


@contextmanager
def _logging(verbose: bool) -> Iterator[None]:
    """Log to stderr while the command runs."""
    if not verbose:
        yield
        return
    log = logging.getLogger("lookalike")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(relativeCreated)7.0f ms  %(message)s"))
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)
