"""``python -m lookalike.cli``."""

from lookalike.cli import program

program()
