"""How hard the tests try: an eighth of the random tables every day, all of them if asked.

LOOKALIKE_THOROUGH=1 uv run pytest
"""

import os

import pytest

THOROUGH = bool(os.environ.get("LOOKALIKE_THOROUGH"))


def effort(tables: int) -> int:
    """So many of the tables of a thorough run."""
    return tables if THOROUGH else max(1, tables // 8)


thorough = pytest.mark.skipif(not THOROUGH, reason="only thorough: LOOKALIKE_THOROUGH=1")


def without(what: str, missing: bool) -> pytest.MarkDecorator:
    """Skip, and say what is not there; with LOOKALIKE_ALL_ENGINES=1 nothing may be skipped."""
    return pytest.mark.skipif(missing and "LOOKALIKE_ALL_ENGINES" not in os.environ, reason=what)
