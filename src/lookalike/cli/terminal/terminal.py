"""The output of a command: results to stdout, messages and progress to stderr."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from os import PathLike, fspath
from typing import IO, TYPE_CHECKING

from lookalike import api
from lookalike.cli.terminal.interrupt import Interrupt
from lookalike.cli.terminal.safe_text import clean

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


@dataclass
class Terminal:
    """The output of one command. With ``json``, stdout gets one document at the end."""

    json: bool = False
    show_values: bool = False
    quiet: bool = False
    document: dict[str, object] = field(default_factory=dict)
    interrupt: Interrupt = field(default_factory=Interrupt)
    writing: bool = False  # has a step begun that writes files?

    @cached_property
    def out(self) -> Console:
        return _console(stderr=False)

    @cached_property
    def err(self) -> Console:
        return _console(stderr=True)

    @property
    def shows_answers(self) -> bool:
        """Are results printed as text, for people?"""
        return not self.json and not self.quiet

    def answer(self, *parts: RenderableType) -> None:
        """Print the result, to read."""
        if self.shows_answers:
            for part in parts:
                self.out.print(part)

    def data(self, text: str) -> None:
        """Print the result, to save: never cut, wrapped or colored."""
        if not self.json:
            _write(sys.stdout, text)

    def note(self, text: str) -> None:
        """Print a message to stderr."""
        if not self.quiet:
            self.err.print(clean(text), style="dim", soft_wrap=True)

    def error(self, text: str) -> None:
        """Print an error to stderr, its first line in bold."""
        head, _, rest = clean(text).partition("\n")
        self.err.print(head, style="bold red", soft_wrap=True)
        if rest:
            self.err.print(rest, soft_wrap=True)

    @contextmanager
    def step(self, text: str, *, writing: bool = False) -> Iterator[None]:
        """A step of the work; a terminal shows a line that disappears afterwards."""
        self.interrupt.check()
        self.writing = self.writing or writing
        if self.quiet or not self.err.is_terminal:
            yield
        else:
            with self.err.status(_Line(text), spinner="dots"):
                yield
        if not writing:  # what has been written is reported
            self.interrupt.check()

    def close(self) -> None:
        """Print the JSON document, if wanted, and flush."""
        if self.json:
            text = json.dumps(
                json_value(self.document), indent=2, ensure_ascii=False, allow_nan=False
            )
            _write(sys.stdout, text + "\n")
        _write(sys.stdout, "")
        _write(sys.stderr, "")


class _Line:
    """A step and, if the engine reports it, its progress."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __rich__(self) -> str:
        """Called whenever the line is drawn."""

        match api.current_progress():
            case None:
                return f"{self.text} …"
            case what, None:
                return f"{self.text}: {what} …"
            case what, share:
                return f"{self.text}: {what} … {share:.0%}"


def json_value(value: object) -> object:
    """The value for JSON: without infinities, enums, paths and tuples."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Mapping):
        return {str(key): json_value(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [json_value(one) for one in value]
    return value


def _console(*, stderr: bool) -> Console:
    """A console that prints text as it is: brackets in a name are not markup."""
    from rich.console import Console

    class PatientConsole(Console):
        """Rich would end the program when the reader of a pipe stops."""

        def on_broken_pipe(self) -> None:
            _discard(self.file)

    return PatientConsole(stderr=stderr, markup=False, highlight=False, emoji=False)


def _write(stream: IO[str], text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _discard(stream)


def _discard(stream: IO[str]) -> None:
    """The reader has stopped, as ``head -1`` does: continue, and discard the rest."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
