"""What an algorithm is: a space, an honest refusal, and a search that only offers recodings."""

from __future__ import annotations

from typing import Protocol

from lookalike.problem.problem import Problem
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


class Algorithm(Protocol):
    """Claims nothing: ``solve`` turns what the run has learnt into a status.

    Of a cell-level one it is taken that it wants a single set of columns, unless it has a
    ``several_sets`` that is true.
    """

    @property
    def name(self) -> str: ...

    @property
    def space(self) -> Space: ...

    @property
    def models(self) -> frozenset[str]:
        """Which of the nine models it can follow, by name."""
        ...

    def why_unsuitable(self, problem: Problem) -> str | None:
        """Why it cannot honestly run on this problem, in a sentence; None if it can."""
        ...

    def search(self, run: Run) -> None:
        """Offer recodings with ``run.check`` until done. Let ``Stopped`` pass through."""
        ...
