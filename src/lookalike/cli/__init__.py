"""The command line: calls ``lookalike.api``, says what came of it, and ends with a number.

Everything heavy is imported inside the commands, so that ``lookalike --help`` answers at once.
"""


def main() -> None:
    """The program ``lookalike``."""
    import io
    import sys

    from lookalike.cli.app import app

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without ✓ gets ?, not a traceback
    app(prog_name="lookalike")
