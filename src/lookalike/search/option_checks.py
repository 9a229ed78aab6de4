"""What an algorithm is given: of the wrong kind or size it is a fault, which says what to give."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real

from lookalike.errors import Fault, NotSuited, PolicyError
from lookalike.policy.name_suggestions import unknown_word


def check_word(where: str, given: object, allowed: Iterable[str]) -> None:
    """``where`` as it is typed: ``Mondrian(cut=...)``."""
    known = list(allowed)
    if given not in known:
        problem = f"no such word: {given!r}" if isinstance(given, str) else _not_one(given, "word")
        raise PolicyError(unknown_word(where, problem, given, known))


def check_flag(where: str, given: object) -> None:
    """Yes or no: a text would silently count as yes."""
    if not isinstance(given, bool):
        raise PolicyError(Fault(where, _not_one(given, "flag"), "use True or False"))


def check_columns(where: str, given: object) -> None:
    """A list of names: a text would be taken letter by letter."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        fix = 'give a list of columns, as ["zip", "age"], or a function'
        raise PolicyError(Fault(where, _not_one(given, "list"), fix))


def check_whole(where: str, given: object, least: int = 0) -> None:
    """A whole number: one and a half, or "many", would fail late or not at all."""
    if isinstance(given, bool) or not isinstance(given, Integral):
        raise PolicyError(Fault(where, _not_one(given, "whole number"), f"use {least} or more"))
    if given < least:
        raise PolicyError(Fault(where, f"{given} is too small", f"use {least} or more"))


def check_number(where: str, given: object, least: float = 0, most: float = math.inf) -> None:
    """A number within bounds; NaN is within none."""
    fix = f"use {least:g} or more" if most == math.inf else f"use {least:g} to {most:g}"
    if isinstance(given, bool) or not isinstance(given, Real):
        raise PolicyError(Fault(where, _not_one(given, "number"), fix))
    if not least <= float(given) <= most:
        raise PolicyError(Fault(where, f"{given} will not do", fix))


def check_seed(given: object) -> None:
    check_whole("seed", given)


def check_algorithm(given: object) -> None:
    """An instance of one, not its class, nor something else."""
    if isinstance(given, type):
        fix = f"write {given.__name__}()"
        raise NotSuited(Fault("by", f"{given.__name__} is a class, and no instance of it", fix))
    if not all(
        hasattr(given, part) for part in ("name", "space", "models", "why_unsuitable", "search")
    ):
        fix = 'give one as Flash(), or its name, as "flash"; "auto" leaves the choice to lookalike'
        raise NotSuited(Fault("by", _not_one(given, "algorithm"), fix))


def _not_one(given: object, kind: str) -> str:
    return f"{type(given).__name__} is no {kind}"
