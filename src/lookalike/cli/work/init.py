"""Look at every column, and write down what each might be."""

from __future__ import annotations

import shlex
from pathlib import Path

from lookalike.cli.input.output_files import check_places, write_private
from lookalike.cli.input.table_address import Address, open_place
from lookalike.cli.terminal.terminal import Terminal
from lookalike.policy.draft import draft
from lookalike.tables.column_facts import column_facts


def draft_policy(
    terminal: Terminal, table: Path | Address, k: int, output: Path | None, *, force: bool
) -> None:
    check_places([output], [table], force=force)
    with terminal.doing("Looking at the columns"):
        opened = open_place(table)
        text = draft([column_facts(opened, name) for name in opened.columns], opened.name, k)
    terminal.document |= {"table": opened.name, "policy": text, "policy_file": output}
    if output is None:
        terminal.data(text)
    else:
        write_private(output, text, force=force)
        told = shlex.join(["lookalike", "explain", str(table), str(output)])
        terminal.note(f"{output} is a draft; when it is right: {told}")
    terminal.note("Read every guess in it: only you know what outsiders know.")
