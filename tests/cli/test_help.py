"""Help answers fast, says something about everything, and the reference page knows it all."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli_program import SRC

from lookalike.cli.app import COMMANDS as NAMES
from lookalike.cli.app import load_command
from lookalike.cli.exit_codes import Exit
from lookalike.version import VERSION

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "command-line.md"
HEAVY = ("numba", "duckdb", "pyarrow", "numpy", "narwhals", "pandas", "polars", "rich.table")
COMMANDS = {name: load_command(name) for name in NAMES}
PARAMETERS = [(name, one) for name, command in COMMANDS.items() for one in command.params]


@pytest.mark.parametrize(
    "typed", [["--help"], ["run", "--help"], ["demo", "--help"], ["--version"]]
)
def test_help_loads_nothing_heavy(typed):
    script = (
        "import sys\nfrom lookalike.cli import main\n"
        f"sys.argv[1:] = {typed!r}\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(SRC)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr.strip() == "[]"
    assert done.stdout


def test_commands_are_the_verbs():
    assert set(COMMANDS) == {
        "init", "risk", "run", "solve", "release", "explain", "compare", "verify", "demo", "key",
        "check", "attack", "reapply", "screen", "serve", "sign",
    }  # fmt: skip


def test_every_command_has_help_that_fits_the_list(lookalike):
    listed = lookalike("--help").out
    for name, command in COMMANDS.items():
        first = command.help.split(".")[0]
        assert first
        assert first in listed, f"{name}: the first sentence is cut off in the list of commands"
    assert VERSION in lookalike("--version").out


@pytest.mark.parametrize(("name", "one"), PARAMETERS, ids=lambda x: getattr(x, "name", x))
def test_every_option_has_help(name, one):
    assert one.help
    assert one.help.endswith(".")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_knows_every_command_and_option(name):
    text = PAGE.read_text(encoding="utf-8")
    start = text.index(f"\n## `{name}`")
    end = text.find("\n## ", start + 1)
    section = text[start:end]
    for one in COMMANDS[name].params:
        for typed in one.opts:
            if typed.startswith("--") and typed not in (
                "--json",
                "--show-values",
                "--verbose",
                "--memory",
                "--spill",
                "--cache",
                "--help",
            ):
                assert f"`{typed}" in section, f"{name} {typed} is not on the page"


def test_the_page_knows_the_common_options_and_every_exit_code():
    text = PAGE.read_text(encoding="utf-8")
    for option in ("--json", "--show-values", "--verbose", "--help", "--version"):
        assert f"`{option}" in text
    for code in Exit:
        assert f"| {code.value} |" in text


def test_the_page_names_only_options_that_exist():
    real = {typed for _, one in PARAMETERS for typed in one.opts} | {"--version", "--help"}
    said = set(re.findall(r"`(--[a-z-]+)", PAGE.read_text(encoding="utf-8")))
    assert said <= real
