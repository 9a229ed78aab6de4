"""What a command says: answers and documents to stdout, terminal and progress to stderr."""

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

from lookalike.cli.terminal.interrupt import Interrupt
from lookalike.cli.terminal.safe_text import clean

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


@dataclass
class Terminal:
    """One command's voice. With ``json`` everything said to stdout is one document, at the end."""

    json: bool = False
    show_values: bool = False
    quiet: bool = False
    document: dict[str, object] = field(default_factory=dict)
    interrupt: Interrupt = field(default_factory=Interrupt)
    writing: bool = False  # has a step begun that leaves files?

    @cached_property
    def out(self) -> Console:
        return _console(stderr=False)

    @cached_property
    def err(self) -> Console:
        return _console(stderr=True)

    def answer(self, *parts: RenderableType) -> None:
        """What was asked for, to read."""
        if not self.json and not self.quiet:
            for part in parts:
                self.out.print(part)

    def data(self, text: str) -> None:
        """What was asked for, to keep: never cut, wrapped or coloured."""
        if not self.json:
            _say(sys.stdout, text)

    def note(self, text: str) -> None:
        """Something worth knowing on the way."""
        if not self.quiet:
            self.err.print(clean(text), style="dim", soft_wrap=True)

    def error(self, text: str) -> None:
        """What went wrong: a head in bold, the rest as it is."""
        head, _, rest = clean(text).partition("\n")
        self.err.print(head, style="bold red", soft_wrap=True)
        if rest:
            self.err.print(rest, soft_wrap=True)

    @contextmanager
    def step(self, text: str, *, writing: bool = False) -> Iterator[None]:
        """A step of the work; on a terminal with a line that is gone afterwards."""
        self.interrupt.check()
        self.writing = self.writing or writing
        if self.quiet or not self.err.is_terminal:
            yield
        else:
            with self.err.status(_Line(text), spinner="dots"):
                yield
        if not writing:  # what has been written is done, and is reported
            self.interrupt.check()

    def close(self) -> None:
        """Print the document, if there is to be one; leave nothing to be said at exit."""
        if self.json:
            text = json.dumps(plain(self.document), indent=2, ensure_ascii=False, allow_nan=False)
            _say(sys.stdout, text + "\n")
        _say(sys.stdout, "")
        _say(sys.stderr, "")


class _Line:
    """What is being done and, as far as an engine tells, how much of it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __rich__(self) -> str:
        """Asked anew whenever it is drawn."""
        from lookalike.tables.engine_progress import current_progress

        match current_progress():
            case None:
                return f"{self.text} …"
            case what, None:
                return f"{self.text}: {what} …"
            case what, share:
                return f"{self.text}: {what} … {share:.0%}"


def plain(value: object) -> object:
    """As JSON has it: no infinities, no enums, no paths, no tuples."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(one) for one in value]
    return value


def _console(*, stderr: bool) -> Console:
    """Plain text in, plain text out: brackets in a file's name are no markup."""
    from rich.console import Console

    class Unhurried(Console):
        """Rich would end the program when nobody reads on."""

        def on_broken_pipe(self) -> None:
            _unheard(self.file)

    return Unhurried(stderr=stderr, markup=False, highlight=False, emoji=False)


def _say(stream: IO[str], text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _unheard(stream)


def _unheard(stream: IO[str]) -> None:
    """The reader has left, as ``head -1`` does: go on, and say the rest to nobody."""
    nobody = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nobody, stream.fileno())
    os.close(nobody)
