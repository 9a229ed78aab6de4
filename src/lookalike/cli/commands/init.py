"""``lookalike init``: draft a policy file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from lookalike.cli import options
from lookalike.cli.input.table_address import open_location
from lookalike.cli.options import option
from lookalike.cli.terminal.terminal import Terminal

Draft = Annotated[Path | None, option("--output -o FILE", "Write to FILE instead of stdout.")]
K = Annotated[int, option("--k K", "The smallest number of rows that must look alike.", min=2)]


def init(
    terminal: Terminal,
    table: options.Table,
    k: K = 5,
    output: Draft = None,
    force: options.Force = False,
) -> None:
    """Draft a policy file from a table. Each guess has its reason in a comment."""
    from lookalike import api
    from lookalike.cli.input.output_files import check_paths, write_private

    check_paths([output], [table], force=force)
    with terminal.step("Looking at the columns"):
        opened = open_location(table)
        text = api.draft_policy(opened, k)
    terminal.document |= {"table": opened.name, "policy": text, "policy_file": output}
    if output is None:
        terminal.data(text)
    else:
        write_private(output, text, force=force)
        command = shlex.join(["lookalike", "explain", str(table), str(output)])
        terminal.note(f"{output} is a draft. When it is right, run: {command}")
    terminal.note("Check each guess: only you know what outsiders know.")
