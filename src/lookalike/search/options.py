"""Options of an algorithm: a word that it does not know is a fault, which lists those it does."""

from __future__ import annotations

from collections.abc import Iterable

from lookalike.errors import Fault, PolicyError
from lookalike.policy.words import unknown_word


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


def _not_one(given: object, kind: str) -> str:
    return f"{type(given).__name__} is no {kind}"
