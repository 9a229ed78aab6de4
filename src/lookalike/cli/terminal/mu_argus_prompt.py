"""μ-Argus asks the data steward which column to generalize next, or to suppress cells."""

from __future__ import annotations

import sys
from dataclasses import replace

import lookalike as la
from lookalike import api
from lookalike.cli.input.request import without_prompt
from lookalike.cli.output import layout as show
from lookalike.cli.terminal.safe_text import clean
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import Fault, PolicyError

MAX_COMBINATIONS_LISTED = 12


def prompting_algorithm(by: str, terminal: Terminal) -> la.MuArgus:
    """The algorithm, with a prompt on the terminal for the data steward's decisions."""
    if not sys.stdin.isatty():
        fix = "name the columns to generalize, with --by mu-argus:generalize=COLUMN+COLUMN"
        raise PolicyError(Fault(by, "this needs a terminal to ask the user", fix))
    algorithm = api.find_algorithm(without_prompt(by))
    assert isinstance(algorithm, la.MuArgus)
    return replace(algorithm, decide=lambda outliers: _ask(terminal, outliers))


def _ask(terminal: Terminal, outliers: la.Outliers) -> str | None:
    rare = sorted(outliers.combinations.items(), key=lambda one: -one[1])
    rows = [
        (show.plural(count, "row"), show.listed(columns))
        for columns, count in rare[:MAX_COMBINATIONS_LISTED]
    ]
    title = f"{show.plural(outliers.rows, 'row')} with a rare combination of values"
    for part in show.section(title, show.facts(rows)):
        terminal.err.print(part)
    if len(rare) > MAX_COMBINATIONS_LISTED:
        terminal.err.print(f"  and {len(rare) - MAX_COMBINATIONS_LISTED} more combinations")
    terminal.err.print(f"  columns that can be generalized: {clean(', '.join(outliers.can_rise))}")
    while True:
        try:
            with terminal.interrupt.at_prompt():
                answer = terminal.err.input(
                    "  generalize which column? (Enter: none, suppress cells) "
                )
        except EOFError:  # Ctrl-D
            return None
        answer = answer.strip()
        if not answer:
            return None
        if answer in outliers.can_rise:
            return answer
        terminal.err.print("  this is not one of these columns")
