"""Compiled code in a thread: its answer comes back, and a limit halts it."""

import numpy as np
import pytest

from lookalike.search.interruption import interruptible, unlimited


class Reached(Exception):
    """A limit."""


def test_the_answer_comes_back():
    assert interruptible(unlimited, lambda a, b, halt: (a + b, int(halt[0])), 1, 2) == (3, 0)


def test_what_the_kernel_raises_comes_back():
    with pytest.raises(ZeroDivisionError):
        interruptible(unlimited, lambda a, halt: a / 0, 1)


@pytest.mark.parametrize("raised", [Reached, KeyboardInterrupt])
@pytest.mark.parametrize("checks", [1, 2, 3])
def test_a_limit_halts_the_kernel_before_the_caller_goes_on(raised, checks):
    left, seen = iter([None] * checks), []

    def check_limits():
        if next(left, raised) is not None:
            raise raised

    def long(halt: np.ndarray) -> None:
        for _ in range(10**8):  # not without an end, should it never be halted
            if halt[0]:
                seen.append("halted")
                return

    with pytest.raises(raised):
        interruptible(check_limits, long)
    assert seen == ["halted"]


def test_nothing_runs_after_a_limit():
    def reached():
        raise Reached

    with pytest.raises(Reached):
        interruptible(reached, lambda halt: pytest.fail("it ran"))
