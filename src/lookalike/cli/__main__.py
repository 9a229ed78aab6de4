"""``python -m lookalike.cli``."""

from lookalike.cli import main

main()
