"""How hard the tests try: a quarter of the random tables every day, all of them if asked.

LOOKALIKE_THOROUGH=1 uv run pytest
"""

import os

THOROUGH = bool(os.environ.get("LOOKALIKE_THOROUGH"))


def effort(tables: int) -> int:
    """So many of the tables of a thorough run."""
    return tables if THOROUGH else max(1, tables // 4)
