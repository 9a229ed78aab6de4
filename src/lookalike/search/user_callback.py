"""A function of the caller's, called by an algorithm: what it raises becomes a fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from lookalike.errors import Fault, PolicyError

Answer = TypeVar("Answer")
Given = TypeVar("Given")


def call(where: str, function: Callable[[Given], Answer], given: Given) -> Answer:
    """The function's answer; whatever it raises is told as a fault, by kind, not by its text.

    The text could quote the data. The error itself stays visible as the cause.
    """
    try:
        return function(given)
    except Exception as error:
        problem = f"the function given raised {type(error).__name__}"
        fix = "mend the function, or leave it out"
        raise PolicyError(Fault(where, problem, fix)) from error


def one_of(where: str, answer: Answer, choices: Sequence[Answer]) -> Answer:
    """The answer, if it is among the choices it was given."""
    if answer not in choices:
        listed = ", ".join(map(str, choices)) if all(isinstance(c, str) for c in choices) else ""
        fix = f"choose one of: {listed}" if listed else "choose one of those that are handed over"
        raise PolicyError(Fault(where, "the choice is not one of those offered", fix))
    return answer
