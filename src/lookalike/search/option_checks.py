"""Checks of what the user gives to an algorithm: a wrong kind or size is a fault with its fix."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real

from lookalike.errors import Fault, PolicyError
from lookalike.name_suggestions import unknown_word

MAX_WHOLE = 2**63 - 1  # more cannot be read back from a certificate (strict_json.py)


def check_word(where: str, given: object, allowed: Iterable[str]) -> None:
    """One of the allowed words; ``where`` as it is typed: ``Mondrian(cut=...)``."""
    known = list(allowed)
    if given not in known:
        problem = f"unknown word {given!r}" if isinstance(given, str) else _not_a(given, "word")
        raise PolicyError(unknown_word(where, problem, given, known))


def check_flag(where: str, given: object) -> None:
    """True or False: a text would silently count as true."""
    if not isinstance(given, bool):
        raise PolicyError(Fault(where, _not_a(given, "flag"), "use True or False"))


def check_columns(where: str, given: object) -> None:
    """A list of names: a text would be taken letter by letter."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        fix = 'give a list of columns, for example ["zip", "age"], or a function'
        raise PolicyError(Fault(where, _not_a(given, "list"), fix))


def check_whole(where: str, given: object, least: int = 0) -> None:
    """A whole number: 1.5 or "many" would fail late or not at all."""
    if isinstance(given, bool) or not isinstance(given, Integral):
        raise PolicyError(Fault(where, _not_a(given, "whole number"), f"use {least} or more"))
    if given < least:
        raise PolicyError(Fault(where, f"{given} is too small", f"use {least} or more"))
    if int(given) > MAX_WHOLE:
        raise PolicyError(Fault(where, "it is too large", "use a number that fits into 64 bits"))


def check_number(where: str, given: object, least: float = 0, most: float = math.inf) -> None:
    """A number within bounds; NaN never is."""
    fix = f"use {least:g} or more" if most == math.inf else f"use {least:g} to {most:g}"
    if isinstance(given, bool) or not isinstance(given, Real):
        raise PolicyError(Fault(where, _not_a(given, "number"), fix))
    if not least <= float(given) <= most:
        raise PolicyError(Fault(where, f"{given} is out of range", fix))


def _not_a(given: object, kind: str) -> str:
    return f"{type(given).__name__} is not a {kind}"
