"""Call a function that the user gave to an algorithm: what it raises becomes a fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from lookalike.errors import Fault, PolicyError

Answer = TypeVar("Answer")
Argument = TypeVar("Argument")


def call(where: str, function: Callable[[Argument], Answer], argument: Argument) -> Answer:
    """The function's answer. If it raises, the fault names the kind of error, not its text.

    The text could quote the data. The error itself stays visible as the cause.
    """
    try:
        return function(argument)
    except Exception as error:
        problem = f"the given function raised {type(error).__name__}"
        fix = "fix the function, or leave it out"
        raise PolicyError(Fault(where, problem, fix)) from error


def one_of(where: str, answer: Answer, choices: Sequence[Answer]) -> Answer:
    """The answer, if it is among the choices that were offered."""
    if answer not in choices:
        listed = ", ".join(map(str, choices)) if all(isinstance(c, str) for c in choices) else ""
        fix = f"choose one of: {listed}" if listed else "choose one of those that are passed in"
        raise PolicyError(Fault(where, "the choice is not one of those offered", fix))
    return answer
