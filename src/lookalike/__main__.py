"""``python -m lookalike``: the same program as the script ``lookalike``."""

from lookalike.cli import program

program()
