"""Look at every column, and write down what each might be."""

from __future__ import annotations

import shlex
from pathlib import Path

from lookalike.cli.address import Address, open_place
from lookalike.cli.facts import column_facts
from lookalike.cli.files import check_places, write_private
from lookalike.cli.talk import Talk
from lookalike.policy.guess import draft


def draft_policy(
    talk: Talk, table: Path | Address, k: int, output: Path | None, *, force: bool
) -> None:
    check_places([output], [table], force=force)
    with talk.doing("Looking at the columns"):
        opened = open_place(table)
        text = draft([column_facts(opened, name) for name in opened.columns], opened.name, k)
    talk.document |= {"table": opened.name, "policy": text, "policy_file": output}
    if output is None:
        talk.data(text)
    else:
        write_private(output, text, force=force)
        told = shlex.join(["lookalike", "explain", str(table), str(output)])
        talk.note(f"{output} is a draft; when it is right: {told}")
    talk.note("Read every guess in it: only you know what outsiders know.")
